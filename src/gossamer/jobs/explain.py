"""Explain a URL: found where, each rule's verdict, its queue, its next time, duplicate of what, how it ended.

The answer is the same for a running, a stopped and a finished crawl, and for a URL that was never found: then it says what
would happen to it.
"""

from typing import Any

from msgspec import Struct

from gossamer.assemble import Stores
from gossamer.errors import StoreError
from gossamer.filters.verdict import first_refusal
from gossamer.jobs.plain import plain, reason_parts
from gossamer.jobs.remedy import remedies
from gossamer.policy.priority import parts
from gossamer.policy.standing import state_of
from gossamer.records.candidate import Candidate
from gossamer.records.consultation import Consultation
from gossamer.records.entry import LinkKind, Priority, Verdict
from gossamer.records.host import HostStatus
from gossamer.records.lease import KnownUrl
from gossamer.records.outcome import Outcome, State
from gossamer.records.page import Page
from gossamer.records.reason import told
from gossamer.records.rules import Rule
from gossamer.records.standing import NOT_FOR_US
from gossamer.url.parse import Url, parse
from gossamer.url.spelling import spelled
from gossamer.visit.settle import redirect_of

MOST_HOPS = 10  # that are followed to say where a URL led
MOST_COPIES = 20  # that are told


class Ending(Struct, frozen=True, kw_only=True):
    """Why a URL brought no page, in short."""

    url: str
    led_to: str  # by redirects; an empty text: nowhere else
    state: str
    outcome: str | None
    reason: str  # as people are told it


async def explain(stores: Stores, url: str) -> dict[str, Any]:
    """Return all there is to know about one URL."""
    parsed = parse(url)
    own = stores.admission.key(parsed)
    key, known = await _lookup(stores, own, parsed.wire)
    page = await stores.catalog.get(key)
    candidate = _candidate(stores, parsed, known)
    verdicts = [
        *stores.admission.trace(candidate),
        *await stores.lessons.verdicts(parsed, key, known.entry.via if known else ""),
    ]
    robots = await stores.robots.peek(parsed.wire, stores.user_agent, stores.clock.now())
    host = await stores.frontier.host(parsed.host)
    facts = {
        "url": url,
        "wire": parsed.wire,
        "key": key,
        "requested": _requested(page),
        "host": parsed.host,
        "state": known.state if known else "unknown",
        "not_for_us": _is_not_for_us(known),
        **_end(known, page, verdicts, robots, (await stores.catalog.totals()).links_cut[0] if known is None else 0),
        **_merged(own, key, parsed, known, verdicts),
        "found": _found(known),
        "verdicts": [
            {"rule": one.rule, "allowed": one.allowed, "reason": one.text, "facts": one.reason.facts} for one in verdicts
        ],
        "robots": {"verdict": robots.verdict, **reason_parts(robots.reason)},
        "queue": _queue(stores, known),
        "waits_for": _waits_for(known, verdicts),
        "host_status": _host_status(stores, host),
        "page": plain(page) if page else None,
        "duplicate_of": page.duplicate_of if page else "",
        "copies": await stores.catalog.copies(page.url, MOST_COPIES) if page else [],
        "evidence": plain(await stores.lessons.evidence(parsed)),
    }
    return {**facts, "help": plain(remedies(facts, stores.settings, stores.directory))}


def _host_status(stores: Stores, host: HostStatus | None) -> dict[str, Any] | None:
    if host is None:
        return None
    return {**plain(host), "state": state_of(host.policy, host.clock, host.waiting, stores.clock.now()).value}


async def ending(stores: Stores, url: str) -> Ending:
    """Say how a URL ended; of one that redirects, how the URL it led to did."""
    facts, led_to = await explain(stores, url), ""
    for _ in range(MOST_HOPS):
        target = await _redirect(stores, facts["key"]) if facts["outcome"] == Outcome.REDIRECTED else ""
        if not target:
            break
        facts, led_to = await explain(stores, target), target
    state, outcome = str(facts["state"]), facts["outcome"]
    reason = facts["reason"] if state == "unknown" else told(facts["rule"], facts["reason"])
    return Ending(url=url, led_to=led_to, state=state, outcome=outcome and str(outcome), reason=reason)


async def _redirect(stores: Stores, key: str) -> str:
    """Return where a page that is kept redirects to."""
    page = await stores.catalog.get(key)
    if page is None or page.place is None:
        return ""
    try:
        fetched = await stores.archive.read(page.place)
    except StoreError:
        return ""  # `verify` says so
    fetched.body.close()
    return redirect_of(fetched)


def is_replaced(page: Page) -> bool:
    """Tell whether a page counted when it was visited, and does not since another, the canonical one of the two, was."""
    return page.reason is not None and page.reason.rule == Rule.DEDUPE_CANONICAL


async def keys_of(stores: Stores, url: str) -> list[str]:
    """Return the keys that a URL may be known by: as it is spelled, its usual one, those by the rules learned for its host."""
    parsed = parse(url)
    return [spelled(parsed.wire), *await stores.lessons.keys(stores.admission.key(parsed), parsed.wire)]


