"""Take old versions of pages out of a crawl: from the archive and from the catalog, a file at a time. No crawl may run.

Of each page the newest versions stay, and what it shows now always does. So does a capture that a revisit refers to which stays
itself, whoever's it is: otherwise that revisit would confirm nothing. A revisit that is no version of its own (a 304, or the
same bytes again) goes with the capture of its own URL that it confirms.

Files are rewritten newest first, so that a revisit is gone before what it confirms. For each: whoever has the same content next
is no duplicate of what goes; the new file is durable; the catalog moves, in one transaction; the old file goes. A crash leaves
a crawl that verifies: whoever opens it clears up (`storage/archive/prune.py`), and the next prune does the rest.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable

from msgspec import Struct

from gossamer.assemble import Stores, open_archive, open_stores
from gossamer.clock import SystemClock
from gossamer.jobs.directory import CrawlDirectory
from gossamer.joints.archive import Pruning
from gossamer.joints.catalog import Catalog
from gossamer.records.upkeep import Rewritten
from gossamer.records.versions import Version

Spot = tuple[str, int]  # a file, and where a record begins in it
Advance = Callable[[int, int], None]  # bytes done, bytes in all


class PrunedFile(Struct, frozen=True, kw_only=True):
    """The result of pruning one file."""

    file: str
    captures: int  # removed
    confirmations: int  # revisits removed with them
    before: int  # bytes
    after: int


class Pruned(Struct, frozen=True, kw_only=True):
    """The result of a prune, or of a dry run."""

    versions: int  # that stay of each page
    captures: int  # removed
    confirmations: int
    held: int  # older captures that stay because a revisit refers to them
    bytes: int  # saved
    files: tuple[PrunedFile, ...]


class PrunePlan(Struct, frozen=True):
    """The captures and files to remove."""

    captures: dict[Spot, Version]
    confirmations: set[Spot]
    held: int


def prune_crawl(directory: CrawlDirectory, versions: int | None, dry_run: bool, advance: Advance) -> Pruned:
    """Remove all but the newest versions of each page, as many as asked for or configured."""
    keep = versions if versions is not None else directory.settings().recrawl.versions
    with directory.lock():
        return asyncio.run(_prune(directory, keep, dry_run, advance))


async def _prune(directory: CrawlDirectory, keep: int, dry_run: bool, advance: Advance) -> Pruned:
    settings = directory.settings()
    async with open_archive(directory.path, settings, SystemClock()) as archive:
        await archive.repair()
    async with open_stores(directory.path, settings, directory.seeds(), SystemClock()) as stores:
        archive = stores.archive
        plan = await _plan(stores.catalog, archive, keep, advance)
        by_file: dict[str, set[int]] = defaultdict(set)
        for file, offset in (*plan.captures, *plan.confirmations):
            by_file[file].add(offset)
        files = []
        for file in sorted(by_file, reverse=True):
            rewriting = archive.weigh(file, by_file[file]) if dry_run else _rewrite(stores, plan, file, by_file[file])
            rewritten = await rewriting
            captures = sum((file, offset) in plan.captures for offset in by_file[file])
            after = 0 if rewritten.is_empty else rewritten.after
            confirmations = len(by_file[file]) - captures
            files.append(
                PrunedFile(file=file, captures=captures, confirmations=confirmations, before=rewritten.before, after=after)
            )
        if not dry_run:
            await archive.finish(stores.catalog.uses)
    return Pruned(
        versions=keep,
        captures=len(plan.captures),
        confirmations=len(plan.confirmations),
        held=plan.held,
        bytes=sum(one.before - one.after for one in files),
        files=tuple(files),
    )


async def _rewrite(stores: Stores, plan: PrunePlan, file: str, without: set[int]) -> Rewritten:
    """Replace one file, in the order that a crash cannot hurt."""
    gone = [plan.captures[file, offset] for offset in without if (file, offset) in plan.captures]
    await stores.deduper.forget([(version.digest, version.key, version.captured_at) for version in gone])
    rewritten = await stores.archive.rewrite(file, without, stores.clock.now())
    await stores.catalog.move(file, rewritten.file, rewritten.offsets, without)
    await stores.archive.drop(file)
    if rewritten.is_empty:
        await stores.archive.drop(rewritten.file)
    return rewritten


async def _plan(catalog: Catalog, archive: Pruning, keep: int, advance: Advance) -> PrunePlan:
    """Find what goes: older captures but for those that what stays refers to, and the revisits that go with them."""
    older = {(version.place.file, version.place.offset): version async for version in catalog.excess(keep)}
    if not older:
        return PrunePlan({}, set(), 0)
    named: dict[tuple[str, str], list[Spot]] = defaultdict(list)
    for spot, version in older.items():
        named[await archive.identity(version.place)].append(spot)
    references = await _references(archive, named, advance)
    loose = {
        spot
        for spot, url, target in references
        if url == target[0] and not await _is_version(catalog, older, spot, named[target])
    }
    gone = set(older)
    while held := {
        capture
        for spot, _, target in references
        if spot not in gone and spot not in loose
        for capture in named[target]
        if capture in gone
    }:
        gone -= held  # one of them may be a revisit itself, and hold another: once more
    confirmations = {spot for spot, _, target in references if spot in loose and gone.issuperset(named[target])}
    return PrunePlan({spot: older[spot] for spot in gone}, confirmations, len(older) - len(gone))


async def _references(
    archive: Pruning, named: dict[tuple[str, str], list[Spot]], advance: Advance
) -> list[tuple[Spot, str, tuple[str, str]]]:
    """Return every revisit that refers to one of these captures: where it is, its URL, what it refers to."""
    files = [file async for file in archive.files()]
    total = sum(size for _, size in files)
    found = []
    for file, size in files:
        found += [((one.file, one.offset), one.url, one.target) async for one in archive.references(file, named)]
        advance(size, total)
    return found


async def _is_version(catalog: Catalog, older: dict[Spot, Version], spot: Spot, captures: list[Spot]) -> bool:
    """Tell whether a revisit is a version of the page whose capture it refers to."""
    if spot in older:
        return True
    places = [version.place for version in await catalog.versions(older[captures[0]].key)]
    return any((place.file, place.offset) == spot for place in places)
