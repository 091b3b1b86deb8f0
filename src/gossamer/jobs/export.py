"""Write what a crawl keeps in a format of others; beside a running crawl too, and of a directory that can only be read."""

from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import BinaryIO

from msgspec import structs

from gossamer.config.choice import remedy
from gossamer.errors import UsageError
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.driven import driven
from gossamer.jobs.holdings import open_holdings
from gossamer.jobs.search import refuse_unknown
from gossamer.jobs.target import FileTarget, new_file, new_folder
from gossamer.joints.export import Exporter, ExportTarget
from gossamer.records.export import ExportOptions
from gossamer.records.pagequery import EVERY_PAGE, PageQuery
from gossamer.registry import choose, keys


def export_crawl(
    directory: CrawlDirectory,
    form: str,
    out: Path | BinaryIO,
    options: ExportOptions,
    force: bool = False,
    query: PageQuery = EVERY_PAGE,
    limit: int | None = None,
) -> Iterator[int]:
    """Write what was asked for to a file, a folder or a stream; gives how many rows were written since the last number."""
    refuse_unknown(query)
    exporter = _chosen(form, options)
    with _target(directory, exporter, form, out, force) as target:
        yield from driven(_write(directory, exporter, target, query, limit))


def _chosen(form: str, options: ExportOptions) -> Exporter:
    """Return the format, unless it cannot do what was asked for."""
    if form not in keys("export"):
        raise UsageError(f"there is no format {form!r}; {remedy(form, keys('export'))}")
    exporter: Exporter = choose("export", form)(options)
    if options.table not in exporter.tables:
        raise UsageError(f"{form} has no table {options.table!r}; {remedy(options.table, exporter.tables)}")
    asked = {name for name, value in structs.asdict(options).items() if value is True}
    if more := sorted(asked - exporter.extras):
        able = [key for key in keys("export") if asked <= choose("export", key)(options).extras]
        raise UsageError(f"{form} takes no --{more[0]}; {' and '.join(able)} would" if able else f"{form} takes no --{more[0]}")
    return exporter


def _target(
    directory: CrawlDirectory, exporter: Exporter, form: str, out: Path | BinaryIO, force: bool
) -> AbstractContextManager[ExportTarget]:
    if not isinstance(out, Path):
        if exporter.is_folder:
            raise UsageError(f"{form} is a folder of files, which standard output cannot be; name a folder")
        return nullcontext(FileTarget(out))
    if out.resolve().is_relative_to(directory.path.resolve()):
        raise UsageError(f"{out} is in the crawl's own directory; choose another place")
    return (
        new_folder(out, force, {"format": form, "crawl": directory.path.name}) if exporter.is_folder else new_file(out, force)
    )


async def _write(
    directory: CrawlDirectory, exporter: Exporter, target: ExportTarget, query: PageQuery, limit: int | None
) -> AsyncIterator[int]:
    async with open_holdings(directory, query, limit) as holdings:
        async for count in exporter.write(holdings, target):
            yield count
