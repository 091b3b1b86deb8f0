"""The shelf: what is in memory is what is in the store, hosts do not mix, and an operator's word is not written over."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from trying import FullKeyValue, LateKeyValue

from gossamer.config.sections import Traps
from gossamer.errors import DiskFull
from gossamer.joints.keyvalue import RUN
from gossamer.kv.memory import MemoryKeyValue
from gossamer.kv.rocks import RocksKeyValue
from gossamer.lessons import shelf as module
from gossamer.lessons.shelf import GROWTH, PARAMETER, PROBE, TEMPLATE, Shelf
from gossamer.records.evidence import Growth, Parameter, Probe, Ruling, TemplateTally
from gossamer.testing.kv import scanned

SETTINGS = Traps()
HEAVY = TemplateTally(fetched=100, weight=100, barren={"copy": 100}, bad=("http://a.test/1",))
LIGHT = TemplateTally(fetched=1, fresh=1)
COSMETIC = Parameter(same=9, places=(1, 2, 3), was_cosmetic=True)
NAME = ("a.test", TEMPLATE, "/x/{n}")


async def test_every_kind_of_record_is_read_back(tmp_path: Path) -> None:
    records = {
        ("a.test", TEMPLATE, "/x/{n}?a&b"): HEAVY,
        ("a.test", PARAMETER, "sid"): COSMETIC,
        ("a.test", PROBE, "/a/"): Probe(url="http://a.test/p", status=200, simhash=2**64 - 1, title="ü"),
        ("a.test", GROWTH, ""): Growth(fetched=3, found=9),
    }
    kv = RocksKeyValue.open_at(tmp_path / "kv")
    await Shelf(kv, SETTINGS).write(records, [(b"other", b"row")])
    assert await kv.at(RUN).get(b"other") == b"row"
    await kv.aclose()
    kv = RocksKeyValue.open_at(tmp_path / "kv")
    shelf = Shelf(kv, SETTINGS)
    host = await shelf.host("a.test")
    assert {
        ("a.test", letter, title): record
        for letter in (TEMPLATE, PARAMETER, PROBE, GROWTH)
        for title, record in host.table(letter).items()
    } == records
    assert (host.traps, host.cosmetic, host.has_rules) == ({"/x/{n}?a&b"}, {"sid"}, True)
    assert {(name, letter, title): record async for name, letter, title, record in shelf.everything()} == records
    await kv.aclose()


async def test_hosts_do_not_mix_however_alike_their_names() -> None:
    shelf = Shelf(MemoryKeyValue(), SETTINGS)
    names = ["a.test", "a.test.b", "a.tes", "xa.test"]
    for number, name in enumerate(names, start=1):
        await shelf.write({(name, GROWTH, ""): Growth(fetched=number)}, [])
    again = Shelf(shelf._kv, SETTINGS)
    assert [(await again.host(name)).growth for name in names] == [{"": Growth(fetched=number)} for number in (1, 2, 3, 4)]
    assert [row[0] async for row in again.everything("a.test")] == ["a.test"]


async def test_a_host_that_left_memory_comes_back_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_HOSTS", 3)
    shelf = Shelf(MemoryKeyValue(), SETTINGS)
    for number in range(20):
        await shelf.write({(f"{number}.test", TEMPLATE, "/x"): HEAVY}, [])
        assert len(shelf._hosts) <= 3
    assert all([(await shelf.host(f"{number}.test")).traps == {"/x"} for number in range(20)])
    assert await shelf.ruled() == {f"{number}.test" for number in range(20)}
    assert await shelf.rule(("0.test", TEMPLATE, "/x"), Ruling.ALLOW)
    assert (await shelf.host("0.test")).templates["/x"].fetched == 100


async def test_what_could_not_be_written_is_not_taken_over() -> None:
    kv = FullKeyValue()
    shelf = Shelf(kv, SETTINGS)
    await shelf.write({NAME: LIGHT}, [])
    kv.full = 2
    with pytest.raises(DiskFull):
        await shelf.write({NAME: HEAVY}, [])
    with pytest.raises(DiskFull):
        await shelf.rule(NAME, Ruling.BLOCK)
    host = await shelf.host("a.test")
    assert host.templates == {"/x/{n}": LIGHT} and not host.has_rules and not await shelf.ruled()
    await shelf.write({NAME: HEAVY}, [])
    assert await shelf.ruled() == await Shelf(kv, SETTINGS).ruled() == {"a.test"}


@pytest.mark.parametrize("survived", [0, 1, 2])
async def test_a_host_is_named_before_it_has_a_rule(survived: int) -> None:
    class Dying(MemoryKeyValue):
        """A store whose process is killed after some writes."""

        writes = 0

        async def put_all(self, pairs: Sequence[tuple[bytes, bytes]]) -> None:
            self.writes += 1
            if self.writes > survived:
                raise SystemExit
            await super().put_all(pairs)

    kv = Dying()
    with pytest.raises(SystemExit):
        await Shelf(kv, SETTINGS).write({NAME: HEAVY}, [])
    restarted = Shelf(kv, SETTINGS)
    assert (await restarted.host("a.test")).has_rules is (survived == 2)
    assert await restarted.ruled() == ({"a.test"} if survived else set()), "links to it would not be judged"
    kv.writes = -10
    await restarted.write({NAME: LIGHT}, [])
    assert await restarted.ruled() == await Shelf(kv, SETTINGS).ruled() == set(), "it is named only as long as it has one"


async def test_every_host_has_a_place_of_its_own_and_all_are_walked_over() -> None:
    kv = MemoryKeyValue()
    hosts = ("a.test", "a.test2", "")
    await Shelf(kv, SETTINGS).write({(host, GROWTH, ""): Growth(fetched=len(host) + 1) for host in hosts}, [(b"other", b"row")])
    assert {place async for place, _, _ in kv.walk("")} == {"lesson/a.test", "lesson/a.test2", "lesson/", RUN}
    shelf = Shelf(kv, SETTINGS)
    for host in hosts:
        assert (await shelf.host(host)).growth == {"": Growth(fetched=len(host) + 1)}, "of its own and of no other"
    assert sorted([row[0] async for row in shelf.everything()]) == sorted(hosts)
    assert [row[0] async for row in shelf.everything("a.test")] == ["a.test"]


async def test_a_host_without_rules_is_no_longer_named(tmp_path: Path) -> None:
    kv = RocksKeyValue.open_at(tmp_path / "kv")
    shelf = Shelf(kv, SETTINGS)
    await shelf.write({NAME: HEAVY, ("a.test", PARAMETER, "sid"): COSMETIC, ("b.test", TEMPLATE, "/"): HEAVY}, [])
    await shelf.write({NAME: LIGHT}, [])
    assert await shelf.ruled() == {"a.test", "b.test"}, "it has another rule"
    await shelf.rule(("a.test", PARAMETER, "sid"), Ruling.ALLOW)
    assert await shelf.ruled() == await Shelf(kv, SETTINGS).ruled() == {"b.test"}
    await shelf.rule(NAME, Ruling.BLOCK)
    assert await Shelf(kv, SETTINGS).ruled() == {"a.test", "b.test"}
    await kv.aclose()


@pytest.mark.parametrize(
    ("letter", "before", "learned"),
    [
        (TEMPLATE, LIGHT, HEAVY),
        (PARAMETER, Parameter(same=1), Parameter(same=2)),
        (PROBE, Probe(url="u"), Probe(url="u", status=200)),
    ],
)
async def test_what_is_learned_never_changes_what_an_operator_ruled(letter: str, before: object, learned: object) -> None:
    kv = MemoryKeyValue()
    shelf = Shelf(kv, SETTINGS)
    name = ("a.test", letter, "x")
    await shelf.write({name: before}, [])
    await shelf.rule(name, Ruling.BLOCK)
    await shelf.write({name: learned}, [])  # made before the ruling
    for each in (shelf, Shelf(kv, SETTINGS)):
        kept = (await each.host("a.test")).table(letter)["x"]
        assert kept.ruling is Ruling.BLOCK and kept != before, "the evidence is learned, the ruling stays"
    await shelf.rule(name, Ruling.NONE)
    assert (await Shelf(kv, SETTINGS).host("a.test")).table(letter)["x"].ruling is Ruling.NONE


async def test_a_probe_that_is_made_anew_leaves_a_ruling_of_an_earlier_run_alone() -> None:
    kv, name = MemoryKeyValue(), ("a.test", PROBE, "/")
    await Shelf(kv, SETTINGS).rule(name, Ruling.ALLOW)
    restarted = Shelf(kv, SETTINGS)
    await restarted.write({name: Probe(url="u", status=200)}, [])
    assert (await restarted.host("a.test")).probes["/"] == Probe(url="u", status=200, ruling=Ruling.ALLOW)


async def test_a_ruling_and_a_commit_at_the_same_time_lose_nothing() -> None:
    for is_ruled_first in (True, False):
        kv = LateKeyValue()
        shelf = Shelf(kv, SETTINGS)
        await shelf.write({NAME: LIGHT}, [])
        steps = [shelf.rule(NAME, Ruling.BLOCK), shelf.write({NAME: HEAVY}, [])]
        await asyncio.gather(*(steps if is_ruled_first else reversed(steps)))
        for each in (shelf, Shelf(kv, SETTINGS)):
            tally = (await each.host("a.test")).templates["/x/{n}"]
            assert (tally.ruling, tally.weight) == (Ruling.BLOCK, 100)


async def test_a_parameter_that_left_keys_is_remembered_whoever_ruled_since() -> None:
    shelf = Shelf(MemoryKeyValue(), SETTINGS)
    name = ("a.test", PARAMETER, "sid")
    await shelf.rule(name, Ruling.BLOCK)
    await shelf.rule(name, Ruling.ALLOW)
    await shelf.write({name: Parameter(other=5)}, [])
    evidence = (await shelf.host("a.test")).parameters["sid"]
    assert (evidence.was_cosmetic, evidence.ruling, evidence.other) == (True, Ruling.ALLOW, 5)


async def test_only_what_there_is_can_be_left_to_the_evidence() -> None:
    kv = MemoryKeyValue()
    shelf = Shelf(kv, SETTINGS)
    assert await shelf.rule(NAME, Ruling.NONE) is False
    assert await scanned(kv, b"") == []
    assert await shelf.rule(NAME, Ruling.BLOCK) is await shelf.rule(NAME, Ruling.NONE) is True
