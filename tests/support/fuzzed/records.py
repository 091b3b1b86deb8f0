"""Targets off the web's reach: what the frontier and the graph keep, whole and damaged, compiled against pure."""

import tempfile
from math import isclose
from pathlib import Path

from fuzzed.feed import Feed
from gossamer.errors import StoreError
from gossamer.frontier import _heap, _journal, _lease, _schedule, _sheet, _slots, slots
from gossamer.frontier.bloom import GrowingBloom, dump, load
from gossamer.frontier.heap import PureHeap
from gossamer.frontier.journal import row_of
from gossamer.frontier.keys import TICKET
from gossamer.frontier.line import whole
from gossamer.frontier.rows import encode
from gossamer.frontier.schedule import NEW_CLOCK, NO_POLICY, Host, Hosts
from gossamer.frontier.sheets import PureSheet, written_in
from gossamer.frontier.turns import Turn
from gossamer.records.entry import Entry, LinkKind, Priority, Verdict
from gossamer.records.host import HostClock
from gossamer.records.lease import Lease
from gossamer.records.reason import because
from gossamer.storage._ranking import Ranking
from gossamer.storage.ranking import PureRanking

_LEASE = Lease(token=0, worker="", entry=Entry("", "", ""), leased_at=0.0, until=1.0)
_BOOKS = (([0, 0], (1, 1)), ([0, 0, 0], (1, 1, 1)), ([0, 0, 0], (1, 1, 1)))
_NOBODY = Turn(Host("", 0), b"", NEW_CLOCK, NEW_CLOCK, 0.0, 1)


def _entry(feed: Feed) -> Entry:
    url, kinds, priorities = feed.text().encode("utf-8", "replace").decode(), list(LinkKind), list(Priority)
    return Entry(
        url,
        url if feed.number() & 1 else "key",
        feed.text(20).encode("utf-8", "replace").decode(),
        depth=feed.choice((0, 127, 128, 255, 256, 65_536, 1 << 40)),
        kind=feed.choice(kinds),
        via=feed.choice(("", "v" * 31, "v" * 32, "v" * 256, "v" * 65_536)),
        score=feed.choice((0.0, -1.5, 1e300, 1)),
        priority=feed.choice(priorities),
        redirects=feed.number(),
        off_site=feed.number(2),
        refused=feed.choice((None, None, Verdict(False, because("a", text="b")))),
    )


def sheet(data: bytes) -> None:
    """Write entries as msgspec does, and read them, damaged or not, as Python reads them."""
    feed = Feed(data)
    both = _sheet.Sheet(encode), PureSheet(encode)
    count = 1 + feed.number() % 8
    for number in range(count):
        entry = _entry(feed)
        assert both[0].add(1 + number, number, entry, 1.5) == both[1].add(1 + number, number, entry, 1.5)
    raw, other = (each.take() for each in both)
    assert raw == other
    for _ in range(feed.number() % 4):
        at = feed.number(2) % len(raw)
        raw = raw[:at] if feed.number() < 32 else raw[:at] + bytes([feed.number()]) + raw[at + 1 :]
        raw = raw or b"\0"
    for place in range(8):
        reference = 1 + place << 8 | place << 3
        made = []
        for compiled in (True, False):
            try:
                if compiled:
                    turn = Turn(Host("a", 1), b"\1" + bytes(8) + reference.to_bytes(8, "big"), NEW_CLOCK, NEW_CLOCK, 0.0, 1)
                    (lease,) = _lease.begin([turn], ["me"], [bytes(bytearray(raw))], [], 1, _LEASE, {}, written_in)
                    made.append(repr((lease.entry, turn.slot, lease.discovered_at)))
                else:
                    written = written_in(raw, reference)
                    made.append(repr((written.entry, written.slot, written.discovered_at)))
            except StoreError as problem:
                made.append(type(problem).__name__)
        assert made[0] == made[1], made


