"""`gossamer explain`: why a URL was fetched, skipped, or is still waiting."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from gossamer.cli import output

SHOWN = 3  # copies of a page
CUTS = {
    "length": "there is more than fetch.max_body or, of a file, fetch.max_file; --max-body raises both",
    "time": "it took longer than fetch.total_timeout or, of a file, fetch.file_timeout; or came slower than fetch.min_rate",
    "disconnect": "the connection was lost",
    "unspecified": "nobody can tell where it ends",
}


def explain(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="the crawl's directory")],
    url: Annotated[str, typer.Argument(metavar="URL", help="the URL to explain; - reads one a line from standard input")],
    everything: Annotated[bool, typer.Option("--all", help="every rule, the queue, the host")] = False,
    json: Annotated[bool, typer.Option("--json", help="print JSON, with everything")] = False,
) -> None:
    """Say what happened to a URL, which rule decided, where it was found, and what would help."""
    import sys

    from gossamer.jobs.conversation import explanations
    from gossamer.jobs.directory import CrawlDirectory

    crawl = CrawlDirectory.open(directory)
    urls = [line.strip() for line in sys.stdin if line.strip()] if url == "-" else [url]
    for facts in explanations(crawl, urls):
        if json:
            output.json(facts)
        elif everything:
            _show_all(facts)
        else:
            output.line(facts["wire"])
            output.rows(_rows(facts))


def _rows(facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Give every line of a short answer: what it is about, and what there is to say."""
    yield _end(facts), _why(facts)
    if facts["found"]:
        yield "found", _where(facts["found"])
    if facts["copies"]:
        yield "its copies", _some(facts["copies"])
    if facts["page"] and facts["page"]["links_cut"]:
        yield "links", _links(facts["page"])
    for remedy in facts["help"]:
        if facts["state"] != "done":
            yield "what helps", remedy["what"]
        yield "" if facts["state"] != "done" else remedy["what"], remedy["command"]


def _end(facts: dict[str, Any]) -> str:
    """Say in a word how a URL ended, or where it stands."""
    if facts["state"] == "dead":
        return "not for us" if facts["not_for_us"] else "failed"
    return {"done": "kept", "leased": "under way", "unknown": "never found"}.get(facts["state"]) or str(facts["state"])


def _why(facts: dict[str, Any]) -> str:
    """Say the outcome and what decided it."""
    page, reason = facts["page"], facts["reason"]
    if facts["state"] == "done" and page:
        kept = f"status {page['status']}, {page['mime']}, {page['length']:,} bytes"
        reason = output.told(facts) or kept
        if page["truncated"]:
            reason = f"cut after {page['length']:,} bytes: {CUTS.get(page['truncated'], CUTS['unspecified'])}"
        if facts["duplicate_of"] and facts["rule"] != "dedupe.canonical":
            reason = f"the content of {facts['duplicate_of']}"
    elif facts["state"] != "unknown":
        reason = output.told(facts)
    if facts["state"] == "waiting":
        reason = facts["waits_for"] or reason or "its turn has not come yet"
    return f"{facts['outcome']}: {reason}" if facts["outcome"] and facts["state"] != "waiting" else reason


def _where(found: dict[str, Any]) -> str:
    if not found["via"]:
        return "among the seeds"
    if found["kind"] == "seed":
        return f"where a seed led to, redirected from {found['via']}; its site belongs to the crawl"
    return f"on {found['via']}, as {found['kind']}, {found['depth']} {'hop' if found['depth'] == 1 else 'hops'} deep"


def _some(copies: list[str]) -> str:
    return ", ".join(copies[:SHOWN]) + (", ..." if len(copies) > SHOWN else "")


def _links(page: dict[str, Any]) -> str:
    return f"{page['links']:,} are known, {page['links_cut']:,} more were cut (documents.max_links)"


def _show_all(facts: dict[str, Any]) -> None:
    output.line(facts["wire"])
    if facts["key"] != facts["wire"]:
        output.line(f"  known as   {facts['key']}")
    output.line(f"  state      {facts['state']}" + (f", {facts['outcome']}" if facts["outcome"] else ""))
    if facts["reason"]:
        output.line(f"  because    {facts['reason']}" + (f" (rule {facts['rule']})" if facts["rule"] else ""))
    found = facts["found"]
    if found:
        output.line(f"  found      {_where(found)}, at {output.moment(found['at'])}")
    if facts["duplicate_of"]:
        output.line(f"  same as    {facts['duplicate_of']}")
    if facts["copies"]:
        output.line(f"  its copies {_some(facts['copies'])}")
    _show_queue(facts)
    output.line(f"  robots.txt {facts['robots']['verdict']}: {facts['robots']['reason']}")
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
        output.line(f"  links      {_links(page)}")


def _made_of(parts: dict[str, float] | None) -> str:
    """Say what a score is made of, without what is nothing."""
    told = [f"{name} {value:.3f}" for name, value in (parts or {}).items() if value >= 0.0005]
    return f" ({', '.join(told)})" if told else ""
