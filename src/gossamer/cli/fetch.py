"""`gossamer fetch`: one request, as the crawler would send it."""

from typing import Annotated

import typer

from gossamer.cli import output
from gossamer.cli.crawl import (
    AllowPrivate,
    ConfigFile,
    Contact,
    Cookies,
    Header,
    Insecure,
    PasswordFile,
    Resolve,
    Set,
    ThroughProxy,
    User,
    UserAgent,
    flags_of,
    typed_requests,
)


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
    header: Header = None,
    user: User = None,
    password_file: PasswordFile = None,
    cookies: Cookies = None,
    proxy: ThroughProxy = None,
    config: ConfigFile = None,
    set_: Set = None,
    json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Fetch one URL and show request, answer and timing. Follows no redirect; asks robots.txt first."""
    from gossamer.config.load import load
    from gossamer.jobs.inspect import fetch_one, fetched_facts
    from gossamer.jobs.seeds import read_seed
    from gossamer.jobs.typed import typed_meanwhile

    flags = flags_of(
        set_, allow_private=allow_private, resolve=resolve, insecure=insecure, contact=contact, user_agent=user_agent
    )
    if ignore_robots:
        flags["robots.obey"] = False
    found = read_seed(url)
    typed = typed_requests(header, user, password_file, cookies, False, proxy)
    with typed_meanwhile(typed, found, load([config] if config else [], flags)) as settings:
        got = fetch_one(found.urls[0].wire, settings)
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
