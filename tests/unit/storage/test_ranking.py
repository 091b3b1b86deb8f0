"""Ranks of a graph that grows, compiled and pure, against each other and against the ranks of the whole graph."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.edges import NOFOLLOW, NUMBERS, pack
from gossamer.errors import StoreError
from gossamer.policy import pagerank
from gossamer.records.entry import LinkKind
from gossamer.storage import linkgraph, ranking
from gossamer.storage.edgeblocks import blocks, columns
from gossamer.storage.linkgraph import EdgeLog
from gossamer.storage.ranking import DAMPING, GrowingRanks, PureRanking, Ranking
from gossamer.storage.ranks import PageRanks

ANCHOR, IMAGE = NUMBERS[LinkKind.ANCHOR], NUMBERS[LinkKind.IMAGE]
ROOMY = 1 << 28
EXACT = (DAMPING, 1e-12, 1000)
KINDS = list(dict.fromkeys((Ranking, PureRanking)))  # one, where nothing is compiled
each_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__module__.rpartition(".")[2])

Pages = Sequence[tuple[int, Sequence[int]]]


def block(pages: Pages, hosts: Sequence[int] = ()) -> tuple[bytes, int, int]:
    packed = [(page, pack(targets, [ANCHOR] * len(targets))) for page, targets in pages]
    return columns(packed, hosts), len(pages), sum(len(targets) for _, targets in pages)


def ranked(kind: type[PureRanking], *blocks: tuple[bytes, int, int]) -> PureRanking:
    made = kind(ROOMY)
    for each in blocks:
        assert made.add(*each)
    made.rank(*EXACT)
    return made


def table_of(made: PureRanking) -> dict[int, float]:
    rows, count = made.table(), len(made)
    assert len(rows) == 12 * count
    names, ranks = np.frombuffer(rows, "<u8", count).tolist(), np.frombuffer(rows, "<f4", count, 8 * count).tolist()
    assert names == sorted(names)
    return dict(zip(names, ranks, strict=True))


@each_kind
def test_what_waits_is_ranked_by_the_pages_that_link_it(kind: type[PureRanking]) -> None:
    made = ranked(kind, block([(1, [2, 3, 4, 9]), (2, [1, 9])]), block([(3, [9, 9, 3])]))
    assert made.pages == 3 and len(made) == 5
    (first, rank, hosts), (second, lower, _) = made.best(9, 0.0, 1.0)
    assert (first, second, hosts) == (9, 4, 0)
    assert rank > 1 > lower and rank + lower == pytest.approx(2), "ranks are in averages of what waits"
    table = table_of(made)
    assert sum(table.values()) == pytest.approx(5) and table[9] / table[4] == pytest.approx(rank / lower, rel=1e-5)


@each_kind
def test_only_the_best_are_told_and_again_only_when_they_have_risen(kind: type[PureRanking]) -> None:
    made = ranked(kind, block([(1, [10, 11, 12]), (2, [11, 12]), (3, [12])]))
    assert [name for name, *_ in made.best(2, 0.0, 1.5)] == [12, 11]
    assert [name for name, *_ in made.best(2, 0.0, 1.5)] == [10], "told twice, or what was beyond the limit is forgotten"
    assert made.add(*block([(page, [10]) for page in range(4, 9)]))
    made.rank(*EXACT)
    assert [name for name, *_ in made.best(9, 0.0, 1.5)] == [10]
    assert made.best(9, 5.0, 0.0) == [], "a rank below the least was told"


@each_kind
def test_links_that_say_nothing_count_nothing(kind: type[PureRanking]) -> None:
    edges = pack([7, 8, 9], [ANCHOR | NOFOLLOW, IMAGE, ANCHOR])
    made = ranked(kind, (columns([(1, edges)]), 1, 3))
    assert sorted(table_of(made)) == [1, 9]


@each_kind
def test_the_hosts_that_link_a_url_are_counted(kind: type[PureRanking]) -> None:
    pages = [(page, [99] if page < 4 else [98]) for page in range(6)]
    made = ranked(kind, block(pages, [5 | 1 << 60, 6, 6, 7, 8, 8]), block([(50, [97])]))
    assert {name: hosts for name, _, hosts in made.best(9, 0.0, 1.0)} == {99: 3, 98: 1, 97: 0}


@each_kind
def test_a_page_that_is_read_again_links_what_it_links_now(kind: type[PureRanking]) -> None:
    once = ranked(kind, block([(1, [2, 3, 4])]), block([(2, [5])]), block([(1, [6])]), block([(2, [1, 3, 7])]))
    other = ranked(kind, block([(1, [6]), (2, [1, 3, 7])]))
    assert table_of(once).items() >= {name: pytest.approx(rank, rel=0.7) for name, rank in table_of(other).items()}.items()
    assert once.pages == 2


@each_kind
def test_what_does_not_fit_is_left_out_whole(kind: type[PureRanking]) -> None:
    made = kind(60_000)
    assert made.add(*block([(1, [2, 3])]))
    assert not made.add(*block([(2, list(range(100, 5000)))]))
    made.rank(*EXACT)
    assert made.pages == 1 and len(made) == 3


@each_kind
def test_a_damaged_block_is_refused(kind: type[PureRanking]) -> None:
    content, pages, edges = block([(1, [2, 3])])
    for wrong in (
        (content[:-1], pages, edges),
        (content, pages, edges + 1),
        (content, 0, 0),
        (content[:8] + b"\3" + content[9:], 1, 2),
    ):
        with pytest.raises(ValueError, match="this is no block"):
            kind(ROOMY).add(*wrong)


@each_kind
def test_nothing_is_ranked_where_nothing_is(kind: type[PureRanking]) -> None:
    made = ranked(kind)
    assert (made.best(9, 0.0, 1.0), made.table(), len(made), made.pages) == ([], b"", 0, 0)


NAMES = st.integers(0, 12) | st.integers((1 << 64) - 3, (1 << 64) - 1)
PAGES = st.lists(st.tuples(NAMES, st.lists(NAMES, max_size=8)), min_size=1, max_size=6, unique_by=lambda page: page[0])


@given(PAGES)
def test_both_rank_alike(pages: list[tuple[int, list[int]]]) -> None:
    one, other = (ranked(kind, *(block([page], [page[0] % 5 + 1]) for page in pages)) for kind in (Ranking, PureRanking))
    assert table_of(one) == pytest.approx(table_of(other), abs=1e-5)
    found = [{name: hosts for name, _, hosts in each.best(99, 0.0, 1.0)} for each in (one, other)]
    assert found[0] == found[1]


def test_damping_is_that_of_the_rule() -> None:
    assert DAMPING == pagerank.DAMPING


async def test_a_graph_that_grows_is_read_once_and_its_ranks_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linkgraph, "ROLL", 60)
    log, growing = EdgeLog.open_at(tmp_path), GrowingRanks(tmp_path, ROOMY)
    read = 0

    def counted(path: Path, start: int) -> Iterator[tuple[int, bytes, int, int]]:
        nonlocal read
        for each in blocks(path, start):
            read += 1
            yield each

    monkeypatch.setattr(ranking, "blocks", counted)
    for number in range(6):
        await log.put([(number, pack([100, 101 + number], [ANCHOR, ANCHOR]))], [number])
        best = await growing.renew(99, 0.0)
        assert 101 + number in [name for name, *_ in best], "what was put last was not read"
        ranks = PageRanks.read_at(tmp_path).of([100, 101, 101 + number, 7777])
        assert ranks[0] >= ranks[1] > ranks[3] == 0.0 < ranks[2]
    assert len(list(tmp_path.glob("*.edges"))) > 1 and read == 6
    assert PageRanks.read_at(tmp_path).pages == 6
    await log.aclose()


async def test_a_graph_that_cannot_be_ranked_is_an_error_that_names_it(tmp_path: Path) -> None:
    log = EdgeLog.open_at(tmp_path)
    await log.put([(1, pack([2], [ANCHOR]))])
    await log.aclose()
    (tmp_path / "ranks").mkdir()
    with pytest.raises(StoreError, match="ranks"):
        await GrowingRanks(tmp_path, ROOMY).renew(1, 0.0)
    assert not list(tmp_path.glob("*.new"))


async def test_a_full_memory_ends_the_reading(tmp_path: Path) -> None:
    log, growing = EdgeLog.open_at(tmp_path), GrowingRanks(tmp_path, 60_000)
    await log.put([(1, pack([2], [ANCHOR]))])
    assert [name for name, *_ in await growing.renew(9, 0.0)] == [2] and not growing.is_full
    await log.put([(3, pack(range(100, 5000), [ANCHOR] * 4900))])
    await log.put([(4, pack([5], [ANCHOR]))])
    assert await growing.renew(9, 0.0) == [] and growing.is_full
    await log.aclose()
