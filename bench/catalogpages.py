"""Pages for a catalog as a broad crawl fills it: few hosts with very many pages, very many with few; most pages end well.

The same numbers give the same pages. Page n was fetched before page n + 1, and the pages of all hosts come mixed.
"""

from base64 import b32encode
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate
from random import Random

from bench import site
from gossamer.records.outcome import Outcome
from gossamer.records.page import Page, Place
from gossamer.records.reason import because

BEGAN = 1_700_000_000.0
A_SECOND = 100  # pages
HUGE, LARGE = "www.huge.example", 20  # a third of all pages are of one host, a third of twenty
WORDS = 20_000
EVERYWHERE = "report"  # a word that every second title has
_NEVER = Outcome.GONE, 404, "text/html", because("http.status", status=404)


@lru_cache(maxsize=1)
def words() -> list[str]:
    """Return the words of titles, the most usual ones first."""
    chance = Random(7)
    return ["".join(chance.choices(site.SYLLABLES, k=3)) + str(number % 10) for number in range(WORDS)]


@lru_cache(maxsize=1)
def _weights() -> list[float]:
    return list(accumulate(1 / (number + 10) for number in range(WORDS)))


def batches(count: int, size: int, first: int = 0) -> Iterator[list[Page]]:
    """Walk over so many pages, some at a time, as a crawl commits them."""
    for start in range(first, first + count, size):
        chance = Random(start)
        titles = chance.choices(words(), cum_weights=_weights(), k=7 * size)
        yield [
            _page(number, chance, titles[7 * place : 7 * place + 7])
            for place, number in enumerate(range(start, min(start + size, first + count)))
        ]


def host_of(number: int, chance: Random) -> str:
    """Return the host of a page: a small one has about fifty."""
    share = chance.random()
    if share < 1 / 3:
        return HUGE
    if share < 2 / 3:
        return f"www.large{chance.randrange(LARGE)}.example"
    return f"www.small{chance.randrange(1 + number // 150)}.example"


def _page(number: int, chance: Random, title: list[str]) -> Page:
    host = host_of(number, chance)
    url = f"https://{host}/{site.SECTIONS[number % 10]}/{title[0]}-{title[1]}-{number}.html"
    outcome, status, mime, reason = Outcome.OK, 200, "text/html", None
    kind = chance.randrange(1_000)
    if kind < 60:
        outcome, status, reason = Outcome.REDIRECTED, 301, because("http.redirect", to=f"{url}/")
    elif kind < 100:
        outcome, status, mime, reason = _NEVER
    elif kind < 120:
        outcome, status, mime, reason = Outcome.TIMED_OUT, 0, "", because("fetch.timeout", seconds=30)
    elif kind < 150:
        outcome = Outcome.DUPLICATE
    elif kind < 180:
        mime = "application/pdf"
    elif kind == 180:
        mime = "image/x-rare"
    is_kept = outcome in (Outcome.OK, Outcome.DUPLICATE)
    return Page(
        url=url,
        key=url,
        host=host,
        outcome=outcome,
        reason=reason,
        status=status,
        mime=mime,
        digest=f"sha1:{b32encode(chance.randbytes(20)).decode()}",
        length=chance.randrange(2_000, 90_000),
        title=" ".join([EVERYWHERE, *title] if number % 2 else title),
        language="en",
        charset="utf-8" if mime == "text/html" else "",
        fetched_at=BEGAN + number / A_SECOND,
        captured_at=BEGAN + number / A_SECOND,
        response_seconds=0.125,
        depth=3,
        via=f"https://{host}/{site.SECTIONS[number % 10]}/",
        duplicate_of=f"https://{host}/" if outcome is Outcome.DUPLICATE else "",
        truncated="length" if kind == 999 else "",
        links=100,
        links_cut=5 if kind == 998 else 0,
        place=Place(f"gossamer-20261118133146-{number // 20_000:06}-one.warc.gz", number % 20_000 * 9_001, 7_000)
        if is_kept
        else None,
        simhash=chance.getrandbits(64) if is_kept else None,
        outlinks=chance.getrandbits(64),
        token=number + 1,
    )
