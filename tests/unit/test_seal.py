"""What a store's files were when it was closed, and what is refused when they are not."""

from pathlib import Path

import pytest

from gossamer.errors import StoreError
from gossamer.seal import Seal


def sealed(place: Path) -> Seal:
    (place / "rows").write_bytes(b"what was written")
    (place / "blocks").write_bytes(b"what checks itself")
    seal = Seal(place / "seal")
    seal.close([place / "rows", place / "blocks"], lambda path: path.name == "blocks")
    return Seal(place / "seal")


def test_what_is_as_it_was_passes(tmp_path: Path) -> None:
    seal = sealed(tmp_path)
    seal.check()
    assert seal.exists and seal.is_closed


@pytest.mark.parametrize("file", ["rows", "blocks"])
def test_a_file_that_was_cut_or_has_grown_or_is_gone_is_named_with_a_remedy(file: str, tmp_path: Path) -> None:
    seal, content = sealed(tmp_path), (tmp_path / file).read_bytes()
    for other in (*(content[:end] for end in range(len(content))), content + b"!"):
        (tmp_path / file).write_bytes(other)
        with pytest.raises(StoreError, match=f"{tmp_path / file} is damaged: it has .* bytes, not .*; restore it"):
            seal.check()
    (tmp_path / file).unlink()
    with pytest.raises(StoreError, match=f"{tmp_path / file} is missing; restore it"):
        seal.check()


def test_every_bit_counts(tmp_path: Path) -> None:
    seal, content = sealed(tmp_path), (tmp_path / "rows").read_bytes()
    for at in range(8 * len(content)):
        flipped = bytearray(content)
        flipped[at // 8] ^= 1 << at % 8
        (tmp_path / "rows").write_bytes(flipped)
        with pytest.raises(StoreError, match="rows is damaged: its checksum is wrong; restore it"):
            seal.check()
    seal.check(most=3)  # of a file that is too large to be read only the size is looked at


def test_a_seal_that_is_damaged_itself_is_named(tmp_path: Path) -> None:
    sealed(tmp_path)
    content = (tmp_path / "seal").read_bytes()
    for at in range(len(content)):
        for other in (content[:at], content[:at] + bytes([content[at] ^ 4]) + content[at + 1 :]):
            (tmp_path / "seal").write_bytes(other)
            with pytest.raises(StoreError, match=r"seal is damaged; .* remove it"):
                Seal(tmp_path / "seal")


def test_while_a_store_is_open_files_may_come_and_grow_but_keep_their_beginning(tmp_path: Path) -> None:
    seal = sealed(tmp_path)
    seal.mark_open([tmp_path / "rows"])
    (tmp_path / "more").write_bytes(b"new")
    (tmp_path / "blocks").unlink()
    with (tmp_path / "rows").open("ab") as file:
        file.write(b", and more")
    seal = Seal(tmp_path / "seal")
    seal.check()
    assert seal.exists and not seal.is_closed
    for content in (b"what was writteN, and more", b"what was"):
        (tmp_path / "rows").write_bytes(content)
        with pytest.raises(StoreError, match="rows is damaged"):
            seal.check()


def test_without_a_seal_there_is_nothing_to_say(tmp_path: Path) -> None:
    seal = sealed(tmp_path)
    seal.remove()
    (tmp_path / "rows").unlink()
    seal = Seal(tmp_path / "seal")
    seal.check()
    assert not seal.exists and not seal.is_closed
