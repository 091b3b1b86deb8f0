"""`gossamer links`: the links of a page, as the crawler finds them."""

import base64
import sys
from pathlib import Path
from typing import Annotated

import typer

from gossamer.cli import output
from gossamer.cli.crawl import AllowPrivate, Insecure, Resolve, flags_of
from gossamer.cli.jsonl import answer_lines


def links(
    page: Annotated[str | None, typer.Argument(metavar="FILE|URL", help="a file on disk, or a page to fetch")] = None,
    base: Annotated[str, typer.Option(help="URL of the file")] = "http://localhost/",
    content_type: Annotated[str, typer.Option(help="its Content-Type")] = "text/html",
    allow_private: AllowPrivate = None,
    resolve: Resolve = None,
    insecure: Insecure = False,
    jsonl: Annotated[bool, typer.Option("--jsonl", help='read {"html": base64, "base":…, "content_type":…} a line')] = False,
    json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """List a page's links with their kinds, its title and what it asks of robots."""
    from gossamer.config.load import load
    from gossamer.errors import UsageError
    from gossamer.jobs.inspect import LinkReader, fetch_one
    from gossamer.url.parse import without_login

    read = LinkReader()
    if jsonl:
        answer_lines(
            sys.stdin.buffer,
            lambda ask: read(base64.b64decode(ask["html"]), ask["base"], ask.get("content_type", "text/html")),
        )
        return
    if page is None:
        raise UsageError("name a file or a URL, or pass --jsonl to read pages from standard input")
    if Path(page).is_file():
        facts = read(Path(page).read_bytes(), base, content_type)
    else:
        settings = load((), flags_of(allow_private=allow_private, resolve=resolve, insecure=insecure))
        page = without_login(page)
        got = fetch_one(page, settings)
        if got.fetched.status == 0:
            raise UsageError(f"{page} gave no page: {got.outcome}, {got.fetched.detail}")
        facts = read(got.content, got.fetched.url, got.fetched.header("content-type"))
    if json:
        output.json(facts)
        return
    output.line(f"title: {facts['title']}")
    rows = [(link["kind"], "nofollow" if link["nofollow"] else "", link["url"]) for link in facts["links"]]
    output.table(["kind", "", "url"], rows, whole="url")
