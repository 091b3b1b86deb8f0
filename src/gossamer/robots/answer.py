"""What an answer to a request for robots.txt means. Pure: the state of one origin and an answer in, the next state out.

2xx is read. A redirect is a hop to ask next; one hop too many, or one that leads nowhere, is no robots.txt. 4xx is no
robots.txt and allows everything, but 429 asks for patience. That and everything else (5xx, no answer, half an answer) is out
of reach: nothing is allowed, and it is asked again after growing waits, as long as that may help; then the origin is closed
until the answer expires. Where no server answered at all, its URLs end with what happened: to say that robots.txt forbids them
would hide it. Rules that were read once hold on while asking again fails. Standard: RFC 9309 sections 2.3.1 and 2.4.
"""

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from gossamer.config.sections import RobotsTxt
from gossamer.document.decode import dechunk, decode
from gossamer.errors import UrlError
from gossamer.policy.retry import SHORTEST_DELAY, is_transient, retry_after
from gossamer.records.fetch import Fetched
from gossamer.records.outcome import Outcome
from gossamer.records.reason import Reason, because
from gossamer.records.rules import Rule
from gossamer.url.parse import Base

UNSENT = frozenset((Outcome.ADDRESS_REFUSED, Outcome.DNS_FAILED))  # there is no server to have a robots.txt
GROWTH = 3.0  # each wait is this many times the one before


class KnownRobots(Struct, frozen=True, array_like=True):
    """The state of one origin's robots.txt: durable, without its text."""

    kind: Literal["nothing", "rules", "open", "closed"] = "nothing"
    detail: str = ""  # why it is open or closed
    expires: float = 0.0
    location: str = ""  # where the last redirect led
    hops: int = 0
    failures: int = 0  # in a row
    retry_at: float = 0.0  # not asked again before
    address: str = ""  # of a closed one: the address of the host that may not be contacted
    cause: str = ""  # of a closed one: the outcome that every URL of the origin ends with, when no server answered
    at: float = 0.0  # when the answer came that this is about; 0: an older gossamer wrote it
    status: int = 0  # and its status; 0: no server answered


class RobotsStep(Struct, frozen=True, kw_only=True):
    """The changes made by one answer."""

    known: KnownRobots
    text: bytes | None = None  # of a robots.txt that was read
    block_until: float = 0.0  # nothing is sent to the host before
    reason: Reason | None = None


def reason_for(known: KnownRobots) -> Reason:
    """Say why a robots.txt that could not be read allows everything, or nothing."""
    if known.kind == "open":
        return because(Rule.ROBOTS_UNAVAILABLE, detail=known.detail)
    return because(Rule.ROBOTS_UNREACHABLE, detail=known.detail, address=known.address or None)


def advance(known: KnownRobots, fetched: Fetched, settings: RobotsTxt, delay: float, now: float) -> RobotsStep:
    """Return what is known after an answer; `delay` is the host's."""
    if fetched.outcome is Outcome.CANCELLED:
        return RobotsStep(known=known, reason=because(Rule.ROBOTS_CANCELLED))
    if fetched.outcome is not Outcome.OK:
        detail = f"{fetched.outcome.value}, {fetched.detail}" if fetched.detail else fetched.outcome.value
        return _failed(known, fetched, detail, settings, delay, now)
    status = fetched.status
    if 200 <= status < 300:
        text = _text(fetched, settings.max_bytes)
        if text is None:
            return _failed(known, fetched, "only a part of it arrived", settings, delay, now)
        return RobotsStep(known=KnownRobots("rules", "", now + settings.ttl, at=now, status=status), text=text)
    if 300 <= status < 400:
        return _redirected(known, fetched, settings, now)
    if 400 <= status < 500 and status != 429:
        return _open(f"status {status}", fetched, settings, now)
    return _failed(known, fetched, f"status {status}", settings, delay, now)


def _text(fetched: Fetched, limit: int) -> bytes | None:
    """Return the beginning of robots.txt, one byte more than is read of it; None when the connection broke before."""
    raw = fetched.body.read()
    decoded = decode(dechunk(raw) if fetched.chunked else raw, fetched.header("content-encoding"), limit + 1)
    is_enough = len(decoded.content) > limit or fetched.truncated in ("", "length")
    is_readable = bool(decoded.content) or not (decoded.error or fetched.truncated)
    return decoded.content if is_enough and is_readable else None


def _redirected(known: KnownRobots, fetched: Fetched, settings: RobotsTxt, now: float) -> RobotsStep:
    target = _target(fetched)
    if target is None:
        return _open(f"status {fetched.status} without a usable Location", fetched, settings, now)
    if known.hops >= settings.max_redirects:
        return _open(f"more than {settings.max_redirects} redirects", fetched, settings, now)
    reason = because(Rule.ROBOTS_REDIRECTED, location=target)
    return RobotsStep(known=replace(known, location=target, hops=known.hops + 1), reason=reason)


def _target(fetched: Fetched) -> str | None:
    location = fetched.header("location")
    try:
        target = Base(fetched.url).join(location) if location else None
    except UrlError:
        return None
    return target if target and target.startswith(("http://", "https://")) else None


def _open(detail: str, fetched: Fetched, settings: RobotsTxt, now: float) -> RobotsStep:
    known = KnownRobots("open", detail, now + settings.ttl, at=now, status=fetched.status)
    return RobotsStep(known=known, reason=reason_for(known))


def _failed(known: KnownRobots, fetched: Fetched, detail: str, settings: RobotsTxt, delay: float, now: float) -> RobotsStep:
    if known.expires > now:
        return RobotsStep(known=known)  # somebody else's answer came in between, and was better
    asked = retry_after(fetched.header("retry-after"), now) if fetched.status in (429, 503) else None
    address = fetched.address if fetched.outcome is Outcome.ADDRESS_REFUSED else ""
    closed = KnownRobots("closed", detail, address=address, at=now, status=fetched.status)
    reason = reason_for(closed)
    failures = known.failures + 1
    if failures < settings.times and (fetched.outcome is Outcome.OK or is_transient(fetched.outcome)):
        retry_at = max(now + settings.wait * GROWTH**known.failures * max(delay, SHORTEST_DELAY), asked or 0.0)
        again = replace(known, location="", hops=0, failures=failures, retry_at=retry_at)
        return RobotsStep(known=again, block_until=(asked or 0.0) if known.kind == "rules" else retry_at, reason=reason)
    expires = max(now + settings.ttl, asked or 0.0)
    silent = fetched.outcome is not Outcome.OK and not known.hops  # else the host did answer, with a redirect
    cause = fetched.outcome.value if silent or fetched.outcome in UNSENT else ""
    rules = KnownRobots("rules", "", expires, at=known.at, status=known.status)
    held = rules if known.kind == "rules" else replace(closed, expires=expires, cause=cause)
    return RobotsStep(known=held, block_until=asked or 0.0, reason=reason)
