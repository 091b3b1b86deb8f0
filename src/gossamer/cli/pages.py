"""`gossamer pages`: list and search what a crawl kept."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli import output

if TYPE_CHECKING:
    from gossamer.jobs.directory import CrawlDirectory


def pages(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="the crawl's directory")],
    words: Annotated[list[str] | None, typer.Argument(metavar="[WORDS]", help="words in URL, title or indexed text")] = None,
    host: Annotated[str, typer.Option(help="only of this host, or of host:port")] = "",
    status: Annotated[int | None, typer.Option(help="only with this status")] = None,
    outcome: Annotated[str, typer.Option(help="only with this outcome, such as gone")] = "",
    mime: Annotated[str, typer.Option("--type", help="only of this MIME type")] = "",
    rule: Annotated[str, typer.Option(help="only those that this rule decided about, such as http.status")] = "",
    cut: Annotated[bool, typer.Option("--cut", help="only those whose body is not whole")] = False,
    order: Annotated[str, typer.Option(help="new, key or best; by words best, of one host key, otherwise new")] = "",
    near: Annotated[str, typer.Option(help="only those with nearly the text of this page, nearest first", metavar="URL")] = "",
    inlinks: Annotated[str, typer.Option(help="instead, the pages that link to this URL, and how", metavar="URL")] = "",
    versions: Annotated[str, typer.Option(help="instead, the kept versions of this page, newest first", metavar="URL")] = "",
    limit: Annotated[int, typer.Option("--limit", "-n", help="how many; 0 is all")] = 50,
    json: Annotated[bool, typer.Option("--json", help="print JSON lines")] = False,
) -> None:
    """List pages, newest first, those of one host by address; or search them, best match first."""
    from gossamer.jobs.directory import CrawlDirectory
    from gossamer.jobs.search import find_pages, order_of
    from gossamer.records.pagequery import PageQuery

    crawl = CrawlDirectory.open(directory)
    if near:
        _show_near(crawl, near, json)
        return
    if inlinks:
        _show_inlinks(crawl, inlinks, limit, json)
        return
    if versions:
        _show_versions(crawl, versions, json)
        return
    named = " ".join(words or [])
    query = PageQuery(
        words=named, host=host, status=status, outcome=outcome, mime=mime, rule=rule, cut=cut, order=order_of(order)
    )
    found = find_pages(crawl, query, limit or None)
    if json:
        for page in found:
            output.json(page)
        return
    output.table(
        ["fetched", "outcome", "status", "type", "bytes", "url", "title"],
        [
            (
                output.moment(page.fetched_at),
                page.outcome,
                str(page.status or "-"),
                page.mime,
                f"{page.length:,}{' cut' if page.truncated else ''}",
                page.url,
                page.title,
            )
            for page in found
        ],
        whole="url",
        spare=["fetched", "bytes", "type", "status"],
    )


def _show_near(crawl: "CrawlDirectory", url: str, as_json: bool) -> None:
    """List a page's near duplicates and itself."""
    from gossamer.jobs.control import ask

    found = ask(crawl, "near", url=url)
    if as_json:
        for page in found:
            output.json(page)
        return
    output.table(
        ["bits", "outcome", "fetched", "url", "title"],
        [(str(one["distance"]), one["outcome"], output.moment(one["fetched_at"]), one["url"], one["title"]) for one in found],
        whole="url",
        spare=["fetched"],
    )


def _show_inlinks(crawl: "CrawlDirectory", url: str, limit: int, as_json: bool) -> None:
    """List the pages that link to a URL."""
    from gossamer.jobs.graph import inlinks

    found = inlinks(crawl, url, limit or None)
    if as_json:
        for edge in found:
            output.json(edge)
        return
    rows = [(edge.kind, "nofollow" if edge.nofollow else "-", edge.source) for edge in found]
    output.table(["kind", "nofollow", "page"], rows, whole="page")


def _show_versions(crawl: "CrawlDirectory", url: str, as_json: bool) -> None:
    """List the kept versions of a page; the number is what `gossamer show --version` takes."""
    from gossamer.jobs.search import versions_of

    found = versions_of(crawl, url)
    if as_json:
        for version in found:
            output.json(version)
        return
    output.table(
        ["version", "captured", "status", "type", "bytes", "digest", "file"],
        [
            (
                str(number),
                output.moment(version.captured_at),
                str(version.status),
                version.mime,
                f"{version.length:,}",
                version.digest,
                version.place.file,
            )
            for number, version in enumerate(found, 1)
        ],
    )
