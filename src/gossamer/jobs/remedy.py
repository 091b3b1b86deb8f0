"""What would change how a URL ended, as a command that a person can type. Pure: what `explain` knows in, commands out.

A URL that was refused when its link was found is judged again when the link is found again: that takes a new crawl from the
same seeds. One that was turned away or failed later is tried again by `resume --retry-failed` of the same crawl.
"""

import shlex
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct

from gossamer.config.sections import Settings
from gossamer.filters.scope import FETCHABLE
from gossamer.records.outcome import Outcome
from gossamer.records.rules import Rule
from gossamer.url.host import registrable_domain

LOOPBACK = "127.0.0.0/8"
TWICE = ("traps.max_segments", "traps.max_repeats", "traps.max_length", "frontier.max_waiting", "fetch.max_redirects")
OFF = {"robots.meta": "false", "traps.soft_404": "false", "dedupe.near": "off"}


class Remedy(Struct, frozen=True):
    """A setting that would help, and how to write it."""

    what: str
    command: str


def remedies(facts: dict[str, Any], settings: Settings, directory: Path) -> list[Remedy]:
    """Return what would help, the simplest first; nothing, where nothing would."""
    commands = _Commands(directory, facts)
    match facts["state"]:
        case "done":
            return [Remedy("look at it", commands.of("show", facts["wire"]))]
        case "waiting":
            return [_for_waiting(facts, commands)]
        case "dead" if facts["page"] is not None:
            return list(_for_ended(facts, settings, commands))
        case "dead" | "unknown":
            return list(_for_refused(facts, settings, commands))
        case _:
            return []


class _Commands:
    def __init__(self, directory: Path, facts: dict[str, Any]) -> None:
        self._directory = directory
        self.host = facts["host"]

    def of(self, command: str, *words: str) -> str:
        return shlex.join(["gossamer", command, str(self._directory), *words])

    def again(self, *words: str) -> str:
        """Return how URLs that ended without a page are tried again."""
        return self.of("resume", "--retry-failed", *words)

    def anew(self, *words: str) -> str:
        """Return how the same crawl is begun once more, with other settings."""
        papers = ["--seeds", str(self._directory / "seeds.txt"), "--config", str(self._directory / "gossamer.toml")]
        return shlex.join(["gossamer", "crawl", *papers, "--dir", f"{self._directory}.again", *words])


def _for_waiting(facts: dict[str, Any], commands: _Commands) -> Remedy:
    host = facts["host_status"]
    if host is not None and host["policy"]["paused"]:
        return Remedy("let its host have turns again", commands.of("host", commands.host, "--resume"))
    if host is not None and (host["policy"]["blocked"] or host["clock"]["block_rule"]):
        return Remedy("do not wait for its host any longer", commands.of("host", commands.host, "--unblock"))
    return Remedy("its turn comes; if the crawl does not run, go on with it", commands.of("resume"))


def _for_ended(facts: dict[str, Any], settings: Settings, commands: _Commands) -> Iterator[Remedy]:
    """Say what helps a URL that was leased, and turned away or failed then."""
    rule, outcome, evidence = facts["rule"], facts["outcome"], facts["evidence"]
    if rule == Rule.TRAPS_TEMPLATE:
        allow = commands.of("traps", "--host", commands.host, "--allow", evidence["decided_by"])
        yield Remedy("fetch all URLs of its template", allow)
    elif rule == Rule.TRAPS_PARAMETER and evidence["cosmetic"]:
        keep = commands.of("rules", "--host", commands.host, "--keep", evidence["cosmetic"][0])
        yield Remedy("let the parameter make a difference", keep)
    elif rule == Rule.POLICY_CRAWL_DEPTH:
        deeper = commands.of("host", commands.host, "--crawl-depth", str(facts["found"]["depth"]))
        yield Remedy("allow its host more hops", deeper)
    if outcome == Outcome.ROBOTS_DENIED and facts["robots"]["verdict"] == "denied" and "line" in facts["facts"]:
        yield Remedy("only if the site is yours, do not ask its robots.txt", commands.again("--set", "robots.obey=false"))
    elif outcome == Outcome.ADDRESS_REFUSED:
        yield Remedy("allow addresses that are not public", commands.again("--allow-private", _range_of(facts)))
    elif outcome == Outcome.TLS_FAILED:
        yield Remedy("accept any certificate of its host", commands.of("host", commands.host, "--insecure"))
        yield Remedy("then try again", commands.again())
    elif outcome == Outcome.TOO_BIG:
        more = f"fetch.max_decoded={10 * settings.fetch.max_decoded}"
        yield Remedy("take more of it", commands.again("--set", more))
    else:
        yield Remedy("try again", commands.again())


