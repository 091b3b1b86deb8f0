"""What was learned about hosts: traps and rules with their evidence, and an operator's word above it."""

from typing import Annotated, Any, Literal
from urllib.parse import unquote

from litestar import Request, Response, get, put
from litestar.params import Parameter

from gossamer.api.asking import Cursor, Limit, host_named, listed
from gossamer.api.reach import CrawlReach
from gossamer.api.refusal import unknown
from gossamer.api.types import ItemList, LessonRow, RulingChange

Kind = Literal["template", "parameter", "probe", "growth", "words", "view", "habit"]


@get("/lessons", summary="What was learned", opt={"scope": "read"})
async def lessons(
    request: Request[Any, Any, Any],
    reach: CrawlReach,
    host: Annotated[str, Parameter(description="Only of this host.", max_length=300)] = "",
    kind: Annotated[Kind | None, Parameter(description="Only of this kind.")] = None,
    in_force: Annotated[bool, Parameter(description="Only what changes what becomes of URLs.")] = False,
    limit: Limit = 50,
    cursor: Cursor = "",
) -> Response[ItemList[LessonRow]]:
    """List what was learned of hosts, by host. A part may be short, even empty, and yet have a next one."""
    name = host_named(host, where="query.host") if host else ""
    kinds = [] if kind is None else [kind]
    answer = await reach.ask("lessons", name=name, kinds=kinds, in_force=in_force, limit=limit, cursor=cursor)
    return listed(request, [lesson_row(one) for one in answer["items"]], answer["next"])


def lesson_row(learned: dict[str, Any]) -> LessonRow:
    """Return a lesson as it is told."""
    facts = {name: part for name, part in learned.items() if name not in ("host", "kind", "name", "ruling")}
    ruling = (learned["ruling"] or "none") if "ruling" in learned else ""
    return LessonRow(host=learned["host"], kind=learned["kind"], name=learned["name"], ruling=ruling, facts=facts)


@put("/lessons/{host:str}/{kind:str}", status_code=204, summary="Overrule a lesson of a whole host", opt={"scope": "operate"})
async def overrule_whole(reach: CrawlReach, who: str, host: str, kind: Kind, data: RulingChange) -> None:
    """Put a word above the evidence of a lesson whose name is empty, as that of a host's growth is."""
    await _overrule(reach, who, host, kind, "", data)


@put("/lessons/{host:str}/{kind:str}/{name:path}", status_code=204, summary="Overrule a lesson", opt={"scope": "operate"})
async def overrule(
    request: Request[Any, Any, Any], reach: CrawlReach, who: str, host: str, kind: Kind, name: str, data: RulingChange
) -> None:
    """Put a word above the evidence: allow, block, or none. The name is that of the list, percent-encoded, slashes too."""
    await _overrule(reach, who, host, kind, _exact(request), data)


async def _overrule(reach: CrawlReach, who: str, host: str, kind: str, name: str, change: RulingChange) -> None:
    known = host_named(host, where="path.host")
    if not await reach.ask("rule", who, host=known, kind=kind, name=name, ruling=_word(change.ruling)):
        raise unknown(f"nothing of that name was learned about {known}")


def _word(ruling: str) -> str:
    return "" if ruling == "none" else ruling


def _exact(request: Request[Any, Any, Any]) -> str:
    """Return the last part of the path as it was sent: the framework's own has lost its slashes at the end."""
    raw = request.scope["raw_path"].decode("ascii", "replace")
    return unquote(raw.partition("/lessons/")[2].split("/", 2)[-1])
