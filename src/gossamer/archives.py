"""A crawl's archive without the rest: to read it, check it and mend it, also beside a crawl that writes it.

And what the other stores must have, too, when one of them has something.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from gossamer.config.sections import Settings
from gossamer.errors import StoreError
from gossamer.joints.catalog import Catalog
from gossamer.joints.frontier import Frontier
from gossamer.records.fetch import Fetched
from gossamer.records.page import Place
from gossamer.registry import choose, located
from gossamer.seal import RESTORE


def chosen_archive(directory: Path, settings: Settings) -> tuple[Any, Path]:
    """Return the backend of the archive, and where it is."""
    scheme, path = located(settings.storage.archive, directory, "storage.archive")
    return choose("archive", scheme), path


def read_record(directory: Path, settings: Settings, place: Place) -> Fetched:
    """Read a kept answer without opening the archive, so that it works beside a crawl that writes it."""
    chosen, path = chosen_archive(directory, settings)
    fetched: Fetched = chosen.read_at(path, place)
    return fetched


def archive_problems(directory: Path, settings: Settings) -> Iterator[tuple[str, str]]:
    """Walk over the archive's files: name, and what is wrong with it; an empty text for a file that is whole."""
    chosen, path = chosen_archive(directory, settings)
    yield from chosen.problems(path)


def archive_captures(directory: Path, settings: Settings) -> Iterator[tuple[Fetched, str]]:
    """Walk over all that is kept, as it was fetched, each with the payload digest that its record names."""
    chosen, path = chosen_archive(directory, settings)
    yield from chosen.captures(path)


def repair_archive(directory: Path, settings: Settings, worker: str = "") -> None:
    """Repair what workers that are gone left in the archive, all of them or one."""
    chosen, path = chosen_archive(directory, settings)
    chosen.repair_at(path, worker)


def finish_pruning(directory: Path, settings: Settings, uses: Callable[[str], bool]) -> None:
    """Clear away what an interrupted prune left; `uses` tells whether any capture is in a file."""
    chosen, path = chosen_archive(directory, settings)
    chosen.pruner_at(path).finish(uses)


def refuse_missing(directory: Path, settings: Settings) -> None:
    """Refuse a crawl that has lost a whole store: the frontier is made last, so beside one all the others stand."""
    frontier = located(settings.frontier.uri, directory, "frontier.uri")[1]
    for uri, knob in ((settings.storage.kv, "storage.kv"), (settings.storage.catalog, "storage.catalog")):
        scheme, path = located(uri, directory, knob)
        if frontier.exists() and not path.exists() and scheme != "memory":
            raise StoreError(f"{path} is missing, but {frontier} is there; {RESTORE}")


async def refuse_emptiness(directory: Path, frontier: Frontier, catalog: Catalog) -> None:
    """Refuse a crawl of which one store knows what another has lost: an empty store is no fresh start."""
    known, pages = await frontier.statistics(), sum(catalog.counts().values())
    if pages and not (known.waiting or known.leased or known.done or known.dead or known.removed):
        raise StoreError(f"the frontier of {directory} is empty, but its catalog has {pages:,} pages; {RESTORE}")
    if known.done and not pages:
        raise StoreError(f"the catalog of {directory} is empty, but its frontier has {known.done:,} pages done; {RESTORE}")


def merge_index(directory: Path, settings: Settings) -> Path:
    """Make one index of all archive files, open ones included."""
    chosen, path = chosen_archive(directory, settings)
    merged: Path = chosen.merge_at(path)
    return merged
