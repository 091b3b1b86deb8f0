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
RULES = {"parameter": "cosmetic", "habit": "in_force", "view": "last"}  # what `rules` lists, and what says that one is in force
HABIT = "changes on most pages"
GROWTH = "growth"  # of a host; no template has such a name


def traps(
    directory: Directory,
    host: Host = "",
    everything: All = False,
    allow: Annotated[
        str, typer.Option(help="fetch all URLs of this; `growth`: the host does not sink", metavar="TEMPLATE")
    ] = "",
    block: Annotated[str, typer.Option(help="fetch no URL of this template", metavar="TEMPLATE")] = "",
    learn: Annotated[str, typer.Option(help="let the evidence decide about this template again", metavar="TEMPLATE")] = "",
    json: Json = False,
) -> None:
    """List URL templates that bring nothing new, soft 404s and hosts that grow too fast, with the evidence."""
    kind = "growth" if GROWTH in (allow, learn) else "template"
    _rule(directory, host, kind, {"allow": allow, "block": block, "": learn})
    found = [one for one in _learned(directory, host) if one["kind"] not in RULES and (everything or _is_trap(one))]
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
    keep: Annotated[str, typer.Option(help="this makes a difference", metavar="NAME")] = "",
    last: Annotated[str, typer.Option(help="URLs with this mark are views: behind all others", metavar="MARK")] = "",
    first: Annotated[str, typer.Option(help="URLs with this mark are pages: in their turn", metavar="MARK")] = "",
    learn: Annotated[str, typer.Option(help="let the evidence decide about it again", metavar="NAME|MARK")] = "",
    json: Json = False,
) -> None:
    """List what makes no difference (parameters, what changes on most pages) and marks of views, with the evidence."""
    _rule(directory, host, _kind_of(keep), {"block": drop, "allow": keep})
    _rule(directory, host, "view", {"block": last, "allow": first})
    _rule(directory, host, _kind_of(learn), {"": learn})
    learned = [one for one in _learned(directory, host) if one["kind"] in RULES]
    found = [one for one in learned if everything or one[RULES[one["kind"]]]]
    if json:
        for one in found:
            output.json(one)
        return
    rows = [(one["host"], one["name"], *_effect(one)) for one in found]
    output.table(["host", "name", "is", "", "evidence", "example"], rows)


def _kind_of(name: str) -> str:
    """Tell a mark of views and the habits of a host from a parameter, or from a mirror's host behind two slashes."""
    if name == HABIT:
        return "habit"
    return "view" if name.startswith(("?", "*", "/", "=")) and not name.startswith("//") else "parameter"


def _effect(one: dict[str, Any]) -> tuple[str, str, str, str]:
    """Return what is in force, by whom, the evidence, and an example."""
    word, is_in_force = one["ruling"] and "by an operator", one[RULES[one["kind"]]]
    match one["kind"]:
        case "view":
            stood = f"beside {one['beside']:,}, elsewhere {one['otherwise']:,}"
            came = f"{one['fetched']:,} fetched, {one['fresh']:,} new, {one['led']:,} led on"
            example = f"{one['shown'][-1]['url']} of {one['shown'][-1]['page']}" if one["shown"] else "-"
            return "last" if is_in_force else "in turn", word, f"{stood}; {came}", example
        case "habit":
            evidence, example = f"{one['spared']:,} visits found nothing else changed", ", ".join(one["examples"]) or "-"
        case _:
            evidence = f"{one['same']:,} same, {one['other']:,} different, {one['merged']:,} not fetched"
            example = " = ".join(one["examples"][-1].values()) if one["examples"] else "-"
    return "dropped" if is_in_force else "kept", word, evidence, example


def _learned(directory: Path, host: str) -> list[dict[str, Any]]:
    from gossamer.jobs.conversation import listed
    from gossamer.jobs.directory import CrawlDirectory

    return list(listed(CrawlDirectory.open(directory), "lessons", name=host))


def _rule(directory: Path, host: str, kind: str, rulings: dict[str, str]) -> None:
    from gossamer.jobs.control import ask
    from gossamer.jobs.directory import CrawlDirectory

    for ruling, name in rulings.items():
        if not name:
            continue
        if not host:
            raise UsageError(f"{name} means something else on every host; name the one with --host")
        title = "" if kind == "growth" else name
        if not ask(CrawlDirectory.open(directory), "rule", host=host, kind=kind, name=title, ruling=ruling):
            raise UsageError(f"nothing was learned about {name} on {host}; --all lists what was")


def _is_trap(one: dict[str, Any]) -> bool:
    match one["kind"]:
        case "template":
            return bool(one["ruling"] or one["one_in"] != 1)
        case "probe":
            return bool(one["soft"])
        case "words":
            return False
        case _:
            return bool(one["slowed"] or one["sinks"] or one["ruling"])


def _evidence(one: dict[str, Any]) -> tuple[str, str, str]:
    match one["kind"]:
        case "template":
            kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(one["barren"].items()))
            effect = {0: "blocked", 1: "fetched"}.get(one["one_in"], f"one in {one['one_in']} fetched")
            effect += " by an operator" if one["ruling"] else f", {one['refused']:,} not" if one["refused"] else ""
            examples = one["bad"] or one["good"]
            return effect, f"{one['fresh']:,} new of {one['fetched']:,}" + (f": {kinds}" if kinds else ""), _last(examples)
        case "words":
            words = ", ".join(sorted(one["counts"]))
            return "names" if one["is_full"] else "words", words, "-"
        case "probe":
            effect = f"{one['found']:,} soft 404s" if one["soft"] else "none"
            answer = f"answers {one['status']}" + (f" to {one['location']}" if one["location"] else "")
            return effect, f"{answer} for {one['url']}" if one["url"] else "not probed yet", _last(one["examples"])
        case _:
            evidence = output.told(one) or f"{one['found']:,} URLs from {one['fetched']:,} pages"
            evidence += f", {one['own']:,} found on itself, {one['outside']:,} links with other hosts" if one["sinks"] else ""
            effect = f"slowed {one['slowed']} times" + (f", sinks: others first {one['held']:,} times" if one["sinks"] else "")
            return "left alone by an operator" if one["ruling"] else effect, evidence, one["page"]


def _last(examples: list[str]) -> str:
    return examples[-1] if examples else "-"
