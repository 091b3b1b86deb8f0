"""`gossamer report`: what the owner of a site may want to mend, on one page of the terminal, as HTML or as JSON."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli import output
from gossamer.cli.reportsections import NUMERIC, SECTIONS, ReportSection, counted, notes, sections

if TYPE_CHECKING:
    from gossamer.jobs.report.facts import SiteReport

ON_TERMINAL, ON_PAGE = 3, 100  # rows of a list, unless told otherwise
DETAILS = 4  # lines below a row, where rows are few
DEPTHS = 8  # that are told on the terminal


def report(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="the crawl's directory")],
    only: Annotated[str, typer.Option(metavar="SECTION", help="show one section only, such as broken")] = "",
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", min=0, help="rows of each list; 0 is all (3, and 100 in HTML and JSON)")
    ] = None,
    slow: Annotated[str, typer.Option(metavar="TIME", help="from when on an answer is slow")] = "1s",
    large: Annotated[str, typer.Option(metavar="SIZE", help="from when on a page is large")] = "1MB",
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="write one HTML file instead")] = None,
    force: Annotated[bool, typer.Option("--force", help="replace that file if it is there")] = False,
    json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Report broken links with the pages that have them, redirects, slow, large and doubled pages, titles, sitemaps, hosts."""
    from gossamer.clock import SystemClock
    from gossamer.config.choice import remedy
    from gossamer.config.load import byte_count, duration
    from gossamer.errors import UsageError
    from gossamer.jobs.directory import CrawlDirectory
    from gossamer.jobs.report.gather import Wishes, make_report

    if only and only not in SECTIONS:
        raise UsageError(f"there is no section {only!r}; {remedy(only, SECTIONS)}")
    if html is not None and html.exists() and not force:
        raise UsageError(f"{html} exists already; name another file, or replace it with --force")
    rows = limit if limit is not None else ON_TERMINAL if html is None and not json else ON_PAGE
    wishes = Wishes(rows=rows or None, slow=duration(slow, "--slow"), large=byte_count(large, "--large"))
    with output.counter("pages and links looked at", quiet=json) as tick:
        made = make_report(CrawlDirectory.open(directory), wishes, SystemClock().now(), tick)
    chosen = [section for section in sections(made) if only in ("", section.name)]
    if json:
        output.json(made)
    elif html is not None:
        _write(html, made, chosen)
    else:
        _show(made, chosen, is_one=bool(only))


def _write(path: Path, report: "SiteReport", chosen: list[ReportSection]) -> None:
    from gossamer.cli.reportpage import html_of
    from gossamer.errors import UsageError
    from gossamer.seal import write_whole

    try:
        write_whole(path, html_of(report, chosen))
    except OSError as error:
        raise UsageError(f"cannot write {path}: {(error.strerror or str(error)).lower()}; choose another file") from error
    output.note(f"wrote {path}")


def _show(report: "SiteReport", chosen: list[ReportSection], is_one: bool) -> None:
    """Print the numbers, then the beginning of every list."""
    if not is_one:
        state = f"{report.state}, {counted(report.waiting, 'URL waits', 'URLs wait')}" if report.waiting else report.state
        output.line(f"{report.directory}: {state}")
        summed = f"{counted(report.pages, 'page')} of {counted(report.hosts.total, 'host')}, {output.size(report.bytes)}"
        output.line(f"{summed}, visited {output.moment(report.first)} to {output.moment(report.last)}")
        output.line()
        output.rows([*((section.heading, f"{section.count:>7,}") for section in chosen), ("Depth", _depths(report))])
    for section in chosen:
        if section.count:
            _show_section(report, section, is_whole=is_one)
    for note in () if is_one else notes(report):
        output.note(note)


def _depths(report: "SiteReport") -> str:
    shown = ", ".join(f"{one.pages:,} at {one.name}" for one in report.depths[:DEPTHS])
    return f"{shown}{' ...' if len(report.depths) > DEPTHS else ''}"


def _show_section(report: "SiteReport", section: ReportSection, is_whole: bool) -> None:
    from gossamer.jobs.command import command

    output.line()
    output.heading(section.heading)
    output.line(section.sentence)
    widths = [max(map(len, column)) for column in zip(section.heads, *(row.facts for row in section.rows), strict=True)]
    if section.heads:
        output.fitted(f"  {_columns(section.heads, section.heads, widths)}{section.subject}")
    for row in section.rows:
        facts = _columns(section.heads, row.facts, widths)
        output.fitted(f"  {facts}{row.text}{'  ' + row.note if row.note else ''}")
        indent, most = " " * (len(facts) + 2), len(row.details) if is_whole else DETAILS
        for detail in row.details[:most]:
            output.fitted(f"{indent}{detail.label}  {detail.text}")
        if more := len(row.details[most:]) + row.more:
            output.line(f"{indent}and {more:,} more")
    if section.left_out:
        shown = command("report", report.directory, "--only", section.name, "-n", 0)
        output.line(f"  and {section.left_out:,} more: {shown}")


def _columns(heads: Sequence[str], facts: Sequence[str], widths: Sequence[int]) -> str:
    """Lay out short facts, numbers to the right."""
    columns = zip(heads, facts, widths, strict=True)
    return "".join(f"{fact:{'>' if head in NUMERIC else '<'}{width}}  " for head, fact, width in columns)
