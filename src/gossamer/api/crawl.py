"""Submit a crawl, see what would become of one, ask how one stands."""

import asyncio
import time
from typing import Annotated, Any

import msgspec
from litestar import Request, Response, get, post
from litestar.datastructures import State
from litestar.params import Parameter

from gossamer.api.asking import who_of
from gossamer.api.home import Home
from gossamer.api.jobs import CHANGE, JobName, path_of, standing_of
from gossamer.api.refusal import RequestRefused, all_unfit, unfit
from gossamer.api.settings import refuse_unsafe
from gossamer.api.types import CrawlPlan, CrawlStatus, FieldProblem, PlannedCrawl, RefusedSeed, SettingRow, Submit, Submitted
from gossamer.config.load import describe, load
from gossamer.config.unsafe import unsafe
from gossamer.errors import ConfigError, NameTaken, PluginError, UsageError
from gossamer.jobs.job import JobWish, read_wish
from gossamer.jobs.planning import planned
from gossamer.jobs.submit import BadSeed, checked_name, name_of, read_urls, submit
from gossamer.jobs.supervise import Supervisor
from gossamer.url.parse import Url

MOST = 10_000  # seeds
PLANNED = 5  # seeds that are asked for, to see what would become of their links
Key = Annotated[str, Parameter(header="Idempotency-Key", max_length=255)]


@post("/crawl/submit", summary="Begin a crawl", opt=CHANGE | {"urls": True}, status_code=202)
async def submit_crawl(request: Request[Any, Any, Any], state: State, data: Submit, key: Key = "") -> Response[Submitted]:
    """Make a crawl and queue it; it is there for good when this is answered. Seeds that are no URLs are named."""
    home: Home = state.home
    if home.is_one:
        raise RequestRefused(409, "one-crawl", "this server shows one crawl; serve a directory of crawls to submit others")
    refuse_unsafe(request, state, data.settings)
    seeds, bad = await asyncio.to_thread(_seeds, data.urls)
    if key and (before := await asyncio.to_thread(_submitted_before, home, key, data.name)) is not None:
        return _answer(before, "queued", bad, {"Idempotency-Replayed": "true"})
    wish = JobWish(
        wanted="running" if data.start else "stopped",
        asked=time.time(),
        who=who_of(request),
        priority=data.priority or "medium",
        key=key,
    )
    name = await asyncio.to_thread(_made, home, data, seeds, wish)
    supervisor: Supervisor = state.supervisor
    supervisor.wake()
    return _answer(name, "queued" if data.start else "stopped", bad)


@get("/crawl/status/{job_id:str}", summary="How a crawl stands", opt={"scope": "read"})
async def crawl_status(state: State, job_id: JobName) -> CrawlStatus:
    """Return a crawl in numbers: as it is if it runs, as it was at its end if not."""
    home: Home = state.home
    path = await asyncio.to_thread(path_of, home, job_id)
    _, standing, pulse = await standing_of(home, job_id, path)
    frontier = pulse.frontier if pulse is not None else None
    return CrawlStatus(
        job_id=job_id,
        status=standing.state,
        pages_crawled=pulse.pages if pulse is not None else 0,
        errors=frontier.failed if frontier is not None else 0,
        frontier={name: getattr(frontier, name) for name in STATES} if frontier is not None else dict.fromkeys(STATES, 0),
        outcomes=pulse.outcomes if pulse is not None else {},
        requests=pulse.requests if pulse is not None else 0,
        bytes=pulse.bytes if pulse is not None else 0,
        politeness_violations=pulse.too_soon if pulse is not None else 0,
        since=(pulse.since or None) if pulse is not None else None,
        next_time=pulse.next_time if pulse is not None else None,
        end=standing.why if standing.state == "failed" else pulse.end if pulse is not None else "",
    )


@post(
    "/crawl/plan",
    summary="What would become of a crawl's first links",
    opt=CHANGE,
    status_code=200,
)
async def plan_crawl(request: Request[Any, Any, Any], state: State, data: PlannedCrawl) -> CrawlPlan:
    """Ask for the first seeds as a crawl would, robots.txt and all, and say what would become of their first links."""
    refuse_unsafe(request, state, data.settings)
    seeds, bad = await asyncio.to_thread(_seeds, data.urls)
    try:
        settings = await asyncio.to_thread(load, (), data.settings)
    except (ConfigError, PluginError) as error:
        raise _wrong_settings(error) from None
    told = await planned([seed.wire for seed in seeds], settings, PLANNED)
    return msgspec.convert({**told, "refused": [msgspec.to_builtins(one) for one in _refused(bad)]}, CrawlPlan)


@get("/settings/schema", summary="Every setting, for forms", opt={"scope": "read"})
async def settings_schema(state: State) -> list[SettingRow]:
    """List every setting with its type, its default, its help, and whether this server lets it be set."""
    knobs = describe()
    refused = set(unsafe([knob.key for knob in knobs], state.let))
    return [
        SettingRow(
            name=knob.key,
            section=knob.key.partition(".")[0],
            type=knob.type,
            default=knob.default,
            help=knob.help,
            choices=knob.type.split(" | ") if " | " in knob.type else [],
            may_be_set=knob.key not in refused,
        )
        for knob in knobs
    ]


STATES = ("waiting", "leased", "done", "dead", "removed", "hosts", "failed", "not_for_us")


def _seeds(urls: list[str]) -> tuple[list[Url], list[BadSeed]]:
    if len(urls) > MOST:
        raise unfit("body.urls", f"{MOST:,} URLs are taken at once, not {len(urls):,}; add the others with urls/seed")
    seeds, bad = read_urls(urls)
    if not seeds:
        raise all_unfit(
            [FieldProblem(f"body.urls[{one.index}]", one.reason) for one in bad] or [FieldProblem("body.urls", "there is none")]
        )
    return seeds, bad


def _submitted_before(home: Home, key: str, name: str) -> str | None:
    """Return the job that somebody has submitted with the same key."""
    for known, path in home.paths().items():
        wish = read_wish(path)
        if wish is not None and wish.key == key and (not name or name == known):
            return known
    return None


def _made(home: Home, data: Submit, seeds: list[Url], wish: JobWish) -> str:
    if data.name:
        try:
            checked_name(data.name)
        except UsageError as error:
            raise unfit("body.name", str(error)) from None
    try:
        while True:
            name = data.name or name_of(seeds[0], [each.name for each in home.place.iterdir()])
            try:
                submit(home.place, name, seeds, data.settings, wish)
                return name
            except NameTaken:
                if data.name:
                    raise
    except (ConfigError, PluginError) as error:
        raise _wrong_settings(error) from None


def _wrong_settings(error: Exception) -> RequestRefused:
    return unfit("body.settings", str(error).replace(" on the command line", ""))


def _answer(name: str, status: str, bad: list[BadSeed], headers: dict[str, str] | None = None) -> Response[Submitted]:
    answer = Submitted(job_id=name, status=status, refused=_refused(bad))
    return Response(answer, status_code=202, headers={"Location": f"/api/v1/jobs/{name}", **(headers or {})})


def _refused(bad: list[BadSeed]) -> list[RefusedSeed]:
    return [RefusedSeed(index=one.index, url=one.url, rule="url", reason=one.reason) for one in bad]


ROUTES = [submit_crawl, crawl_status, plan_crawl, settings_schema]
