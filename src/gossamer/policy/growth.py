"""Growth: a part of a host that brings forth URLs faster than anybody writes pages, or a host that does so without measure.

It is slowed, which costs an honest giant some patience and nothing else, and reported. Sizes are compared with hosts of about
as many fetched pages: a factor of two.
"""

from gossamer.config.sections import Traps
from gossamer.evidence import Growth

HOUR = 3600
FEWEST_FETCHES = 8  # of a host that is compared with others
FEWEST_HOSTS = 5  # it is compared with
PAUSE = 20.0  # delays of the host


def grown(growth: Growth, fetched: int, found: int, page: str, now: float) -> Growth:
    """Return the figures after some more fetches."""
    hour = int(now // HOUR)
    in_hour = found + (growth.found_in_hour if hour == growth.hour else 0)
    page = page if found else growth.page
    return Growth(growth.fetched + fetched, growth.found + found, hour, in_hour, growth.slowed, growth.reason, page)


def size_of(growth: Growth) -> int:
    """Return the class of hosts that a host is compared with."""
    return growth.fetched.bit_length()


def is_modest(growth: Growth, settings: Traps) -> bool:
    """Tell that something has so few URLs that no rule slows it, whatever it is compared with."""
    return growth.found_in_hour < settings.growth_urls and growth.found < settings.growth_ratio * growth.fetched


def too_fast(before: Growth, after: Growth, settings: Traps) -> str:
    """Say why something is slowed now, once for each time the limit is reached again; an empty text: it is not."""
    limit = settings.growth_urls
    known = before.found_in_hour if before.hour == after.hour else 0
    if after.found_in_hour // limit > known // limit:
        return f"{after.found_in_hour:,} URLs in an hour, {limit:,} are usual at most; last from {after.page}"
    return ""


def out_of_proportion(growth: Growth, others: tuple[int, int, int], settings: Traps) -> str:
    """Say why a host is slowed beside others of its size: (hosts, fetched, found); an empty text: it is not."""
    hosts, fetched, found = others
    if hosts < FEWEST_HOSTS or growth.fetched < FEWEST_FETCHES or not fetched:
        return ""
    usual = max(found / fetched, 1.0)
    own = growth.found / growth.fetched
    if own < settings.growth_ratio * usual:
        return ""
    return f"{own:,.0f} URLs a page, {hosts} hosts of its size have {found / fetched:,.1f}; last from {growth.page}"
