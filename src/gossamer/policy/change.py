"""Change: how often a page changes, learned from visits at irregular times.

A page is taken to change at random with a rate of its own (a Poisson process), which is how pages were found to behave.
What is believed of the rate is one number for each of 24 rates, evenly spaced on a logarithmic scale from one change in 15
minutes to one in three years: the logarithm of its probability, relative to the likeliest, in 1/1024 of a nat. A visit after
`t` seconds multiplies the probability of a rate `r` by how likely the visit's finding is under it:

    not changed                   e^(-rt)
    changed                       1 - e^(-rt)
    changed, and `a` seconds ago  r e^(-ra)

No rate is ever held impossible (16 nats at most), so a page that changes its habits is believed after a while. Before the first
visit the type of the document decides, and what a sitemap says. A date that a server names is believed when it can be true.

"Changed" is what a reader would call so: the text's SimHash moved, or the links are others; a new time in the footer is not.
In a short text such a time moves the SimHash as far as a new sentence does, but a time is as long as the one before.
"""

from math import exp, expm1, log
from struct import Struct

from msgspec.structs import replace

from gossamer.records.freshness import Freshness

GRID = 24
FASTEST = 1 / 900
SLOWEST = 1 / (3 * 365 * 86400)
STEP = log(FASTEST / SLOWEST) / (GRID - 1)  # about half a nat: neighbours differ by a factor of 1.65
RATES = tuple(SLOWEST * exp(STEP * index) for index in range(GRID))
LOG_RATES = tuple(log(rate) for rate in RATES)

NAT = 1024  # units
LEAST = 16 * NAT  # less likely than the likeliest by e^-16: as unlikely as a rate can get
TOUCHED = 60.0  # a page "modified" less than this before it was sent was made for us: that date says nothing
NEAR = 3  # bits by which the SimHashes of the same text may differ
ALIKE = 12  # and of one that is as long as it was: a short text has few words for a new date to hide among
SLACK = 2  # bytes by which it may be longer or shorter then

SPREAD = 3.0  # of a prior, in nats: little is known, two thirds of all pages are within a factor of twenty
USUAL = 20 * 86400.0  # seconds between two changes of a page
BY_TYPE = {  # and of other documents, by type or the part before the slash
    "application/rss+xml": 12 * 3600.0,
    "application/atom+xml": 12 * 3600.0,
    "application/xml": 2 * 86400.0,  # a sitemap, mostly
    "text/xml": 2 * 86400.0,
    "application/pdf": 365 * 86400.0,
    "image": 365 * 86400.0,
    "audio": 365 * 86400.0,
    "video": 365 * 86400.0,
    "font": 365 * 86400.0,
}
_PACKED = Struct(f"<{GRID}H")


def begun(mime: str, now: float, modified_at: float | None = None, hinted: float | None = None) -> Freshness:
    """Return what the first visit of a page says of it; `hinted`: seconds between two changes, as a sitemap claims."""
    belief = prior(mime, hinted)
    age = _age(modified_at, now)
    if age is not None:
        belief = [known + log_rate - rate * age for known, log_rate, rate in zip(belief, LOG_RATES, RATES, strict=True)]
    changed_at = now if age is None else now - age
    return Freshness(visits=1, first_seen=now, changed_at=changed_at, posterior=_packed(belief))


def prior(mime: str, hinted: float | None = None) -> list[float]:
    """Return how likely each rate of the grid is (a logarithm) before anything was observed.

    What a sitemap claims is a hint: it moves the middle half the way.
    """
    middle = -log(BY_TYPE.get(mime) or BY_TYPE.get(mime.partition("/")[0]) or USUAL)
    if hinted is not None and hinted > 0:
        middle = (middle - log(min(max(hinted, 1 / FASTEST), 1 / SLOWEST))) / 2
    return [-0.5 * ((log_rate - middle) / SPREAD) ** 2 for log_rate in LOG_RATES]


def observed(freshness: Freshness, seconds: float, changed: bool, modified_at: float | None, now: float) -> Freshness:
    """Return what is known after one more visit, `seconds` after the one before."""
    visits = freshness.visits + 1
    if seconds <= 0:
        return replace(freshness, visits=visits)
    belief = _unpacked(freshness)
    if not changed:
        belief = [known - rate * seconds for known, rate in zip(belief, RATES, strict=True)]
        return replace(freshness, visits=visits, posterior=_packed(belief))
    age = _age(modified_at, now)
    if age is not None and age <= seconds:
        belief = [known + log_rate - rate * age for known, log_rate, rate in zip(belief, LOG_RATES, RATES, strict=True)]
    else:
        age = 0.0
        belief = [known + log(-expm1(-rate * seconds)) for known, rate in zip(belief, RATES, strict=True)]
    changes = freshness.changes + 1
    return replace(freshness, visits=visits, changes=changes, changed_at=now - age, posterior=_packed(belief))


def probabilities(freshness: Freshness) -> list[float]:
    """Return how likely each rate of the grid is; they add up to one."""
    likely = [exp(known) for known in _unpacked(freshness)]
    total = sum(likely)
    return [one / total for one in likely]


def rate(freshness: Freshness) -> float:
    """Return how often the page changes, a second: the mean of what is believed, on the logarithmic scale."""
    return exp(sum(share * log_rate for share, log_rate in zip(probabilities(freshness), LOG_RATES, strict=True)))


def is_changed(
    simhashes: tuple[int | None, int | None],
    digests: tuple[str, str],
    links: tuple[int | None, int | None],
    lengths: tuple[int, int],
) -> bool:
    """Tell whether a page changed, from before and now: SimHash of the text, digest, fingerprint of the set of links, length.

    None: there is none, or it is not known; without two SimHashes to compare (a short text, an image) the bytes decide.
    """
    if digests[0] == digests[1]:
        return False
    if None not in links and links[0] != links[1]:
        return True
    before, after = simhashes
    if before is None or after is None:
        return True
    bits = (before ^ after).bit_count()
    return bits > (ALIKE if abs(lengths[0] - lengths[1]) <= SLACK else NEAR)


def _age(modified_at: float | None, now: float) -> float | None:
    """Return how long ago a page says that it changed, if that can be true and says something."""
    if modified_at is None or modified_at <= 0 or now - modified_at < TOUCHED:
        return None
    return now - modified_at


def _packed(belief: list[float]) -> bytes:
    best = max(belief)
    return _PACKED.pack(*[min(int((best - known) * NAT + 0.5), LEAST) for known in belief])


def _unpacked(freshness: Freshness) -> list[float]:
    if len(freshness.posterior) != _PACKED.size:
        return prior("")
    return [-units / NAT for units in _PACKED.unpack(freshness.posterior)]
