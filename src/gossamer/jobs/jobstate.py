"""The state of a job in one word: from its lock, its pulse, what is wanted and how its process ended; never from a log."""

from pathlib import Path

from msgspec import Struct

from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.job import JobRun, JobWish, birth_of, read_run, read_wish
from gossamer.jobs.pulse import last_kept
from gossamer.records.pulse import Pulse

ENDS = {"finished": "finished", "waiting": "waiting"}  # of runs; after any other a crawl has something left to do
KILLED = "its last run was killed; starting it goes on where it was"


class JobFacts(Struct, frozen=True, kw_only=True):
    """What the directory of a job says."""

    wish: JobWish | None
    run: JobRun | None
    runner: int | None  # the process that runs it
    alive: int  # the process that was started for it and may not run it yet; 0: none
    kept: Pulse | None  # the last pulse in its file


class JobState(Struct, frozen=True):
    """The state of a job, and the sentence that goes with it."""

    state: str  # queued, running, paused, stopping, stopped, finished, waiting, failed
    why: str = ""


def facts_of(path: Path) -> JobFacts:
    """Read what the directory of a job says."""
    run = read_run(path)
    alive = run.pid if run is not None and run.pid and birth_of(run.pid) == run.birth else 0
    return JobFacts(wish=read_wish(path), run=run, runner=CrawlDirectory(path).runner(), alive=alive, kept=last_kept(path))


def state_of_job(facts: JobFacts, live: Pulse | None = None) -> JobState:
    """Say how a job stands; `live` is its pulse as it is now, if it could be asked."""
    wish, run = facts.wish, facts.run
    if facts.runner is not None or facts.alive:
        if wish is not None and wish.wanted == "stopped" and wish.stops in (facts.runner, facts.alive):
            return JobState("stopping")
        if live is None:
            return JobState("running")
        return JobState("stopping") if live.end else JobState(live.state, live.trouble)
    run = run if run is not None and wish is not None and run.asked == wish.asked else None
    if run is not None and run.failed:
        return JobState("failed", run.failed)
    if wish is not None and wish.wanted == "running" and not (run is not None and _is_over(run, facts.kept)):
        if run is not None and facts.kept is not None and facts.kept.end == "waiting" and facts.kept.at >= run.started:
            return JobState("waiting")  # for the time that its last run named
        return JobState("queued", run.why if run is not None else "")
    return _still(facts.kept)


def _is_over(run: JobRun, kept: Pulse | None) -> bool:
    """Tell whether a run has come to an end, also before the supervisor has taken note of it."""
    if run.is_over or not run.pid:
        return run.is_over
    is_waiting = kept is not None and kept.end == "waiting" and kept.next_time is not None
    return kept is not None and kept.at >= run.started and bool(kept.end) and not is_waiting


def _still(kept: Pulse | None) -> JobState:
    """Say how a crawl stands that nobody wants to run."""
    if kept is None:
        return JobState("stopped")
    if not kept.end:
        return JobState("stopped", KILLED if kept.since else "")
    state = ENDS.get(kept.end, "stopped")
    if state == "finished" and kept.frontier.waiting + kept.frontier.leased:  # seeds came later
        return JobState("stopped")
    return JobState(state, kept.end if state == "stopped" else "")
