"""Growth: a part of a host that brings forth URLs faster than anybody writes pages, or a host that does so without measure.

It is slowed, which costs an honest giant some patience and nothing else, and reported. Sizes are compared with hosts of about
as many fetched pages: a factor of two.

A host that yields only itself sinks as it grows: it was found nowhere else, leads nowhere else, and has more and more pages.
Between two of its turns others have some first, the more the larger it is; where nobody else has anything to fetch, it loses
nothing. A farm of generated words is one, whatever its words are, and so is a host of sitemaps that list sitemaps. Sitemaps
have a budget of their own, too, that grows with the pages of their host.
"""

from gossamer.config.sections import Traps
from gossamer.records.evidence import Growth, Ruling
from gossamer.records.reason import Reason, because
from gossamer.records.rules import Rule

HOUR = 3600
FEWEST_FETCHES = 8  # of a host that is compared with others
FEWEST_HOSTS = 5  # it is compared with
PAUSE = 20.0  # delays of the host
ALONE = 15  # fetched URLs of its own that a host may have before it sinks, and as many more for each link with others
BETWEEN = 30  # pages of others between two visits of all hosts that sink; more, the larger they are
SITEMAPS = 10  # that are fetched at once, and one more for each ten other URLs of the host


def grown(growth: Growth, fetched: int, found: int, page: str, now: float) -> Growth:
    """Return the figures after some more fetches."""
    hour = int(now // HOUR)
    in_hour = found + (growth.found_in_hour if hour == growth.hour else 0)
    page = page if found else growth.page
    return Growth(
        growth.fetched + fetched,
        growth.found + found,
        hour,
        in_hour,
        growth.slowed,
        growth.reason,
        page,
        growth.own,
        growth.outside,
        growth.sitemaps,
        growth.held,
        growth.ruling,
    )


def depth(growth: Growth) -> float:
    """Return how deep a host has sunk: 1 at the surface, 2 when it is twice as large as it may be; less: it does not."""
    return 0.0 if growth.ruling is Ruling.ALLOW else growth.own / (ALONE * (1 + growth.outside))


def is_held(growth: Growth) -> bool:
    """Tell whether others come first before a host has a turn, as long as there are any."""
    return growth.held > 0 and depth(growth) > 1


def sinking(growth: Growth) -> Reason:
    """Say why a host sinks."""
    return because(Rule.TRAPS_GROWTH, own=growth.own, fetched=growth.fetched, outside=growth.outside, page=growth.page)


def too_many_sitemaps(growth: Growth) -> Reason | None:
    """Say why a sitemap waits; None: it does not."""
    others = growth.fetched - growth.sitemaps
    if growth.ruling is Ruling.ALLOW or growth.sitemaps < SITEMAPS + others // SITEMAPS:
        return None
    return because(Rule.TRAPS_GROWTH, sitemaps=growth.sitemaps, others=others)


def size_of(growth: Growth) -> int:
    """Return the class of hosts that a host is compared with."""
    return growth.fetched.bit_length()


def is_modest(growth: Growth, settings: Traps) -> bool:
    """Tell that something has so few URLs that no rule slows it, whatever it is compared with."""
    return growth.found_in_hour < settings.growth_urls and growth.found < settings.growth_ratio * growth.fetched


def too_fast(before: Growth, after: Growth, settings: Traps, part: str = "the host") -> Reason | None:
    """Say why a part of a host is slowed now, once for each time the limit is reached again; None: it is not."""
    limit = settings.growth_urls
    known = before.found_in_hour if before.hour == after.hour else 0
    if after.found_in_hour // limit > known // limit:
        return because(Rule.TRAPS_GROWTH, part=part, in_hour=after.found_in_hour, limit=limit, page=after.page)
    return None


def out_of_proportion(growth: Growth, others: tuple[int, int, int], settings: Traps, part: str = "the host") -> Reason | None:
    """Say why a part of a host is slowed beside hosts of its size: (hosts, fetched, found); None: it is not."""
    hosts, fetched, found = others
    if hosts < FEWEST_HOSTS or growth.fetched < FEWEST_FETCHES or not fetched:
        return None
    usual = max(found / fetched, 1.0)
    own = growth.found / growth.fetched
    if own < settings.growth_ratio * usual:
        return None
    return because(Rule.TRAPS_GROWTH, part=part, per_page=own, hosts=hosts, usual=found / fetched, page=growth.page)
