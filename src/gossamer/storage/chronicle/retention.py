"""Remove segments of a chronicle that nobody needs: old enough, and behind every reader that has noted how far it is."""

from itertools import pairwise
from pathlib import Path

from gossamer.storage.chronicle.reader import READERS, Position
from gossamer.storage.chronicle.segment import compressed_path, first_head, plain_path, segments_in


def remove_old(directory: Path, keep: float, now: float, mark: int) -> None:
    """Remove the first segments whose every block was written more than `keep` seconds ago, is settled, and was read by all."""
    firsts = segments_in(directory)
    needed = min([mark + 1, *_positions(directory)])
    for first, following in pairwise(firsts):
        head = first_head(directory, following)
        is_whole = not plain_path(directory, first).exists()  # else it is still being compressed
        if head is None or now - head.at <= keep or needed < following or not is_whole:
            return
        compressed_path(directory, first).unlink()


def _positions(directory: Path) -> list[int]:
    """Return the blocks that readers have had part of; what comes before them they have had."""
    place = directory / READERS
    notes = [note for note in place.iterdir() if not note.name.endswith(".new")] if place.is_dir() else []
    return [Position.of(note.read_text("ascii")).block for note in notes]
