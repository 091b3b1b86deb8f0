"""Scale on paper: what a crawl of so many pages in such a time needs. Arithmetic and nothing else.

Sizes are bytes and 1 KB is 1,000 of them, as disks and networks are sold. The same sums, done by hand, are in
docs/explanation/estimate.md; a test compares them.
"""

from math import ceil, isfinite, log

from msgspec import Struct

from gossamer.errors import UsageError

DAY = 86400
FULL = 0.7  # a store is filled to this share at most
BLOOM_ERROR = 0.01  # share of new URLs for which the filter cannot say that they are new
FINGERPRINT = 8  # bytes of a URL in the exact seen set
DNS_ENTRY = 100  # bytes of a cached name: name, address, times
PAGES_PER_CPU_SECOND = 350.0  # measured with pages of 150 KB and 264 links, see docs/explanation/performance.md


class Wish(Struct, frozen=True, kw_only=True):
    """The crawl to estimate, and the machine it runs on."""

    pages: float
    page_kilobytes: float = 100.0
    cycle_days: float = 28.0
    hosts: float = 10_000_000
    host_rate: float = 1.0  # requests a second to one host
    pages_per_cpu_second: float = PAGES_PER_CPU_SECOND
    cores: float = 16  # of a machine


class Estimate(Struct, frozen=True, kw_only=True):
    """The time, disk and memory that a crawl needs."""

    pages_per_second: float
    bits_per_second: float
    bytes_per_cycle: float
    bytes_of_storage: float  # of which no more than 70 % are used
    bloom_bytes: float
    seen_bytes: float
    dns_bytes: float
    workers: int
    machines: int
    polite_pages_per_second: float  # as many as politeness allows
    is_polite: bool
    shortest_cycle_days: float  # with these hosts at this rate


def estimate(wish: Wish) -> Estimate:
    """Return what a crawl needs."""
    _check(wish)
    rate = wish.pages / (wish.cycle_days * DAY)
    size = wish.page_kilobytes * 1000
    allowed = wish.hosts * wish.host_rate
    workers = ceil(rate / wish.pages_per_cpu_second)
    return Estimate(
        pages_per_second=rate,
        bits_per_second=rate * size * 8,
        bytes_per_cycle=wish.pages * size,
        bytes_of_storage=wish.pages * size / FULL,
        bloom_bytes=bloom_bytes(wish.pages),
        seen_bytes=wish.pages * FINGERPRINT,
        dns_bytes=wish.hosts * DNS_ENTRY,
        workers=workers,
        machines=ceil(workers / wish.cores),
        polite_pages_per_second=allowed,
        is_polite=rate <= allowed,
        shortest_cycle_days=wish.pages / allowed / DAY,
    )


def bloom_bytes(urls: float, error: float = BLOOM_ERROR) -> float:
    """Return the size of the best Bloom filter for so many URLs: -ln(error) / ln(2)^2 bits each."""
    return urls * -log(error) / log(2) ** 2 / 8


def _check(wish: Wish) -> None:
    for name in wish.__struct_fields__:
        number = getattr(wish, name)
        if not (isfinite(number) and number > 0):
            raise UsageError(f"{name.replace('_', ' ')} is {number:g}; give a number above zero")
    if wish.hosts > wish.pages:
        raise UsageError(f"{wish.hosts:,.0f} hosts have at least as many pages, but there are {wish.pages:,.0f}; lower --hosts")