def _for_refused(facts: dict[str, Any], settings: Settings, commands: _Commands) -> Iterator[Remedy]:
    """Say what helps a URL that was refused where it was found, or was never found."""
    rule = facts["rule"]
    if rule == Rule.POLICY_BLOCKED:
        yield Remedy("let its host be visited", commands.of("host", commands.host, "--unblock"))
    elif rule == Rule.TRAPS_TEMPLATE:
        allow = commands.of("traps", "--host", commands.host, "--allow", facts["evidence"]["decided_by"])
        yield Remedy("fetch all URLs of its template that are found from now on", allow)
    elif rule in (Rule.ROBOTS_TXT, Rule.ROBOTS_UNREACHABLE):
        yield Remedy("only if the site is yours, do not ask its robots.txt", _seeded(facts, "--set", "robots.obey=false"))
    elif rule:
        for what, option, value in _other_settings(facts, settings):
            yield Remedy(f"begin again {what}", commands.anew(option, value))
    elif facts["state"] == "unknown":
        yield Remedy("no page that was read links to it; begin there", _seeded(facts))


def _other_settings(facts: dict[str, Any], settings: Settings) -> Iterator[tuple[str, str, str]]:
    """Give the option with which a rule would not have refused a URL, in words, by name and with its value."""
    rule, found, scheme = facts["rule"], facts["found"] or {"depth": 0, "kind": "anchor"}, facts["wire"].partition(":")[0]
    section, _, name = rule.partition(".")
    if rule == "scope.within":
        yield "with a wider scope", "--scope", _wider(facts, settings)
    elif rule == "scope.max_depth":
        yield "and go deeper", "--max-depth", str(max(found["depth"], settings.scope.max_depth + 1))
    elif rule == "documents.follow":
        yield "and follow links of that kind", "--set", f"{rule}={','.join((*settings.documents.follow, found['kind']))}"
    elif rule == "scope.schemes" and scheme in FETCHABLE:
        yield f"and follow {scheme} links", "--set", f"{rule}={','.join((*settings.scope.schemes, scheme))}"
    elif rule in TWICE:
        limit = max(2 * getattr(getattr(settings, section), name), len(facts["wire"]) if name == "max_length" else 0)
        yield f"with a higher {rule}", "--set", f"{rule}={limit}"
    elif rule in OFF:
        yield f"without {rule}", "--set", f"{rule}={OFF[rule]}"
    elif section == "scope" and rule != "scope.schemes":
        yield f"without {rule}", "--set", f"{rule}="


def _seeded(facts: dict[str, Any], *words: str) -> str:
    return shlex.join(["gossamer", "crawl", facts["wire"], *words])


def _wider(facts: dict[str, Any], settings: Settings) -> str:
    """Return the narrowest scope that the URL is in, as far as the page tells that it was found on."""
    via = urlsplit(facts["found"]["via"]).hostname or "" if facts["found"] else ""
    if settings.scope.within == "prefix" and via == facts["host"]:
        return "host"
    is_near = via and registrable_domain(via) == registrable_domain(facts["host"])
    return "domain" if is_near and settings.scope.within != "domain" else "any"


def _range_of(facts: dict[str, Any]) -> str:
    """Return the addresses that have to be allowed: the host's own, or the one that its name led to."""
    for text in (facts["host"].strip("[]"), facts["facts"].get("address", "")):
        try:
            address = ip_address(text)
        except ValueError:
            continue
        return LOOPBACK if address.version == 4 and address.is_loopback else str(address)
    return LOOPBACK
