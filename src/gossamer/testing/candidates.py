"""URLs of every shape, as they come out of pages: for the checkers of what judges and orders them."""

from collections.abc import Iterator

from gossamer.records.candidate import Candidate
from gossamer.records.entry import LinkKind
from gossamer.url.parse import split

URLS = (
    "http://site.test/",
    "https://site.test:8443/a/b/c.html?d=e&f=%C3%A9",
    "http://site.test/?",
    "http://site.test/" + "long/" * 2_000,
    "http://site.test/a?" + "&".join(f"p{number}={number}" for number in range(1_000)),
    "http://site.test//a/./b/;c=d/%2F%00%FF",
    "http://xn--bcher-kva.test./",
    "http://192.0.2.1/",
    "http://[2001:db8::1]:8080/x",
    "http://other.test/download.tar.gz",
    "file:///srv/pages/index.html",
    "gopher://site.test/1",
)


def candidates() -> Iterator[Candidate]:
    """Walk over URLs of every shape, each found in every way, near and far."""
    for url in map(split, URLS):
        for kind in LinkKind:
            yield Candidate(url, depth=0 if kind is LinkKind.SEED else 1, kind=kind)
        yield Candidate(url, depth=1_000, kind=LinkKind.ANCHOR, off_site=7, nofollow=True)
        yield Candidate(url, depth=3, kind=LinkKind.REDIRECT, redirects=20)
