"""Traps: limits that no honest URL reaches, so that a site that invents URLs cannot keep a crawl busy for ever.

A calendar, a broken relative link (`/a/b/a/b/a/b/`) and a maze all show in the URL itself: it gets long, deep or repeats
itself. The length is that of the wire URL, because that is what is sent and kept. Empty segments (`//`) count like any other.
"""

from gossamer.config.sections import Traps
from gossamer.records.entry import Verdict
from gossamer.records.outcome import Outcome
from gossamer.records.reason import Reason, because
from gossamer.records.rules import Rule
from gossamer.url.parse import Url

LENGTH_OK = Verdict(True, because(Rule.TRAPS_MAX_LENGTH))
SEGMENTS_OK = Verdict(True, because(Rule.TRAPS_MAX_SEGMENTS))
REPEATS_OK = Verdict(True, because(Rule.TRAPS_MAX_REPEATS))
NO_TRAP = Verdict(True, because(Rule.TRAPS))


def judge(url: Url, settings: Traps) -> Verdict:
    """Return the first refusal, or that the URL looks honest."""
    if len(url.wire) > settings.max_length:
        return judge_length(url, settings)
    slashes = url.path.count("/")
    if slashes > settings.max_segments and not (verdict := judge_segments(url, settings)).allowed:
        return verdict
    if slashes > settings.max_repeats and not (verdict := judge_repeats(url, settings)).allowed:
        return verdict
    return NO_TRAP


def trace(url: Url, settings: Traps) -> list[Verdict]:
    """Return every rule's verdict, in order."""
    return [judge_length(url, settings), judge_segments(url, settings), judge_repeats(url, settings)]


def judge_length(url: Url, settings: Traps) -> Verdict:
    """Refuse a URL that is too long."""
    length = len(url.wire)
    if length <= settings.max_length:
        return LENGTH_OK
    return _refuse(because(Rule.TRAPS_MAX_LENGTH, length=length, limit=settings.max_length))


def judge_segments(url: Url, settings: Traps) -> Verdict:
    """Refuse a path of too many segments."""
    count = len(_segments(url))
    if count <= settings.max_segments:
        return SEGMENTS_OK
    return _refuse(because(Rule.TRAPS_MAX_SEGMENTS, segments=count, limit=settings.max_segments))


def judge_repeats(url: Url, settings: Traps) -> Verdict:
    """Refuse a path in which one segment occurs too often."""
    segments = _segments(url)
    if len(segments) - len(set(segments)) < settings.max_repeats:
        return REPEATS_OK  # the quick answer: not even if all repetitions were of one segment
    often = max(set(segments), key=segments.count)
    count = segments.count(often)
    if count <= settings.max_repeats:
        return REPEATS_OK
    return _refuse(because(Rule.TRAPS_MAX_REPEATS, segment=often, times=count, limit=settings.max_repeats))


def _segments(url: Url) -> list[str]:
    segments = url.path.removeprefix("/").split("/")
    return segments[:-1] if segments[-1] == "" else segments


def _refuse(reason: Reason) -> Verdict:
    return Verdict(False, reason, Outcome.TRAP)