async def pages_of(stores: Stores, url: str) -> list[Page]:
    """Return what the catalog has under the keys of a URL."""
    found = [await stores.catalog.get(key) for key in await keys_of(stores, url)]
    return [page for page in found if page is not None]


async def _lookup(stores: Stores, own: str, url: str) -> tuple[str, KnownUrl | None]:
    """Find a URL in the frontier, by its own key or one by the rules learned for its host."""
    for key in await keys_of(stores, url):
        known = await stores.frontier.lookup(key)
        if known is not None:
            return key, known
    return own, None


def _requested(page: Page | None) -> str:
    """Return the URL that was requested for this key, an empty text when none was yet."""
    return page.url if page is not None and page.status else ""


def _merged(own: str, key: str, url: Url, known: KnownUrl | None, verdicts: list[Verdict]) -> dict[str, Any]:
    """Say that a URL was taken for another one, of the same key or by parameters that make no difference."""
    if known is None or known.entry.url == url.wire:
        return {}
    if own == key:
        ended = f"; {known.reason.text}" if known.reason is not None else ""
        return {"reason": f"taken for {known.entry.url}, whose key it has; only that is asked for{ended}"}
    learned = "; ".join(verdict.text for verdict in verdicts if verdict.rule == Rule.TRAPS_PARAMETER)
    reason = (
        f"the same page as {known.entry.url}, which ended so; the key is {key}: {learned or 'it was learned, but is no more'}"
    )
    return {"rule": Rule.TRAPS_PARAMETER.value, "reason": reason, "facts": {"same_as": known.entry.url}}


def _candidate(stores: Stores, url: Url, known: KnownUrl | None) -> Candidate:
    if known is not None:
        return stores.admission.candidate(known.entry)
    return Candidate(url=url, depth=1, kind=LinkKind.ANCHOR)


def _end(known: KnownUrl | None, page: Page | None, verdicts: list[Verdict], robots: Consultation, cut: int) -> dict[str, Any]:
    """Return outcome, the rule that decided it, and the reason in words; `cut`: links that the crawl does not know."""
    if known is None:
        refusal = first_refusal(verdicts)
        if refusal is not None:
            would = f"{refusal.rule} would refuse it: {refusal.text}"
            return {"outcome": None, **reason_parts(refusal.reason), "reason": would}
        if robots.verdict == "denied":
            line = robots.reason.text if robots.reason is not None else ""
            return {"outcome": None, **reason_parts(robots.reason), "reason": f"robots.txt would refuse it: {line}"}
        may_be = f"; it may be one of {cut:,} links that were cut (documents.max_links)" if cut else ""
        return {"outcome": None, **reason_parts(None), "reason": f"it would be fetched{may_be}"}
    if page is not None and is_replaced(page):  # after its visit was settled
        return {"outcome": page.outcome, **reason_parts(page.reason)}
    return {"outcome": known.outcome, **reason_parts(known.reason)}


def _waits_for(known: KnownUrl | None, verdicts: list[Verdict]) -> str:
    """Say why a URL waits behind all others, if it does."""
    if known is None or known.state is not State.WAITING or known.priority is not Priority.LAST:
        return ""
    learned = [verdict.text for verdict in verdicts if verdict.rule == Rule.TRAPS_VIEW_EVIDENCE]
    return f"waits in the last class: {learned[0] if learned else 'by its name or what its link says it is no page'}"


def _is_not_for_us(known: KnownUrl | None) -> bool:
    """Tell whether a URL is dead because a rule says so; else, if it is dead, it was tried and failed."""
    return known is not None and known.state is State.DEAD and (known.entry.refused is not None or known.outcome in NOT_FOR_US)


def _found(known: KnownUrl | None) -> dict[str, Any] | None:
    if known is None:
        return None
    entry = known.entry
    return {"via": entry.via, "kind": entry.kind, "depth": entry.depth, "redirects": entry.redirects, "at": known.discovered_at}


def _queue(stores: Stores, known: KnownUrl | None) -> dict[str, Any] | None:
    if known is None:
        return None
    return {
        "priority": known.priority.name.lower(),
        "score": known.entry.score if known.score is None else known.score,
        "parts": _parts(stores, known),
        "rank": stores.ranks.of(known.entry.key) or None,
        "credit": known.credit,
        "attempts": known.attempts,
        "returns": known.returns,
        "due": known.due,
        "leased_by": known.leased_by,
        "leased_until": known.leased_until,
        "settled_at": known.settled_at,
    }


def _parts(stores: Stores, known: KnownUrl) -> dict[str, float] | None:
    """Say what the score of a waiting URL is made of, where it is ours."""
    settings = stores.settings
    if known.score is None or settings.crawl.order != "priority" or stores.admission.is_scored_by_plugin:
        return None
    return parts(known.entry, known.score, known.again, settings.score)
