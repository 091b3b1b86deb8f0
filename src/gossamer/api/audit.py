"""The chronicle, for people who ask what was done: its lines, oldest first, and the hash that stands for all of them."""

from typing import Annotated, Any, Literal

from litestar import Request, Response, get
from litestar.params import Parameter

from gossamer.api.asking import Cursor, Limit, host_named, listed
from gossamer.api.reach import CrawlReach
from gossamer.api.refusal import RequestRefused, unknown
from gossamer.api.types import AuditEvent, AuditHead, ItemList
from gossamer.jobs.operations.cursors import cursor_of, place_in
from gossamer.jobs.shelves import OpenShelves
from gossamer.joints.chronicle import Chronicle
from gossamer.records.event import Event
from gossamer.records.line import ChainHead

AT_ONCE = 1_000
LOOKED_AT = 20_000  # events for one part: then it is short


@get("/audit", summary="What was done", opt={"scope": "read"})
async def audit(
    request: Request[Any, Any, Any],
    reach: CrawlReach,
    kind: Annotated[
        Literal["visit", "word", "begun", "ended", "gap"] | None,
        Parameter(description="Only visits, operators' words, or beginnings and ends of runs."),
    ] = None,
    host: Annotated[str, Parameter(description="Only about this host.", max_length=300)] = "",
    outcome: Annotated[str, Parameter(description="Only visits that ended so.", max_length=40)] = "",
    since: Annotated[float | None, Parameter(description="Only then or later.")] = None,
    until: Annotated[float | None, Parameter(description="Only before.")] = None,
    limit: Limit = 50,
    cursor: Cursor = "",
) -> Response[ItemList[AuditEvent]]:
    """List what the chronicle tells, oldest first. A part may be short, even empty, and yet have a next one."""
    name = host_named(host, where="query.host") if host else ""
    question = ("audit", kind, name, outcome, since, until)
    place = place_in(cursor, question, str)

    def fits(event: Event) -> bool:
        if (kind is not None and event.kind != kind) or (name and event.host != name):
            return False
        if (since is not None and event.at < since) or (until is not None and event.at >= until):
            return False
        return not outcome or event.said.get("outcome") == outcome

    async def read(shelves: OpenShelves) -> tuple[list[Event], str]:
        return await _read(_told(shelves), place[0] if place else "", fits, limit)

    nothing: tuple[list[Event], str] = ([], "")
    events, last = await reach.shelves.read(read, nothing)
    rows = [AuditEvent(id=one.id, kind=one.kind, at=one.at, host=one.host, said=one.said) for one in events]
    return listed(request, rows, cursor_of(question, last) if last else None)


async def _read(chronicle: Chronicle, after: str, fits: Any, limit: int) -> tuple[list[Event], str]:
    """Return events that fit, and the id behind which there may be more; empty: there are none."""
    found: list[Event] = []
    looked_at = 0
    while looked_at < LOOKED_AT:
        some = await chronicle.after(after, AT_ONCE)
        for event in some:
            after = event.id
            if fits(event):
                found.append(event)
                if len(found) == limit:
                    return found, after
        if len(some) < AT_ONCE:
            return found, ""
        looked_at += len(some)
    return found, after


@get("/audit/head", summary="The hash of all that was done", opt={"scope": "read"})
async def audit_head(reach: CrawlReach) -> AuditHead:
    """Return the last block of the chronicle: kept elsewhere, it proves later that nothing before it was changed."""

    async def read(shelves: OpenShelves) -> ChainHead | None:
        return await _told(shelves).chain_head()

    head = await reach.shelves.read(read, None)
    if head is None:
        raise unknown(f"the chronicle of {reach.job} is empty")
    return AuditHead(node=head.node, block=head.block, hash=head.hash, at=head.at)


def _told(shelves: OpenShelves) -> Chronicle:
    if shelves.chronicle is None:
        raise RequestRefused(404, "no-chronicle", "this crawl keeps no chronicle: chronicle.level is off")
    return shelves.chronicle
