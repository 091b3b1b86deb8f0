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
        return JobState(live.state, live.trouble) if live is not None else JobState("running")
    run = run if run is not None and wish is not None and run.asked == wish.asked else None
    if run is not None and run.failed:
        return JobState("failed", run.failed)
    if wish is not None and wish.wanted == "running" and not (run is not None and run.is_over):
        if run is not None and run.not_before and not run.deaths and not run.why:
            return JobState("waiting")  # for the time that its last run named
        return JobState("queued", run.why if run is not None else "")
    return _still(facts.kept)


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
