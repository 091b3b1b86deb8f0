"""Soft 404s: answers that say "there is nothing here" to a reader, but not to a machine.

What a host says to a path that cannot exist is asked for once, in the open: the path has our name in it. A host that answers it
with an error status is honest, and nothing of it is ever taken for a soft 404. Otherwise an answer like that one is: the same
place to be redirected to, nearly the same text, or the same title at about the same length. A host's root and the seeds never
are, since a host may well answer everything with its home page.
"""

import re

from msgspec.structs import replace

from gossamer.records.evidence import Probe, Ruling
from gossamer.records.likeness import Likeness, distance
from gossamer.records.reason import Reason, because
from gossamer.records.rules import Rule
from gossamer.url.fingerprint import hashed
from gossamer.url.parse import Url

NAME = "gossamer-probe-"
NEAR = 3  # bits by which the SimHashes of the same text may differ
FAR = 24  # bits by which texts differ that have nothing to do with each other: 32 in the middle
FEWEST_WORDS = 20  # of a text that is compared
LONG = 60  # words of a text that counts for more than its title
SAME_LENGTH = 0.1  # share by which the length of the same page may differ
EXAMPLES = 3
_TELLTALE = re.compile(
    r"\b404\b|not found|no such page|(?:page|document|file) (?:does not|doesn.t|could not|cannot) |nicht gefunden|introuvable"
    r"|(?:could not|couldn.t|cannot|can.t) find|(?:does not|doesn.t|no longer) exist"
    r"|no encontrad|non trovat|не найден|見つかりません|未找到|找不到",
    re.IGNORECASE,
)


def directory_of(url: Url) -> str:
    """Return the directory of a URL, with a slash at its end."""
    return url.path[: url.path.rfind("/") + 1] or "/"


def probe_url(url: Url, directory: str) -> str:
    """Return a URL in a directory of a host that cannot exist."""
    return f"{url.origin}{directory}{NAME}{hashed(url.origin + directory):016x}"


def is_telling(title: str) -> bool:
    """Tell whether a title says that there is nothing here."""
    return bool(title) and _TELLTALE.search(title) is not None


def is_soft(probe: Probe) -> bool:
    """Tell whether a host answers for what does not exist as if it did."""
    return 200 <= probe.status < 400 and probe.ruling is not Ruling.ALLOW


def likeness_to(
    probe: Probe, url: Url, status: int, location: str, likeness: Likeness | None, title: str, length: int
) -> Reason | None:
    """Say in what an answer is like the one for what cannot exist; None: in nothing."""
    rule = Rule.TRAPS_SOFT_404
    if not is_soft(probe) or url.path == "/":
        return None
    if 300 <= probe.status < 400:
        is_same_place = 300 <= status < 400 and bool(location) and location == probe.location
        return because(rule, location=location, probe=probe.url) if is_same_place else None
    if not 200 <= status < 300:
        return None
    if likeness is not None and probe.simhash is not None and min(likeness.words, probe.words) >= FEWEST_WORDS:
        apart = distance(likeness.simhash, probe.simhash)
        if apart <= NEAR:
            return because(rule, bits=apart, probe=probe.url)
        if apart > FAR and min(likeness.words, probe.words) >= LONG:
            return None  # whatever its title says, it says something else
    if title and title == probe.title and abs(length - probe.length) <= SAME_LENGTH * probe.length:
        return because(rule, title=title, length=length, probe=probe.url, probe_length=probe.length)
    return None


def reason_of_host(probe: Probe) -> Reason:
    """Say how a host answers for what cannot exist."""
    rule, url = Rule.TRAPS_SOFT_404, probe.url
    return because(rule, answered=url, status=probe.status, leads_to=probe.location, found=probe.found)


def counted(probe: Probe, url: str) -> Probe:
    """Return a probe by which one more URL was found to be a soft 404."""
    return replace(probe, found=probe.found + 1, examples=(*probe.examples[1 - EXAMPLES :], url))
