"""`gossamer traps` and `gossamer rules`: what a crawl learned about hosts, with the evidence, and an operator's word on it."""

from pathlib import Path
from typing import Annotated, Any

import typer

from gossamer.cli import output
from gossamer.errors import UsageError

Directory = Annotated[Path, typer.Argument(metavar="DIR", help="the crawl's directory")]
Host = Annotated[str, typer.Option(help="only of this host")]
All = Annotated[bool, typer.Option("--all", help="also what is not in force")]
Json = Annotated[bool, typer.Option("--json", help="print JSON lines")]


def traps(
    directory: Directory,
    host: Host = "",
    everything: All = False,
    allow: Annotated[str, typer.Option(help="fetch all URLs of this template", metavar="TEMPLATE")] = "",
    block: Annotated[str, typer.Option(help="fetch no URL of this template", metavar="TEMPLATE")] = "",
    learn: Annotated[str, typer.Option(help="let the evidence decide about this template again", metavar="TEMPLATE")] = "",
    json: Json = False,
) -> None:
    """List URL templates that bring nothing new, soft 404s and hosts that grow too fast, with the evidence."""
    _rule(directory, host, "template", {"allow": allow, "block": block, "": learn})
    found = [one for one in _learned(directory, host) if one["kind"] != "parameter" and (everything or _is_trap(one))]
    if json:
        for one in found:
            output.json(one)
        return
    rows = [(one["host"], one["kind"], one["name"] or "-", *_evidence(one)) for one in found]
    output.table(["host", "what", "name", "effect", "evidence", "example"], rows)


def rules(
    directory: Directory,
    host: Host = "",
    everything: All = False,
    drop: Annotated[str, typer.Option(help="this parameter makes no difference", metavar="NAME")] = "",
    keep: Annotated[str, typer.Option(help="this parameter makes a difference", metavar="NAME")] = "",
    learn: Annotated[str, typer.Option(help="let the evidence decide about this parameter again", metavar="NAME")] = "",
    json: Json = False,
) -> None:
    """List query parameters that were found to make no difference, by host, with the evidence."""
    _rule(directory, host, "parameter", {"block": drop, "allow": keep, "": learn})
    found = [one for one in _learned(directory, host) if one["kind"] == "parameter" and (everything or one["cosmetic"])]
    if json:
        for one in found:
            output.json(one)
        return
    rows = [
        (
            one["host"],
            one["name"],
            "dropped" if one["cosmetic"] else "kept",
            one["ruling"] and "by an operator",
            f"{one['same']:,} same, {one['other']:,} different, {one['merged']:,} not fetched",
            " = ".join(one["examples"][-1].values()) if one["examples"] else "-",
        )
        for one in found
    ]
    output.table(["host", "parameter", "is", "", "evidence", "example"], rows)


def _learned(directory: Path, host: str) -> list[dict[str, Any]]:
    from gossamer.jobs.control import ask
    from gossamer.jobs.directory import CrawlDirectory

    found: list[dict[str, Any]] = ask(CrawlDirectory.open(directory), "lessons", name=host)
    return found


def _rule(directory: Path, host: str, kind: str, rulings: dict[str, str]) -> None:
    from gossamer.jobs.control import ask
    from gossamer.jobs.directory import CrawlDirectory

    for ruling, name in rulings.items():
        if not name:
            continue
        if not host:
            raise UsageError(f"{name} means something else on every host; name the one with --host")
        if not ask(CrawlDirectory.open(directory), "rule", host=host, kind=kind, name=name, ruling=ruling):
            raise UsageError(f"nothing was learned about {name} on {host}; --all lists what was")


def _is_trap(one: dict[str, Any]) -> bool:
    match one["kind"]:
        case "template":
            return bool(one["ruling"] or one["one_in"] != 1)
        case "probe":
            return bool(one["soft"])
        case _:
            return bool(one["slowed"])


def _evidence(one: dict[str, Any]) -> tuple[str, str, str]:
    match one["kind"]:
        case "template":
            kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(one["barren"].items()))
            effect = {0: "blocked", 1: "fetched"}.get(one["one_in"], f"one in {one['one_in']} fetched")
            effect += " by an operator" if one["ruling"] else f", {one['refused']:,} not" if one["refused"] else ""
            examples = one["bad"] or one["good"]
            return effect, f"{one['fresh']:,} new of {one['fetched']:,}" + (f": {kinds}" if kinds else ""), _last(examples)
        case "probe":
            effect = f"{one['found']:,} soft 404s" if one["soft"] else "none"
            answer = f"answers {one['status']}" + (f" to {one['location']}" if one["location"] else "")
            return effect, f"{answer} for {one['url']}" if one["url"] else "not probed yet", _last(one["examples"])
        case _:
            evidence = one["reason"] or f"{one['found']:,} URLs from {one['fetched']:,} pages"
            return f"slowed {one['slowed']} times", evidence, one["page"]


def _last(examples: list[str]) -> str:
    return examples[-1] if examples else "-"
