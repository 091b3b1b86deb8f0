"""The list of all attacks, by family, and the truth about them for the manifest."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache

from gossamer.simweb.attacks import (
    bombs,
    chunks,
    endless,
    garbage,
    headers,
    lies,
    markup,
    maze,
    names,
    quadratic,
    quirks,
    redirects,
    robots,
    shown,
    sitemaps,
    slow,
    unasked,
)
from gossamer.simweb.attacks.attack import Attack, Ports, origin, urls
from gossamer.simweb.manifest import TIMES_TRIED, ManifestEntry

FAMILIES: dict[str, Callable[[], list[Attack]]] = {
    "slow": slow.attacks,
    "endless": endless.attacks,
    "bombs": bombs.attacks,
    "headers": headers.attacks,
    "lies": lies.attacks,
    "chunks": chunks.attacks,
    "garbage": garbage.attacks,
    "redirects": redirects.attacks,
    "markup": markup.attacks,
    "quadratic": quadratic.attacks,
    "sitemaps": sitemaps.attacks,
    "robots": robots.attacks,
    "names": names.attacks,
    "maze": maze.attacks,
    "quirks": quirks.attacks,
    "unasked": unasked.attacks,
    "shown": shown.attacks,
}
APART: dict[str, Callable[[], list[Attack]]] = {  # not among `all`
    "boundless": maze.boundless,  # they need a budget
    "tls": unasked.over_tls,  # they need a certificate
}
_PASSING = frozenset(("timed_out", "connect_failed", "protocol_error"))


def choose(wanted: str) -> list[Attack]:
    """Make the attacks of a list of families and single attacks, separated by commas, or of `all` families."""
    words = list(FAMILIES) if wanted == "all" else [word for word in wanted.split(",") if word]
    chosen: dict[str, Attack] = {}
    for word in words:
        found = _named(word)
        if not found:
            raise ValueError(f"no attack and no family is called {word!r}; there are {', '.join((*FAMILIES, *APART))}")
        chosen |= {attack.name: attack for attack in found}
    return list(chosen.values())


def _named(word: str) -> list[Attack]:
    families = FAMILIES | APART
    if word in families:
        return _family(word)
    return [attack for family in families for attack in _family(family) if attack.name == word]


@cache
def _family(name: str) -> list[Attack]:
    """Make a family once: some of its answers are large."""
    return (FAMILIES | APART)[name]()


def seeds(attacks: Iterable[Attack], ports: Ports) -> list[str]:
    """Return where a crawl of them begins."""
    return [f"{origin(attack, ports)}/" for attack in attacks]


def entries(attacks: Iterable[Attack], ports: Ports) -> Iterator[ManifestEntry]:
    """Say how every URL of the attacks ends."""
    for attack in attacks:
        for url, end in urls(attack, ports):
            fetch = end.asked and (bool(end.status) or end.outcome in _PASSING)
            passing = end.outcome in _PASSING or attack.speaks_unasked
            yield ManifestEntry(
                url=url,
                host=attack.host,
                fetch=fetch,
                outcome=end.outcome,
                rule=end.rule,
                status=end.status,
                requests_max=(TIMES_TRIED if passing else 1) if fetch else 0,
                found_by="seed" if end is attack.ends[0] else f"{origin(attack, ports)}/",
                attack=attack.name,
                truncated=end.truncated,
                outcomes=end.outcomes,
            )
