"""A plugin that puts a bug into gossamer: what nobody expects is raised at a named place, as an environment variable says.

    SABOTAGE={"place": "settle", "word": "/poisoned", "times": 1}

`word`: only where a URL that contains it is concerned. `times`: so often at most. `pure`: without what was compiled. `late`: it
does not fail but takes so many seconds longer. `full`: instead of all this, no temporary file can be opened while this one is
there. It is installed as a filter, which every process of a crawl builds before it
begins, and which refuses nothing.
"""

import asyncio
import errno
import json
import os
import tempfile
from collections.abc import Callable, Sequence
from functools import partial, wraps
from pathlib import Path
from typing import Any

from gossamer.frontier.embedded import facade as embedded
from gossamer.frontier.embedded import schedule, turns
from gossamer.frontier.heap import PureHeap
from gossamer.frontier.layout import slots
from gossamer.lessons.book import LessonBook
from gossamer.node.commit import Committer
from gossamer.node.ranker import Ranker
from gossamer.processors.html import HtmlProcessor
from gossamer.records.candidate import Candidate
from gossamer.records.entry import Verdict
from gossamer.records.lease import Settlement
from gossamer.records.outcome import Outcome
from gossamer.records.reason import because
from gossamer.robots.cache import RobotsCache
from gossamer.storage.catalog.sqlite import SqliteCatalog
from gossamer.storage.linkgraph import EdgeLog
from gossamer.visit.admit import LinkJudge

VARIABLE = "SABOTAGE"
Concerned = Callable[[tuple[Any, ...]], Sequence[str]]


def _visited(given: tuple[Any, ...]) -> list[str]:
    return [visit.settlement.lease.entry.url for visit in given[1] if visit.settlement.outcome is not Outcome.BUG]


def _listed(given: tuple[Any, ...]) -> list[str]:
    return [page.url for page in given[1] if page.outcome is not Outcome.BUG]


def _answered(given: tuple[Any, ...]) -> list[str]:
    settlements: Sequence[Settlement] = given[1]
    return [settlement.lease.entry.url for settlement in settlements if settlement.answer is not None]


def _read(given: tuple[Any, ...]) -> list[str]:
    return [given[1].url]


def _linked(given: tuple[Any, ...]) -> list[str]:
    return [given[3].url]


def _settled(given: tuple[Any, ...]) -> list[str]:
    return [settlement.lease.entry.url for settlement in given[1]]


def _any(given: tuple[Any, ...]) -> list[str]:
    return [""]


def _begun(given: tuple[Any, ...]) -> list[str]:
    return [turn.host.name for turn in given[2]]


PLACES: dict[str, tuple[Any, str, Concerned]] = {
    "study": (LessonBook, "study", _visited),
    "catalog": (SqliteCatalog, "add", _listed),
    "read": (HtmlProcessor, "process", _read),
    "admit": (LinkJudge, "line_up", _linked),
    "commit": (Committer, "commit", _visited),
    "graph": (EdgeLog, "put", _any),
    "settle": (embedded.EmbeddedFrontier, "_settle_all", _answered),  # all of it has changed in memory, and nothing was written
    "settle anything": (embedded.EmbeddedFrontier, "_settle_all", _settled),
    "robots": (RobotsCache, "keep", _any),
    "lease": (turns.Turns, "give", _begun),  # clocks have moved, and nothing was written
    "leased": (embedded.EmbeddedFrontier, "_next_time", _any),  # leases were written, and nobody gets them
    "listener": (Ranker, "_count", _any),
}
PURE = (
    (schedule, "Heap", PureHeap),
    (slots, "Gathered", slots.PureGathered),
    (slots, "find", slots.pure_find),
    (slots, "merge", slots.pure_merge),
)


class Saboteur:
    """Refuses no URL."""

    def __init__(self, settings: object) -> None:
        plan = json.loads(os.environ.get(VARIABLE, "{}"))
        if plan and not hasattr(Saboteur, "begun"):
            Saboteur.begun = True  # type: ignore[attr-defined]
            for module, name, pure in PURE if plan.get("pure") else ():
                setattr(module, name, pure)
            if "full" in plan:
                tempfile.TemporaryFile = partial(_without_room, tempfile.TemporaryFile, plan["full"])  # type: ignore[assignment]
                return
            if "late" in plan:
                _delay(*PLACES[plan["place"]][:2], plan["late"])
                return
            _sabotage(*PLACES[plan["place"]], plan.get("word", ""), plan.get("times", -1), plan.get("after", 0))

    def judge(self, candidate: Candidate) -> Verdict:
        """Let everything pass."""
        return Verdict(True, because("sabotage"))


def _without_room(real: Callable[..., Any], sign: str, *given: Any, **named: Any) -> Any:
    """Open a temporary file, unless the sign is there that its directory is full."""
    if Path(sign).exists():
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return real(*given, **named)


def _delay(owner: Any, name: str, seconds: float) -> None:
    """Let a method take longer."""
    real = getattr(owner, name)

    @wraps(real)
    async def late(*given: Any) -> Any:
        await asyncio.sleep(seconds)
        return await real(*given)

    setattr(owner, name, late)


def _sabotage(owner: Any, name: str, concerned: Concerned, word: str, times: int, after: int) -> None:
    """Let a method do what it does and then fail, where it is concerned with a word: so often at most, and not at first."""
    real, left, spared = getattr(owner, name), times, after

    def strike(given: tuple[Any, ...]) -> None:
        nonlocal left, spared
        if left and any(word in text for text in concerned(given)):
            spared -= 1
            if spared < 0:
                left -= 1
                raise ZeroDivisionError(f"a bug on purpose: {name}")

    @wraps(real)
    def broken(*given: Any) -> Any:
        result = real(*given)
        if hasattr(result, "__await__"):
            return _await(result, given)
        strike(given)
        return result

    async def _await(result: Any, given: tuple[Any, ...]) -> Any:
        value = await result
        strike(given)
        return value

    setattr(owner, name, broken)


def install(place: Path) -> str:
    """Install the plugin into a directory; return that directory, for PYTHONPATH."""
    meta = place / "saboteur-1.0.dist-info"
    meta.mkdir(parents=True)
    (place / "saboteur.py").write_text(Path(__file__).read_text())
    (meta / "METADATA").write_text("Metadata-Version: 2.1\nName: saboteur\nVersion: 1.0\n")
    (meta / "entry_points.txt").write_text("[gossamer.filter]\nsaboteur = saboteur:Saboteur\n")
    return str(place)
