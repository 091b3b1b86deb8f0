"""The frontier with its compiled parts and without them: whatever is done, byte for byte the same is on disk.

Without a compiler both are the pure one, and the tests say nothing.
"""

from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from gossamer.config.sections import Breaker, FrontierSettings, Politeness
from gossamer.frontier.embedded import ledger, schedule
from gossamer.frontier.embedded.facade import EmbeddedFrontier
from gossamer.frontier.heap import PureHeap
from gossamer.frontier.layout import journal, line, slots
from gossamer.frontier.layout.rows import HostRow, decode_page
from gossamer.records.entry import Entry, LinkKind, Priority, Verdict
from gossamer.records.host import HostPolicy
from gossamer.records.lease import Answer, Fate, Lease, Settlement
from gossamer.records.outcome import Outcome
from gossamer.records.reason import because
from gossamer.records.rules import Rule

NOW = 1_700_000_000.0
LEASE = 40.0
PURE = (
    (schedule, "Heap", PureHeap),
    (slots, "Gathered", slots.PureGathered),
    (slots, "find", slots.pure_find),
    (slots, "merge", slots.pure_merge),
)


def an_entry(random: Random) -> Entry:
    host = random.choice(("a.example", "b.example", "ü.example", "c" * random.randrange(1, 70)))
    path = random.choice(("", "ä", "x" * random.randrange(300), "\U0001f600")) + str(random.randrange(400))
    url = f"http://{host}/{path}"
    return Entry(
        url,
        url if random.random() < 0.8 else url.lower() + "?",
        host,
        depth=random.choice((0, 1, 127, 128, 300, 70_000, 1 << 33)),
        kind=random.choice(list(LinkKind)),
        via=random.choice(("", f"http://{host}/", "http://v/" + "v" * random.choice((30, 250, 70_000)))),
        score=random.choice((0.0, 0.5, 1.0, 1, random.random(), 1e9)),
        priority=random.choice(list(Priority)),
        redirects=random.choice((0, 5)),
        off_site=random.choice((0, 2, 200)),
        refused=random.choice((None,) * 9 + (Verdict(False, because(Rule.SCOPE_WITHIN, site="elsewhere", within="host")),)),
    )


def a_settlement(random: Random, lease: Lease, now: float, found: tuple[Entry, ...]) -> Settlement:
    answer = Answer(
        at=now + random.choice((0.3, 0.0, -3.0)),
        seconds=random.choice((0.0, 0.1, 1.0, 30.0)),
        failed=random.choice((False,) * 6 + (True, None)),
        robots_delay=random.choice((None,) * 9 + (2.0,)),
        block_until=random.choice((0.0,) * 9 + (now + 9,)),
        block_reason=because(Rule.POLITENESS_THROTTLED, status=429),
    )
    return Settlement(
        lease=lease,
        fate=random.choice((Fate.DONE,) * 5 + tuple(Fate)),
        outcome=random.choice(list(Outcome)),
        reason=random.choice((None, because(Rule.HTTP_STATUS, status=404), because("a.plugin", text="weil ä"))),
        due=random.choice((None, None, now + 5, now - 5)),
        answer=random.choice((answer, answer, answer, None)),
        discovered=found,
    )


async def drive(path: Path, seed: int, connections: int) -> tuple[Sequence[object], ...]:
    """Do what the seed says; return all rows of the store, those of the pages in an order of their own."""
    random, now = Random(seed), NOW
    patience = random.choice((2.0, 86400.0))  # with the former, hosts that are ready for longer than that are common
    settings = FrontierSettings(max_waiting=12, recent_keys=random.choice((0, 20, 1000)), cache=1 << 20, patience=patience)
    politeness = Politeness(delay=random.choice((0.0, 1.0)), connections=connections)
    frontier = EmbeddedFrontier.open_at(path, settings, politeness, Breaker(failures=2, open_for=5), LEASE, now, durable=False)
    leases: list[Lease] = []
    answers: list[object] = []
    for _ in range(50):
        now += random.choice((0.1, 1.0, 7.0))
        answers.append(await frontier.discover([an_entry(random) for _ in range(random.randrange(50))], now))
        if random.random() < 0.1:
            await frontier.set_policy("a.example", HostPolicy(priority=random.choice((None, Priority.HIGH)), max_qps=2.0))
        given = await frontier.lease(random.choice(("one", "two")), random.randrange(12), now)
        answers.append(given)
        leases += given.leases
        some = random.sample(leases, min(len(leases), 6))
        found = tuple(an_entry(random) for _ in range(random.choice((0, 3))))
        answers.append(await frontier.settle([a_settlement(random, lease, now, found) for lease in some], now))
    numbers = await frontier.statistics()  # a key may be forgotten between a look at many and the look at it: either answers
    numbers = replace(numbers, recent_hits=numbers.recent_hits + numbers.store_reads, store_reads=0)
    answers += [numbers, *sorted([str(host) async for host in frontier.hosts()]), *[known async for known in frontier.known()]]
    store = frontier._store
    moving = [pair for prefix in b"CDHLQSV" for pair in store.scan(bytes([prefix]))]
    sheets, urls = list(store._sheets.items()), list(store._urls.items())
    frontier._seen.slots.finish()
    moving += [(run.path.name.encode(), run.path.read_bytes()) for run in frontier._seen.slots._runs]
    pages = [decode_page(raw) for _, raw in store.pages_backwards()]
    told = [(page.meta, sorted(page.hosts, key=name_of), sorted(page.gone)) for page in pages]
    raw = [sorted(raw) for _, raw in store.pages_backwards()]
    await frontier.aclose()
    return answers, moving, sheets, urls, told, raw