def line(data: bytes) -> None:
    """Take a line as Python does or refuse it as Python does; lease the first of its queue."""
    feed = Feed(data)
    if feed.number() & 1:
        raw = b"".join(sorted(bytes([feed.number() % 7]) + feed.take(16).ljust(16, b"\0") for _ in range(feed.number() % 20)))
    else:
        raw = feed.rest()
    host, heaps = Host("a", 1), tuple(_heap.Heap() for _ in range(7))
    try:
        host.line = raw
        is_line = True
    except ValueError:
        is_line = False
    try:
        assert (whole(raw) == raw) is is_line
    except StoreError:
        assert not is_line
        return
    tickets = [raw[at : at + TICKET] for at in range(0, len(raw), TICKET)]
    host.since = 1.0
    _schedule.place_all([host], heaps, print, NO_POLICY, 1, 1000)
    claimed = _lease.claim(heaps, 5, 2.0, 9.0, _BOOKS, 0.0, NO_POLICY, _NOBODY)
    assert len(claimed) == bool(tickets)
    for turn in claimed:
        assert turn.ticket == next(ticket for ticket in tickets if ticket[0] == turn.ticket[0]) == host.out
        tickets.remove(turn.ticket)
        assert host.line == b"".join(tickets)
        _lease.noted(claimed)


def journal(data: bytes) -> None:
    """Write rows of hosts as msgspec does."""
    feed = Feed(data)
    hosts: list[Host] = []
    while feed:
        clock = HostClock(
            recent=feed.wide() << feed.number() % 36, next_time=float(feed.number(4)), probing=bool(feed.number() & 1)
        )
        host = Host(feed.text().encode("utf-8", "replace").decode(), feed.number(4), clock=feed.choice((clock, NEW_CLOCK)))
        host.line = (b"\3" + bytes(16)) * (feed.number() % 20)
        host.more = feed.choice((None, tuple(feed.number(3) for _ in range(7))))
        host.later, host.first_due = feed.number(5), feed.choice((1.5, float("inf")))
        hosts.append(host)
    rows = [encode(row_of(host, 3)) for host in hosts]
    assert _journal.encode_each(hosts, 9, 3, encode, row_of, NO_POLICY, NEW_CLOCK) == rows
    assert _journal.encode_all(hosts, 9, 3, encode, row_of, NO_POLICY, NEW_CLOCK) == encode([row_of(host, 3) for host in hosts])
    assert _journal.still_in(hosts, 9) == hosts


def bloom(data: bytes) -> None:
    """Never deny a number that was added; a damaged dump is no filter, or one that denies none either."""
    feed = Feed(data)
    made, numbers = GrowingBloom(1 + feed.number()), list[int]()
    while feed:
        numbers.append(feed.wide())
        made.add(numbers[-1])
    assert all(number in made for number in numbers)
    raw = dump(made)
    assert load(raw, GrowingBloom) is not None
    at = len(raw) * (len(data) % 97) // 97
    for layers in ([], [raw[:63]], [raw[:64], b""], [bytes(64)] * 40):
        try:
            made.restore(layers, 1, 0, 0)
        except ValueError:
            pass
    assert all(number in made for number in numbers)
    damaged = load(raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :], GrowingBloom)
    assert damaged is None or all(number in damaged for number in numbers)


