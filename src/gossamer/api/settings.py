"""The settings of a crawl, and its lists of patterns: looked at, and changed as far as a door may."""

from typing import Annotated, Any, Literal

from litestar import Request, Response, get, put
from litestar.datastructures import State
from litestar.params import Parameter

from gossamer.api.asking import IfMatch, check_match, etag_of, need
from gossamer.api.let import check_settings
from gossamer.api.reach import CrawlReach
from gossamer.api.refusal import all_unfit
from gossamer.api.types import FieldProblem, JobSettings, PatternChanges, PatternList, SettingChanges
from gossamer.config.unsafe import LONGEST_PATTERN, for_admins, unsafe

ListKind = Annotated[Literal["allow", "block"], Parameter(description="Which list.")]


@get("/jobs/{job:str}/settings", summary="The settings of a crawl", opt={"scope": "read"})
async def settings(reach: CrawlReach, state: State) -> Response[JobSettings]:
    """Return the settings of a crawl by dotted names, and which of them can be changed now."""
    return _tagged(await _settings(reach, state))


@put("/jobs/{job:str}/settings", summary="Change settings of a crawl", opt={"scope": "operate"})
async def change_settings(
    request: Request[Any, Any, Any],
    reach: CrawlReach,
    who: str,
    state: State,
    data: SettingChanges,
    if_match: IfMatch = None,
) -> Response[JobSettings]:
    """Change settings; in a crawl that runs they count from now on. What loosens safety is refused (403 `setting`).

    One that cannot be changed once a crawl has begun, or while it runs, is refused by name (409).
    """
    refuse_unsafe(request, state, data.settings)
    async with reach.changing:
        if if_match is not None:
            check_match(if_match, etag_of((await _settings(reach, state)).settings))
        await reach.ask("change_settings", who, changes=data.settings)
        return _tagged(await _settings(reach, state))


def refuse_unsafe(request: Request[Any, Any, Any], state: State, given: dict[str, Any]) -> None:
    """Refuse settings that whoever asks may not set."""
    check_settings(given, state.let)
    if patterns := for_admins(given):
        need(request, "admin")
        long = [name for name in patterns if any(len(str(one)) > LONGEST_PATTERN for one in _several(given[name]))]
        if long:
            what = f"a pattern has at most {LONGEST_PATTERN} characters"
            raise all_unfit([FieldProblem(f"body.settings.{name}", what) for name in long])


def _several(given: Any) -> list[Any]:
    return given if isinstance(given, list) else [given]


async def _settings(reach: CrawlReach, state: State) -> JobSettings:
    answer = await reach.ask("settings")
    refused = unsafe(answer["settings"], state.let)
    return JobSettings(
        settings=answer["settings"],
        this_run=answer["this_run"],
        changeable=[name for name in answer["changeable"] if name not in refused],
        refused=refused,
    )


def _tagged(told: JobSettings) -> Response[JobSettings]:
    return Response(told, headers={"ETag": etag_of(told.settings)})


@get("/jobs/{job:str}/lists/{kind:str}", summary="A list of patterns", opt={"scope": "read"})
async def pattern_list(reach: CrawlReach, kind: ListKind) -> Response[PatternList]:
    """Return the patterns of URLs that a crawl was told to allow or to block."""
    return _listed(await _patterns(reach, kind))


@put("/jobs/{job:str}/lists/{kind:str}", summary="Change a list of patterns", opt={"scope": "admin"})
async def change_list(
    reach: CrawlReach, who: str, kind: ListKind, data: PatternChanges, if_match: IfMatch = None
) -> Response[PatternList]:
    """Give a list these patterns and no others; they count within a second, for what is found from then on."""
    async with reach.changing:
        before = await _patterns(reach, kind)
        check_match(if_match, etag_of(before))
        add = [one for one in dict.fromkeys(data.patterns) if one not in before.patterns]
        remove = [one for one in before.patterns if one not in data.patterns]
        if add or remove:
            await reach.ask("change_list", who, kind=kind, add=add, remove=remove)
        return _listed(await _patterns(reach, kind))


async def _patterns(reach: CrawlReach, kind: Any) -> PatternList:
    answer = await reach.ask("lists", kind=kind)
    return PatternList(kind=kind, patterns=answer["patterns"], file=answer["file"])


def _listed(told: PatternList) -> Response[PatternList]:
    return Response(told, headers={"ETag": etag_of(told)})
