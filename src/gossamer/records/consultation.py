"""What robots.txt says about a URL, or what has to happen before it can say anything; and what one answer taught."""

from typing import Literal

from msgspec import Struct

from gossamer.records.outcome import Outcome
from gossamer.records.reason import Reason


class Consultation(Struct, frozen=True, kw_only=True, array_like=True, omit_defaults=True):
    """The answer of robots.txt about one URL, or the step that has to come first."""

    verdict: Literal["allowed", "denied", "ask", "wait"]
    reason: Reason | None = None  # the line that decided, or why there is none
    ask: str = ""  # with "ask": the URL of the robots.txt to fetch now, with this turn
    due: float | None = None  # robots.txt is out of reach: when a later crawl ("denied") or anybody ("wait") may try again
    outcome: Outcome = Outcome.ROBOTS_DENIED  # with "denied": what the URL ends with


class RobotsCopy(Struct, frozen=True, kw_only=True):
    """The robots.txt of one origin as it is known."""

    origin: str
    kind: Literal["rules", "open", "closed"]  # it was read, there is none, or it is out of reach
    detail: str = ""  # why it is open or closed
    fetched_at: float = 0.0  # 0: nobody knows any more
    expires_at: float
    status: int = 0  # of the last answer; 0: no server answered
    text: bytes = b""


class Learned(Struct, frozen=True, kw_only=True):
    """The result of one request for robots.txt."""

    delay: float | None = None  # Crawl-delay
    sitemaps: tuple[str, ...] = ()
    block_until: float = 0.0  # out of reach: ask again then, and send nothing before
    reason: Reason | None = None