def slot(data: bytes) -> None:
    """Gather, write, merge and find pairs as the plain way does, and look into damaged files without harm."""
    feed = Feed(data)
    gathered: list[tuple[_slots.Gathered, slots.PureGathered]] = []
    for _ in range(1 + feed.number() % 3):
        both = _slots.Gathered(), slots.PureGathered()
        for _ in range(feed.number(2) % 700):
            pair = feed.wide(), 1 + feed.number(3)
            for each in both:
                each.add(*pair)
        gathered.append(both)
    with tempfile.TemporaryDirectory() as place:
        paths = [Path(place) / f"0-{number}.run" for number in range(len(gathered))]
        for path, (one, other) in zip(paths, gathered, strict=True):
            assert one.pairs() == other.pairs() and len(one) == len(other)
            path.write_bytes(one.pairs())
        merged, plain = Path(place) / "0-9.run", Path(place) / "plain"
        _slots.merge([str(path) for path in paths], str(merged))
        slots.pure_merge([str(path) for path in paths], str(plain))
        assert merged.read_bytes() == plain.read_bytes()
        run = slots._finished(merged, 0, 9)
        assert run.problem == ""
        for wanted in {feed.wide() for _ in range(20)} | set(gathered[0][1]):
            told = next((other[wanted] for _, other in gathered if wanted in other), None)
            assert run.find(wanted) == told == slots.pure_find(run._file.fileno(), run._fences, wanted)
        run.close()
        run.path.write_bytes(data)
        damaged = slots.Run(run.path)
        assert bool(damaged.problem) is (data != plain.read_bytes())
        damaged.close()
        merged.write_bytes(data)
        _slots.merge([str(merged), str(plain)], str(paths[0]))
        with merged.open("rb") as file:
            _slots.find(file.fileno(), memoryview(data)[len(data) % 8 :], feed.wide())


def host(data: bytes) -> None:
    """Keep hosts and heaps as Python's own do."""
    feed = Feed(data)
    hosts, known, heaps = Hosts(), dict[str, Host](), (_heap.Heap(), PureHeap[Host]())
    while feed:
        name, what = str(feed.number() % 40) + "x" * (feed.number() % 2 * 250), feed.number() % 5
        if what < 3:
            hosts[name] = known[name] = Host(name, feed.number(3))
            time = float(feed.number() % 8)
            for heap in heaps:
                heap.push(time, known[name].number, known[name])
        elif what == 3:
            assert hosts.pop(name, None) is known.pop(name, None)
        elif heaps[1]:
            assert heaps[0].time == heaps[1].time and heaps[0].pop().number == heaps[1].pop().number
        assert hosts.get(name) is known.get(name) and len(hosts) == len(known) and len(heaps[0]) == len(heaps[1])
    assert {id(each) for each in hosts.values()} == {id(each) for each in known.values()}
    assert sorted(entry[:2] for entry in heaps[0].drain()) == sorted(entry[:2] for entry in heaps[1].drain())


def ranking(data: bytes) -> None:
    """Take the blocks of a graph that the plain way takes, and rank alike."""
    feed = Feed(data)
    both = Ranking(1 << 30), PureRanking(1 << 30)
    number = 0
    while feed:
        pages, edges = feed.number() % 5, feed.number() % 20
        counts = [edges // pages + (place < edges % pages) for place in range(pages)] if pages else []
        names = b"".join((number + place).to_bytes(8, "little") for place in range(pages))
        number += pages  # none is read again: what only an old version of it linked is forgotten by one of them
        targets = b"".join(feed.wide().to_bytes(8, "little") for _ in range(edges if pages else 0))
        columns = names + b"".join(count.to_bytes(4, "little") for count in counts) + targets + feed.take(len(targets) // 8)
        columns = columns if feed.number() < 240 else columns[:-1] + feed.take(3)
        taken = []
        for each in both:
            try:
                taken.append(each.add(columns, pages, edges))
            except ValueError:
                taken.append(False)
        assert taken[0] == taken[1]
    for each in both:
        each.rank(0.85, 1e-9, 200)
    assert len(both[0]) == len(both[1]) and both[0].pages == both[1].pages
    told = [{name: (rank, hosts) for name, rank, hosts in each.best(1000, 0.0, 0.0)} for each in both]
    assert told[0].keys() == told[1].keys()
    assert all(isclose(rank, told[1][name][0], rel_tol=1e-3) for name, (rank, _) in told[0].items())
    assert both[0].table()[: 8 * len(both[0])] == both[1].table()[: 8 * len(both[0])]


TARGETS = (sheet, line, journal, bloom, slot, host, ranking)
