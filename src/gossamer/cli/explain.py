"""`gossamer explain`: why a URL was fetched, skipped, or is still waiting."""

from pathlib import Path
from typing import Annotated, Any

import typer

from gossamer.cli import output


def explain(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="the crawl's directory")],
    url: Annotated[str, typer.Argument(metavar="URL", help="the URL to explain; - reads one a line from standard input")],
    json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Say what happened to a URL, and which rule decided."""
    import sys

    from gossamer.jobs.control import ask
    from gossamer.jobs.directory import CrawlDirectory

    crawl = CrawlDirectory.open(directory)
    urls = [line.strip() for line in sys.stdin if line.strip()] if url == "-" else [url]
    for facts in ask(crawl, "explain_all", urls=urls):
        if json:
            output.json(facts)
        else:
            _show(facts)


def _show(facts: dict[str, Any]) -> None:
    output.line(facts["wire"])
    if facts["key"] != facts["wire"]:
        output.line(f"  known as   {facts['key']}")
    output.line(f"  state      {facts['state']}" + (f", {facts['outcome']}" if facts["outcome"] else ""))
    if facts["reason"]:
        output.line(f"  because    {facts['reason']}" + (f" (rule {facts['rule']})" if facts["rule"] else ""))
    found = facts["found"]
    if found:
        where = f"on {found['via']}" if found["via"] else "among the seeds"
        output.line(f"  found      {where}, as {found['kind']}, {found['depth']} hops deep, at {output.moment(found['at'])}")
    if facts["duplicate_of"]:
        output.line(f"  same as    {facts['duplicate_of']}")
    _show_queue(facts)
    output.line(f"  robots.txt {facts['robots']['verdict']}: {facts['robots']['rule']}")
    for verdict in facts["verdicts"]:
        if not verdict["allowed"]:
            output.line(f"  refused by {verdict['rule']}: {verdict['reason']}")
        elif verdict["reason"]:
            output.line(f"  learned    {verdict['rule']}: {verdict['reason']}")
    passed = [verdict["rule"] for verdict in facts["verdicts"] if verdict["allowed"]]
    output.line(f"  passed     {', '.join(passed)}")


def _show_queue(facts: dict[str, Any]) -> None:
    queue, host, page = facts["queue"], facts["host_status"], facts["page"]
    if queue and facts["state"] == "waiting":
        due = f", not before {output.moment(queue['due'])}" if queue["due"] else ""
        score = f"score {queue['score']:.3f}{_made_of(queue['parts'])}"
        output.line(f"  queue      {queue['priority']}, {score}, tried {queue['attempts']} times{due}")
    elif queue and queue["due"]:
        output.line(f"  again      after {output.moment(queue['due'])}, by a later crawl")
    if host and facts["state"] == "waiting":
        clock = host["clock"]
        output.line(f"  host       next request not before {output.moment(clock['next_time'])}, {host['waiting']:,} URLs wait")
    if page and page["place"]:
        place = page["place"]
        kept = f"{place['file']} at {place['offset']}, {place['length']} bytes"
        output.line(f"  kept       status {page['status']}, {page['mime']}, {page['length']:,} bytes, in {kept}")
    if page and page["links_cut"]:
        output.line(f"  links      {page['links']:,} are known, {page['links_cut']:,} more were cut (documents.max_links)")


def _made_of(parts: dict[str, float] | None) -> str:
    """Say what a score is made of, without what is nothing."""
    told = [f"{name} {value:.3f}" for name, value in (parts or {}).items() if value >= 0.0005]
    return f" ({', '.join(told)})" if told else ""
