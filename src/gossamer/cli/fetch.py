"""`gossamer fetch`: one request, as the crawler would send it."""

from typing import Annotated

import typer

from gossamer.cli import output
from gossamer.cli.crawl import AllowPrivate, Contact, Insecure, Resolve, Set, UserAgent, flags_of


def fetch(
    url: Annotated[str, typer.Argument(metavar="URL", help="the URL")],
    body: Annotated[bool, typer.Option("--body", help="write the decoded body to standard output")] = False,
    ignore_robots: Annotated[
        bool, typer.Option("--ignore-robots", help="do not ask robots.txt; for sites of your own")
    ] = False,
    allow_private: AllowPrivate = None,
    resolve: Resolve = None,
    insecure: Insecure = False,
    contact: Contact = None,
    user_agent: UserAgent = None,
    set_: Set = None,
    json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Fetch one URL and show request, answer and timing. Follows no redirect; asks robots.txt first."""
    from gossamer.config.load import load
    from gossamer.jobs.inspect import fetch_one, fetched_facts

    flags = flags_of(
        set_, allow_private=allow_private, resolve=resolve, insecure=insecure, contact=contact, user_agent=user_agent
    )
    if ignore_robots:
        flags["robots.obey"] = False
    got = fetch_one(url, load((), flags))
    if body:
        output.raw(got.content)
    elif json:
        output.json(fetched_facts(got))
    else:
        output.line(got.fetched.request_head.decode("latin-1").replace("\r\n", "\n"))
        output.line(got.fetched.response_head.decode("latin-1").replace("\r\n", "\n"))
        for name, value in fetched_facts(got).items():
            if name not in ("headers",):
                output.line(f"{name:10} {value}")
    if got.fetched.status == 0:
        raise typer.Exit(1)
