"""Further seeds for a crawl that has begun: durable when answered, and part of its scope like those it began with.

First they stand in `seeds.txt`, then in the scope, then in the frontier: whatever ends between, the next run finds them there,
because every run begins by entering all its seeds.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from gossamer.assemble import Stores
from gossamer.errors import UrlError, UsageError
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.operations.hosts import priority_of
from gossamer.jobs.seeds import read_seed
from gossamer.joints.slices import Slices
from gossamer.records.entry import Entry
from gossamer.records.outcome import State
from gossamer.records.rules import Rule
from gossamer.url.parse import Url, shown

AT_ONCE = 200  # entered between two turns of the loop
MOST = 10_000
REMOTE = ("http", "https", "ftp")  # what is fetched from somebody else; a file is our own disk
NO_URL = "url"  # the rule that refuses a text that is none


class _Seed(Struct, frozen=True):
    """A seed that may be entered."""

    index: int
    text: str
    url: Url
    entry: Entry


async def seed(stores: Stores, urls: list[str], priority: str = "", allow_files: bool = False) -> dict[str, Any]:
    """Add seeds; each that cannot be is named with its place, the rule and the reason. Files only if `allow_files`."""
    if len(urls) > MOST:
        raise UsageError(f"{MOST:,} URLs are seeded at once, not {len(urls):,}; ask several times")
    level = priority_of(priority) if priority else None
    slices, taken, refused = Slices(), dict[str, _Seed](), list[dict[str, Any]]()
    for index, text in enumerate(urls):
        try:
            url = _parsed(text)
        except UrlError as error:
            refused.append(_refusal(index, text, NO_URL, str(error)))
            continue
        if url.scheme not in REMOTE and not allow_files:
            words = f"{url.scheme} URLs are no seeds here; begin with one of {', '.join(REMOTE)}"
            refused.append(_refusal(index, text, Rule.SCOPE_SCHEMES, words))
            continue
        found = _Seed(index, text, url, stores.admission.seed(url.wire))
        verdict = found.entry.refused
        if verdict is not None and verdict.rule != Rule.SCOPE_SCHEMES:  # its own scheme belongs to the scope from now on
            refused.append(_refusal(index, text, verdict.rule, verdict.text))
        else:
            entry = replace(found.entry, refused=None, **({} if level is None else {"priority": level}))
            taken.setdefault(entry.key, replace(found, entry=entry))
        await slices.turn()
    seeds = list(taken.values())
    if seeds:
        await asyncio.to_thread(CrawlDirectory(stores.directory).add_seeds, [each.url for each in seeds])
    added = 0
    for start in range(0, len(seeds), AT_ONCE):
        some = seeds[start : start + AT_ONCE]
        stores.arrivals.widen([each.url.wire for each in some])
        new, turned_away = await _enter(stores, some)
        added += new
        refused += turned_away
        await asyncio.sleep(0)
    refused.sort(key=lambda each: int(each["index"]))
    return {"added": added, "known": len(urls) - added - len(refused), "refused": refused}


async def _enter(stores: Stores, seeds: Sequence[_Seed]) -> tuple[int, list[dict[str, Any]]]:
    """Enter some; return how many are new, and those that the frontier turned away."""
    found = await stores.frontier.discover([each.entry for each in seeds], stores.clock.now())
    if found.new == len(seeds):
        return found.new, []
    refused = []
    for each in seeds:
        known = await stores.frontier.lookup(each.entry.key)
        if known is not None and known.state is State.DEAD and known.reason is not None and known.settled_at is None:
            refused.append(_refusal(each.index, each.text, known.reason.rule, known.reason.text))
    return found.new, refused


async def seeds_before(stores: Stores, urls: list[str], priority: str = "", allow_files: bool = False) -> dict[str, int]:
    """Return what further seeds change."""
    seeds = await asyncio.to_thread(CrawlDirectory(stores.directory).seeds)
    return {"seeds": len(seeds), "waiting": (await stores.frontier.statistics()).waiting}


def _parsed(text: str) -> Url:
    if not isinstance(text, str):
        raise UrlError(f"{text!r} is no text, so it is no URL")
    found = read_seed(text.strip())
    if found.logins:
        raise UrlError(f"{shown(text)} has a password in it; write a rule of requests for that host instead")
    return found.urls[0]


def _refusal(index: int, text: str, rule: str, reason: str) -> dict[str, Any]:
    return {"index": index, "url": text, "rule": str(rule), "reason": reason}