def name_of(row: HostRow) -> str:
    return row.name


def written_at_once(self: slots.Slots, sequence: int, written=slots.Slots.written) -> None:
    self.finish()
    written(self, sequence)


@pytest.mark.parametrize("seed", range(8))
async def test_the_compiled_way_and_the_pure_one_answer_and_write_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(ledger, "RESTING", (0, 1000)[seed % 2])  # all or none: which rest longest, chance says
    monkeypatch.setattr(journal, "SLACK", 5)
    monkeypatch.setattr(line, "FEW", 2)
    monkeypatch.setattr(slots, "MANY", 1)  # or it depends on the thread what is written together
    monkeypatch.setattr(slots.Slots, "written", written_at_once)
    compiled = await drive(tmp_path / "compiled", seed, 1 + seed % 2)
    for module, name, pure in PURE:
        monkeypatch.setattr(module, name, pure)
    plain = await drive(tmp_path / "pure", seed, 1 + seed % 2)
    for one, other in zip(compiled, plain, strict=True):
        assert one == other


async def answer_for_long(path: Path, seed: int) -> Sequence[object]:
    """Let hosts answer hundreds of times, some of them with failures, so that their last requests fill all hundred bits."""
    random, now = Random(seed), NOW
    frontier = EmbeddedFrontier.open_at(
        path, FrontierSettings(), Politeness(delay=0.0), Breaker(failures=1000, error_share=1.0), LEASE, now, durable=False
    )
    shares = {f"{number}.example": share for number, share in enumerate((0.0, 0.01, 0.02, 0.1, 0.5, 0.99, 1.0))}
    found = [Entry(url, url, host) for host in shares for url in (f"http://{host}/{number}" for number in range(400))]
    await frontier.discover(found, now)
    for _ in range(350):
        now += 1
        given = await frontier.lease("one", 100, now)
        answers = [
            Answer(at=now, seconds=1.0, failed=random.choice((random.random() < shares[lease.entry.host], None, False)))
            for lease in given.leases
        ]
        ends = [
            Settlement(lease=lease, fate=Fate.DONE, outcome=Outcome.OK, answer=answer)
            for lease, answer in zip(given.leases, answers, strict=True)
        ]
        assert await frontier.settle(ends, now) == len(shares)
    told = sorted([status async for status in frontier.hosts()], key=lambda status: status.host)
    await frontier.aclose()
    return told


@pytest.mark.parametrize("seed", range(3))
async def test_hosts_with_any_mixture_of_failures_live_on_either_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    compiled = await answer_for_long(tmp_path / "compiled", seed)
    for module, name, pure in PURE:
        monkeypatch.setattr(module, name, pure)
    assert await answer_for_long(tmp_path / "pure", seed) == compiled


async def test_keys_and_hosts_of_every_length_are_found_again(tmp_path: Path) -> None:
    names = [*("ab"[n % 2] * n for n in range(1, 300)), "ä" * 120, "ä" * 121, "x" * 5000]
    found = [Entry(f"k{name}", name, f"h{name}") for name in names]
    frontier = EmbeddedFrontier.open_at(tmp_path, FrontierSettings(), Politeness(), Breaker(), LEASE, NOW, durable=False)
    await frontier.discover(found, NOW)
    assert [known.entry for name in names if (known := await frontier.lookup(name))] == found
    await frontier.aclose()
    (tmp_path / "seen.bloom").unlink()  # built anew by the library's fingerprints
    frontier = EmbeddedFrontier.open_at(
        tmp_path, FrontierSettings(recent_keys=0), Politeness(), Breaker(), LEASE, NOW, durable=False
    )
    assert (await frontier.discover(found, NOW)).known == len(names)
    assert not [name for name in names if await frontier.host(f"h{name}") is None]
    await frontier.aclose()
