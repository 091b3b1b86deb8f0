"""The journal: what each call changed about hosts, a page a call, so that a call writes one row instead of one for each host.

A host with work, or without since lately, stands in the last page that names it; one that rests for longer stands in a row of
its own and is named as gone. On opening, the pages are read from the last to the first: what is said of a host first is true.
The oldest page is thrown away when the pages hold much more than the hosts they are about; what was still true in it is written
into the current one.

Compared with a row a host a call this saved two of three rows a URL.
"""

from collections import deque
from collections.abc import Callable, Iterator

from msgspec.structs import replace

from gossamer.frontier.layout.host import NEW_CLOCK, NO_POLICY, Host
from gossamer.frontier.layout.keys import number_in, number_key
from gossamer.frontier.layout.rows import LOW_BITS, HostRow, Meta, decode_page, encode
from gossamer.frontier.layout.store import Batch, Store

SLACK = 50_000  # rows the journal may hold beside twice as many as there are hosts


def row_of(host: Host, opening: int) -> tuple[object, ...]:
    """Return a host as it is written: the fields of `HostRow`, as a tuple, which is made and encoded in a third of the time."""
    clock = host.clock
    recent = clock.recent
    return (
        host.name,
        host.number,
        host.line,
        host.out,
        host.more,
        host.later,
        host.first_due,
        opening,
        None if host.policy is NO_POLICY else host.policy,
        None if clock is NEW_CLOCK else clock if recent <= LOW_BITS else replace(clock, recent=recent & LOW_BITS),
        recent >> 64,
    )


def rows_of(hosts: list[Host], opening: int) -> list[bytes]:
    """Return hosts as they are written in rows of their own; no page has them any more."""
    for host in hosts:
        host.page = 0
    return [encode(row_of(host, opening)) for host in hosts]


def _page(meta: Meta, hosts: list[Host], gone: list[str]) -> bytes:
    """Return a page as it is written, and note in the hosts that they are in it."""
    page, opening = meta.page, meta.opening
    for host in hosts:
        host.page = page
    return encode((meta, [row_of(host, opening) for host in hosts], gone))


class Journal:
    """The pages of one open store."""

    __slots__ = ("_held", "_meta", "_pages", "_store")

    def __init__(self, store: Store, meta: Meta) -> None:
        self._store = store
        self._meta = meta
        self._pages: deque[tuple[int, list[Host]]] = deque()
        self._held = 0  # rows in all of them

    def write(self, batch: Batch, changed: set[Host], gone: list[str], hosts: int) -> None:
        """Add a page about the hosts that changed, and about those whose last page has become too old; `hosts` have work."""
        meta = self._meta
        while self._pages and self._held > 2 * hosts + SLACK:
            old, named = self._pages.popleft()
            self._held -= len(named)
            batch.delete(number_key(old), self._store.pages)
            changed.update([host for host in named if host.page == old])
        meta.page += 1
        named = list(changed)
        meta.oldest = self._pages[0][0] if self._pages else meta.page
        batch.put(number_key(meta.page), _page(meta, named, gone), self._store.pages)
        self._pages.append((meta.page, named))
        self._held += len(named)

    def replay(self, revive: Callable[[HostRow], Host]) -> Iterator[Host]:
        """Give every host that had work when the last page was written."""
        told: set[str] = set()
        for key, raw in self._store.pages_backwards():
            number = number_in(key)
            if number < self._meta.oldest:
                break  # thrown away; only the store has not noticed yet
            page = decode_page(raw)
            told.update(page.gone)
            named: list[Host] = []
            self._pages.appendleft((number, named))
            for row in page.hosts:
                if row.name not in told:
                    told.add(row.name)
                    host = revive(row)
                    host.page = number
                    named.append(host)
                    yield host
            self._held += len(named)


def last_meta(store: Store) -> Meta:
    """Return the counters as of the last page; of a new store, new ones."""
    return next((decode_page(raw).meta for _, raw in store.pages_backwards()), Meta())
