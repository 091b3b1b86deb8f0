"""Hosts: how each stands, what an operator decides about it, its queue, its robots.txt."""

from collections import Counter
from typing import Annotated, Any, Literal

import msgspec
from litestar import Request, Response, delete, get, post, put
from litestar.params import Parameter
from msgspec import UNSET

from gossamer.api.asking import Cursor, IfMatch, Limit, check_match, etag_of, host_named, listed, need, no_host
from gossamer.api.lessons import lesson_row
from gossamer.api.reach import CrawlReach
from gossamer.api.refusal import unknown
from gossamer.api.types import (
    DomainRow,
    Dropped,
    HostClockRow,
    HostDetail,
    ItemList,
    Policy,
    PolicyChange,
    Reasoned,
    RobotsAnswer,
    RobotsBrief,
)
from gossamer.jobs.shelves import OpenShelves
from gossamer.records.pagequery import PageQuery
from gossamer.watch.budget import KEPT

COUNTED = 10_000  # pages of a host that its numbers are made of
HOUR = 3_600.0
LESSONS = 50
Domain = Annotated[str, Parameter(description="The host's name.", max_length=300)]


@get("/domains", summary="The hosts of a crawl", opt={"scope": "read"})
async def hosts(
    request: Request[Any, Any, Any],
    reach: CrawlReach,
    order: Annotated[
        Literal["waiting", "name", "next"], Parameter(description="Most waiting URLs first, by name, or by their next turn.")
    ] = "waiting",
    standing: Annotated[
        Literal["ready", "paused", "blocked", "open", "idle"] | None, Parameter(query="state", description="Only those.")
    ] = None,
    prefix: Annotated[str, Parameter(description="Only names that begin so.", max_length=300)] = "",
    limit: Limit = 50,
    cursor: Cursor = "",
) -> Response[ItemList[DomainRow]]:
    """List hosts. A part may be short and yet have a next one."""
    answer = await reach.ask("hosts", order=order, state=standing or "", prefix=prefix.lower(), limit=limit, cursor=cursor)
    return listed(request, [host_row(one) for one in answer["items"]], answer["next"], answer["as_of"])


@get("/domains/{domain:str}", summary="A host", opt={"scope": "read"})
async def host(reach: CrawlReach, domain: Domain) -> HostDetail:
    """Return how a host stands, and what was had from it, counted over its first 10,000 pages."""
    name = host_named(domain)
    row = host_row(await _known(reach, name))
    nothing: list[list[Any]] = [[], [], [], []]
    outcomes, sizes, seconds, times = await reach.shelves.read(lambda shelves: _columns(shelves, name), nothing)
    learned = await reach.ask("lessons", name=name, in_force=True, limit=LESSONS)
    robots, pulse = await reach.ask("robots", host=name), await reach.pulse()
    answered = [one for one in seconds if one > 0]
    counts = Counter(str(one) for one in outcomes)
    return HostDetail(
        **msgspec.structs.asdict(row),
        counted=len(outcomes),
        is_whole=len(outcomes) < COUNTED,
        outcomes=dict(counts),
        pages=sum(counts[one] for one in KEPT),
        bytes=sum(sizes),
        mean_response_seconds=sum(answered) / len(answered) if answered else None,
        last_visit=max(times) if times else None,
        robots=_brief(robots),
        lessons=[lesson_row(one) for one in learned["items"]],
        as_of=pulse["at"],
    )


async def _columns(shelves: OpenShelves, name: str) -> list[list[Any]]:
    fields = ("outcome", "length", "response_seconds", "fetched_at")
    told: list[list[Any]] = [[], [], [], []]
    async for some in shelves.catalog.columns(fields, 1_000, PageQuery(host=name), COUNTED):
        for column, values in zip(told, some, strict=True):
            column += values
    return told


def _brief(robots: dict[str, Any] | None) -> RobotsBrief | None:
    if robots is None:
        return None
    return RobotsBrief(
        status=robots["status"],
        kind=robots["kind"],
        rules=len(robots["allow"]) + len(robots["disallow"]),
        crawl_delay=robots["crawl_delay"],
        sitemaps=len(robots["sitemaps"]),
        fetched_at=robots["fetched_at"],
    )


async def _known(reach: CrawlReach, name: str) -> dict[str, Any]:
    found: dict[str, Any] | None = await reach.ask("host", name=name)
    if found is None:
        raise no_host(name)
    return found


def host_row(known: dict[str, Any]) -> DomainRow:
    """Return a host as it is told."""
    policy, clock = known["policy"], known["clock"]
    return DomainRow(
        host=known["host"],
        state=known.get("state", ""),
        waiting=known["waiting"],
        leased=known["leased"],
        delay=known["delay"],
        max_connections=known["max_connections"],
        paused=policy["paused"],
        blocked=policy["blocked"],
        policy=_policy(policy),
        clock=msgspec.convert({**clock, "recent": clock["recent"].ljust(clock["recent_count"], "0")}, HostClockRow),
    )


