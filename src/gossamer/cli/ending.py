"""How the end of a run is told: what it may spend, why it came to little or nothing, and what to type to go on."""

from collections.abc import Iterator
from math import inf
from typing import TYPE_CHECKING

from gossamer.cli import output
from gossamer.jobs.command import command

if TYPE_CHECKING:
    from gossamer.jobs.explain import Ending
    from gossamer.jobs.refusals import Refusals
    from gossamer.jobs.run import Summary
    from gossamer.watch.budget import Limit

OPTIONS = {"crawl.max_pages": "--max-pages", "crawl.max_bytes": "--max-bytes", "crawl.max_seconds": "--max-time"}


def allowance(limit: "Limit") -> str:
    """Say how much a run may spend of something."""
    option = OPTIONS[limit.setting]
    match limit.setting:
        case "crawl.max_pages":
            return f"{limit.limit:,} pages more ({option})"
        case "crawl.max_bytes":
            return f"{output.size(limit.limit)} more ({option})"
        case _:
            return f"{output.duration(limit.limit)} ({option})"


def troubles(summary: "Summary") -> Iterator[str]:
    """Tell of bugs, name the rule that refused most of what was found, and say of each seed why if there is no page."""
    if summary.bugs:
        traces = f"{summary.bugs:,} trace(s) are in {summary.directory}/crawl.log"
        yield f"bugs of ours ended {summary.outcomes.get('bug', 0):,} URL(s) and nothing else; {traces}, please report them"
    if summary.refused is not None:
        yield _refused(summary.refused)
    if summary.kept:
        return
    yield "nothing was kept, because of"
    for seed in summary.seeds:
        yield f"  {_unkept(seed)}"
    if summary.more_seeds:
        yield f"  ... and {summary.more_seeds:,} seeds more"


def last_line(summary: "Summary", left: int) -> str:
    """Tell done, failed, interrupted or waiting, and how to go on."""
    resume = command("resume", summary.directory)
    match summary.end.value:
        case "budget spent" if left and summary.spent is not None:
            begun = "done:" if summary.kept else "failed: nothing was kept, and"
            limit = _option(summary.spent)
            return f"{begun} the budget is spent ({limit}), {left:,} URLs wait; go on with: {resume} {limit}"
        case "finished" | "budget spent" if summary.kept:
            return "done: nothing waits"
        case "finished" | "budget spent":
            return f"failed: nothing was kept; ask again with: {resume} --retry-failed"
        case "waiting":
            until = "" if summary.next_time == inf else f" until {output.moment(summary.next_time)} UTC"
            return f"waiting: {left:,} URLs of hosts that are paused or blocked{until}; go on with: {resume}"
        case _:
            return f"interrupted: {left:,} URLs wait; go on with: {resume}"


def _option(limit: "Limit") -> str:
    """Write a limit as the option that sets it."""
    match limit.setting:
        case "crawl.max_pages":
            return f"--max-pages {limit.limit}"
        case "crawl.max_bytes":
            return f"--max-bytes {output.exact_size(int(limit.limit))}"
        case _:
            return f"--max-time {limit.limit:.12g}s"


def _refused(refused: "Refusals") -> str:
    looked_at = f"a sample of {refused.found:,}" if refused.sampled else f"{refused.found:,}"
    named = f"{refused.count:,} of {looked_at} URLs that were found were refused by {refused.rule}"
    return f"{named}, such as {refused.url}: {refused.reason}"


def _unkept(seed: "Ending") -> str:
    way = f"{seed.url} -> {seed.led_to}" if seed.led_to else seed.url
    end = seed.state if seed.state in ("waiting", "leased") else seed.outcome or seed.state
    return f"{way}: {end}: {seed.reason}" if seed.reason else f"{way}: {end}"
