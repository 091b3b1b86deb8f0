"""Traps: limits that no honest URL reaches, so that a site that invents URLs cannot keep a crawl busy for ever.

A calendar, a broken relative link (`/a/b/a/b/a/b/`) and a maze all show in the URL itself: it gets long, deep or repeats
itself. The length is that of the wire URL, because that is what is sent and kept. Empty segments (`//`) count like any other.
"""

from gossamer.config.sections import Traps
from gossamer.records.entry import Verdict
from gossamer.records.outcome import Outcome
from gossamer.url.parse import Url

LENGTH_OK = Verdict(True, "traps.max_length")
SEGMENTS_OK = Verdict(True, "traps.max_segments")
REPEATS_OK = Verdict(True, "traps.max_repeats")
NO_TRAP = Verdict(True, "traps")


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
    return LENGTH_OK if length <= settings.max_length else _refuse("max_length", f"{length} characters", settings.max_length)


def judge_segments(url: Url, settings: Traps) -> Verdict:
    """Refuse a path of too many segments."""
    count = len(_segments(url))
    return (
        SEGMENTS_OK if count <= settings.max_segments else _refuse("max_segments", f"{count} segments", settings.max_segments)
    )


def judge_repeats(url: Url, settings: Traps) -> Verdict:
    """Refuse a path in which one segment occurs too often."""
    segments = _segments(url)
    if len(segments) - len(set(segments)) < settings.max_repeats:
        return REPEATS_OK  # the quick answer: not even if all repetitions were of one segment
    often = max(set(segments), key=segments.count)
    count = segments.count(often)
    if count <= settings.max_repeats:
        return REPEATS_OK
    return _refuse("max_repeats", f"the segment {often!r} occurs {count} times", settings.max_repeats)


def _segments(url: Url) -> list[str]:
    segments = url.path.removeprefix("/").split("/")
    return segments[:-1] if segments[-1] == "" else segments


def _refuse(rule: str, fact: str, limit: int) -> Verdict:
    return Verdict(False, f"traps.{rule}", f"{fact}; {rule} is {limit}", Outcome.TRAP)