def _policy(policy: dict[str, Any]) -> Policy:
    interval = policy["interval"]
    return Policy(
        max_qps=policy["max_qps"],
        crawl_depth=policy["crawl_depth"],
        priority=policy["priority"],
        recrawl_interval_hours=None if interval is None else interval / HOUR,
        user_agent=policy["user_agent"],
        max_connections=policy["max_connections"],
        insecure=policy["insecure"],
    )


# --- what an operator decides ----------------------------------------------------------------------------------------


@put("/domains/{domain:str}/block", status_code=204, summary="Block a host", opt={"scope": "operate"})
async def block_host(reach: CrawlReach, who: str, domain: Domain, data: Reasoned) -> None:
    """Never visit a host again, and refuse new URLs of it, until it is unblocked. Its queue stays."""
    await _decide(reach, who, host_named(domain), {"blocked": True}, data.reason)


@delete("/domains/{domain:str}/block", status_code=204, summary="Unblock a host", opt={"scope": "operate"})
async def unblock_host(reach: CrawlReach, who: str, domain: Domain) -> None:
    """Visit a host again, also one that wanted to be left alone for a while, or that was given up."""
    name = host_named(domain)
    await _known(reach, name)
    await _decide(reach, who, name, {"blocked": False})
    await reach.ask("unblock", who, name=name)


@post("/domains/{domain:str}/pause", status_code=204, summary="Pause a host", opt={"scope": "operate", "repeatable": True})
async def pause_host(reach: CrawlReach, who: str, domain: Domain) -> None:
    """Give a host no turn; it keeps its queue, and new URLs of it are taken."""
    await _decide(reach, who, host_named(domain), {"paused": True})


@post("/domains/{domain:str}/resume", status_code=204, summary="Resume a host", opt={"scope": "operate", "repeatable": True})
async def resume_host(reach: CrawlReach, who: str, domain: Domain) -> None:
    """Give a host its turns again."""
    name = host_named(domain)
    await _known(reach, name)
    await _decide(reach, who, name, {"paused": False})


async def _decide(reach: CrawlReach, who: str, name: str, changes: dict[str, Any], reason: str = "") -> dict[str, Any]:
    """Change a host's policy; the chronicle tells who did, and why they said they did."""
    teller = ": ".join(filter(None, (who, reason)))
    answer: dict[str, Any] | None = await reach.ask("set_policy", teller, name=name, changes=changes)
    return await _known(reach, name) if answer is None else answer


@get("/domains/{domain:str}/policy", summary="The policy of a host", opt={"scope": "read"})
async def policy(reach: CrawlReach, domain: Domain) -> Response[Policy]:
    """Return what an operator decided about a host; null is left to the crawl's configuration. The ETag is for a change."""
    return _tagged(_policy((await _known(reach, host_named(domain)))["policy"]))


@put("/domains/{domain:str}/policy", summary="Change the policy of a host", opt={"scope": "operate"})
async def change_policy(
    request: Request[Any, Any, Any],
    reach: CrawlReach,
    who: str,
    domain: Domain,
    data: PolicyChange,
    if_match: IfMatch = None,
) -> Response[Policy]:
    """Change what is given; `max_connections` and `insecure` need the scope admin. A host may be unknown yet."""
    return _tagged(await changed_policy(request, reach, who, domain, data, if_match))


async def changed_policy(
    request: Request[Any, Any, Any], reach: CrawlReach, who: str, domain: str, change: PolicyChange, if_match: str | None = None
) -> Policy:
    """Change a policy and return it as it is then."""
    name, changes = host_named(domain), {key: part for key, part in msgspec.structs.asdict(change).items() if part is not UNSET}
    if "max_connections" in changes or "insecure" in changes:
        need(request, "admin")
    if "recrawl_interval_hours" in changes:
        hours = changes.pop("recrawl_interval_hours")
        changes["interval"] = None if hours is None else hours * HOUR
    async with reach.changing:
        if if_match is not None:
            known = await reach.ask("host", name=name)
            check_match(if_match, etag_of(Policy() if known is None else _policy(known["policy"])))
        return _policy((await _decide(reach, who, name, changes))["policy"])


def _tagged(told: Policy) -> Response[Policy]:
    return Response(told, headers={"ETag": etag_of(told)})


@delete("/domains/{domain:str}/queue", status_code=200, summary="Drop a host's queue", opt={"scope": "operate"})
async def drop_queue(reach: CrawlReach, who: str, domain: Domain) -> Dropped:
    """Remove every waiting URL of a host."""
    name = host_named(domain)
    await _known(reach, name)
    return Dropped(await reach.ask("drop", who, name=name))


@get("/crawl/robots/{domain:str}", summary="The robots.txt of a host", opt={"scope": "read"})
async def robots(reach: CrawlReach, domain: Domain) -> RobotsAnswer:
    """Return a robots.txt as it was read, and the rules that count for us. From the cache: nobody is asked for it."""
    name = host_named(domain, port=True)
    answer = await reach.ask("robots", host=name)
    if answer is None:
        raise unknown(f"{name} was never asked for its robots.txt")
    return msgspec.convert(answer, RobotsAnswer)
