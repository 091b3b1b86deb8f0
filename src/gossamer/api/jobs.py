"""Jobs: the crawls of a home as rows, started, stopped, paused, copied, removed.

What is wanted is written into the crawl's directory before it is answered; the supervisor does the rest (`jobs/supervise.py`).
"""

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from litestar import Request, Response, delete, get, post
from litestar.datastructures import State
from litestar.params import Parameter

from gossamer.api.asking import Cursor, Limit, listed, who_of
from gossamer.api.home import Home
from gossamer.api.refusal import RequestRefused, unfit
from gossamer.api.types import Checkpointed, ItemList, JobRow, Submitted
from gossamer.errors import CrawlError, GossamerError, NoSuchJob
from gossamer.jobs.directory import About
from gossamer.jobs.job import JobWish, read_wish, write_wish
from gossamer.jobs.jobstate import JobFacts, JobState, facts_of, state_of_job
from gossamer.jobs.operations.cursors import cursor_of, place_in
from gossamer.jobs.submit import remove
from gossamer.jobs.supervise import Supervisor
from gossamer.records.pulse import Pulse

PATIENCE = 2.0  # seconds that a crawl has to tell its pulse for a row
COPYING = 600.0  # seconds that a checkpoint may take
CHECKPOINTS = ".checkpoints"
CHANGE = {"scope": "operate", "repeatable": True}  # asked for twice it comes to the same

JobName = Annotated[str, Parameter(description="The job, by job.", max_length=300)]


@get("/jobs", summary="The crawls of this server", opt={"scope": "read"})
async def jobs(
    request: Request[Any, Any, Any], state: State, limit: Limit = 50, cursor: Cursor = ""
) -> Response[ItemList[JobRow]]:
    """List crawls by job."""
    home: Home = state.home
    paths = await asyncio.to_thread(home.paths)
    place = place_in(cursor, ("jobs",), str)
    names = [name for name in paths if place is None or name > place[0]]
    some = names[:limit]
    queue = await asyncio.to_thread(_queue, list(paths.values()))
    rows = await asyncio.gather(*[row_of(home, name, paths[name], queue) for name in some])
    return listed(request, rows, cursor_of(("jobs",), some[-1]) if len(names) > limit else None)


@get("/jobs/{job:str}", summary="One crawl", opt={"scope": "read"})
async def one_job(state: State, job: JobName) -> JobRow:
    """Return how a crawl stands."""
    home: Home = state.home
    return await _row(home, job)


@delete("/jobs/{job:str}", summary="Remove a crawl", opt={"scope": "admin"}, status_code=204)
async def remove_job(
    state: State,
    job: JobName,
    confirm: Annotated[str, Parameter(description="The job once more.", max_length=300)] = "",
) -> None:
    """Remove a crawl that does not run, with all it has fetched, for good."""
    home: Home = state.home
    path = path_of(home, job)
    if confirm != job:
        raise unfit("query.confirm", "removing a crawl is for good; confirm it with its job: ?confirm=NAME")
    if home.is_one:
        raise RequestRefused(409, "one-crawl", "this server shows one crawl and cannot remove it; serve the directory above it")
    row = await row_of(home, job, path, [])
    if row.state in ("running", "paused", "stopping", "queued"):
        raise RequestRefused(409, "crawl", f"{job} is {row.state}; stop it first")
    directory = home.reach(job).directory
    await home.forget(job)
    await asyncio.to_thread(remove, home.place, directory)


@post("/jobs/{job:str}/start", summary="Run a crawl, or queue it", opt=CHANGE, status_code=202)
async def start(request: Request[Any, Any, Any], state: State, job: JobName) -> Submitted:
    """Let a crawl run from where it is; one that runs or is queued already is left as it is."""
    home: Home = state.home
    path = path_of(home, job)
    facts = await asyncio.to_thread(facts_of, path)
    if state_of_job(facts).state not in ("queued", "running"):
        await _want(state, path, wish_of("running", request))
    return await _submitted(home, job)


@post(
    "/jobs/{job:str}/recrawl",
    summary="Visit the pages of a crawl again",
    opt=CHANGE,
    status_code=202,
)
async def recrawl(request: Request[Any, Any, Any], state: State, job: JobName) -> Submitted:
    """Run a crawl that does not run so that all its pages are visited again."""
    home: Home = state.home
    path = path_of(home, job)
    standing = state_of_job(await asyncio.to_thread(facts_of, path)).state
    if standing in ("queued", "running", "paused", "stopping"):
        raise RequestRefused(409, "crawl", f"{job} is {standing}; stop it first")
    await _want(state, path, wish_of("running", request, how="recrawl"))
    return await _submitted(home, job)


@post("/jobs/{job:str}/stop", summary="Stop a crawl", opt=CHANGE, status_code=202)
async def stop(request: Request[Any, Any, Any], state: State, job: JobName) -> Submitted:
    """Stop a crawl when its visits under way have ended, or take it out of the queue; it stays so until it is started."""
    home: Home = state.home
    path = path_of(home, job)
    facts = await asyncio.to_thread(facts_of, path)
    await _want(state, path, wish_of("stopped", request, stops=facts.runner or facts.alive))
    if facts.runner is not None:
        with suppress(GossamerError, TimeoutError):  # the supervisor sees to it, too
            async with asyncio.timeout(PATIENCE):
                await home.reach(job).ask("stop", who_of(request))
    return await _submitted(home, job)


