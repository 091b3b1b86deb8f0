"""`gossamer show`: headers, text or body of a kept page."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from gossamer.cli import output


def show(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="the crawl's directory")],
    url: Annotated[str, typer.Argument(metavar="URL", help="the page")],
    version: Annotated[
        str, typer.Option(metavar="N|DATE", help="an earlier version: 2 is the one before the newest; or as it was at a date")
    ] = "",
    part: Annotated[str, typer.Option(help="headers, text, body (decoded), wire (as it was sent) or all")] = "all",
    json: Annotated[bool, typer.Option("--json", help="print the catalog's row as JSON")] = False,
) -> None:
    """Show a page as it was kept."""
    from gossamer.config.choice import remedy
    from gossamer.errors import UsageError
    from gossamer.jobs.directory import CrawlDirectory
    from gossamer.jobs.search import show_page
    from gossamer.url.parse import without_login

    parts: tuple[Literal["all"], ...] | tuple[str, ...] = ("all", "headers", "text", "body", "wire")
    if part not in parts:
        raise UsageError(f"there is no part {part!r}; {remedy(part, parts)}")
    shown = show_page(CrawlDirectory.open(directory), without_login(url), version)
    if json:
        output.json({"page": shown.page, "version": shown.version, "headers": shown.headers, "text": shown.text})
    elif part == "wire":
        output.raw(shown.head + shown.wire)
    elif part == "body":
        output.raw(shown.content)
    else:
        if part in ("all", "headers"):
            output.line(shown.head.decode("latin-1").replace("\r\n", "\n").rstrip())
        if part == "all":
            output.line()
        if part in ("all", "text"):
            output.line(shown.text)