@post("/jobs/{job:str}/pause", summary="Pause a crawl", opt=CHANGE, status_code=204)
async def pause(request: Request[Any, Any, Any], state: State, job: JobName) -> None:
    """Begin no new visit until it is resumed, over runs too."""
    home: Home = state.home
    await home.reach(job).ask("pause", who_of(request))


@post("/jobs/{job:str}/resume", summary="End a pause", opt=CHANGE, status_code=204)
async def resume(request: Request[Any, Any, Any], state: State, job: JobName) -> None:
    """Begin visits again; a crawl that does not run will when it is started."""
    home: Home = state.home
    await home.reach(job).ask("resume", who_of(request))


@post("/jobs/{job:str}/checkpoint", summary="Copy a crawl", opt=CHANGE, status_code=200)
async def checkpoint(request: Request[Any, Any, Any], state: State, job: JobName) -> Checkpointed:
    """Copy a crawl, as it is between two commits, to a place below the home; it can be resumed there."""
    home: Home = state.home
    reach = home.reach(job)
    folder = home.place / CHECKPOINTS
    await asyncio.to_thread(folder.mkdir, mode=0o700, exist_ok=True)
    made = f"{job}-{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}"
    await reach.ask("checkpoint", who_of(request), COPYING, target=str((folder / made).resolve()))
    return Checkpointed(checkpoint=f"{CHECKPOINTS}/{made}")


# --- how they stand --------------------------------------------------------------------------------------------------


def path_of(home: Home, name: str) -> Path:
    """Return the directory of a job that is known by name."""
    path = home.paths().get(name)
    if path is None:
        raise NoSuchJob(f"there is no crawl {name[:100]!r} here")
    return path


def wish_of(
    wanted: Literal["running", "stopped"],
    request: Request[Any, Any, Any],
    how: Literal["resume", "recrawl"] = "resume",
    stops: int = 0,
) -> JobWish:
    """Return what whoever asks wants of a crawl, from now on."""
    return JobWish(wanted=wanted, asked=time.time(), who=who_of(request), how=how, stops=stops)


async def _want(state: State, path: Path, wish: JobWish) -> None:
    before = await asyncio.to_thread(read_wish, path)
    if before is not None:
        wish = msgspec.structs.replace(wish, key=before.key, priority=before.priority)
    await asyncio.to_thread(write_wish, path, wish)
    supervisor: Supervisor = state.supervisor
    supervisor.wake()


async def _submitted(home: Home, name: str) -> Submitted:
    return Submitted(job_id=name, status=(await _row(home, name)).state)


async def _row(home: Home, name: str) -> JobRow:
    paths = await asyncio.to_thread(home.paths)
    if name not in paths:
        raise NoSuchJob(f"there is no crawl {name[:100]!r} here")
    return await row_of(home, name, paths[name], await asyncio.to_thread(_queue, list(paths.values())))


async def standing_of(home: Home, name: str, path: Path) -> tuple[JobFacts, JobState, Pulse | None]:
    """Return what is known of a job: its directory, its state, and its pulse, now if it runs and else the last."""
    facts, live = await asyncio.to_thread(facts_of, path), None
    if facts.runner is not None:
        with suppress(GossamerError, TimeoutError, msgspec.ValidationError):
            async with asyncio.timeout(PATIENCE):
                live = msgspec.convert(await home.reach(name).ask("pulse"), Pulse)
    return facts, state_of_job(facts, live), live or facts.kept


async def row_of(home: Home, name: str, path: Path, queue: Sequence[Path]) -> JobRow:
    """Return a job as it is listed."""
    facts, standing, pulse = await standing_of(home, name, path)
    created, seeds, seed = await asyncio.to_thread(_papers, path)
    row = JobRow(
        job=name,
        state=standing.state,
        wanted=facts.wish.wanted if facts.wish is not None else "",
        why=standing.why,
        created=created,
        queue=queue.index(path) + 1 if standing.state == "queued" and path in queue else None,
        seeds=seeds,
        seed=seed,
    )
    if pulse is None:
        return row
    frontier = pulse.frontier
    counted = {"pages": pulse.pages, "requests": pulse.requests, "bytes": pulse.bytes, "too_soon": pulse.too_soon}
    return msgspec.structs.replace(
        row, **counted, waiting=frontier.waiting + frontier.leased, failed=frontier.failed, since=pulse.since or None
    )


def _queue(paths: Sequence[Path]) -> list[Path]:
    """Return the jobs that wait to run, the first one first."""
    wishes = [(wish.place, path) for path in paths if (wish := read_wish(path)) is not None and wish.wanted == "running"]
    return [path for _, path in sorted(wishes) if state_of_job(facts_of(path)).state == "queued"]


def _papers(path: Path) -> tuple[float, int, str]:
    """Return when a crawl was made, how many seeds it has, and the first of them."""
    try:
        created = msgspec.json.decode((path / "crawl.json").read_bytes(), type=About).created
        with (path / "seeds.txt").open("rb") as file:
            seed = file.readline().decode("utf-8", "replace").strip()
            return created, bool(seed) + sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1 << 20), b"")), seed
    except (OSError, msgspec.DecodeError, CrawlError):
        return 0.0, 0, ""


ROUTES = [jobs, one_job, remove_job, start, recrawl, stop, pause, resume, checkpoint]
