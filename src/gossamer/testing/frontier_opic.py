"""What the contract says of credit, where the order is opic: part of the frontier's checker."""

from collections.abc import Sequence

from gossamer.joints.frontier import Frontier
from gossamer.records.entry import Entry, LinkKind, Verdict
from gossamer.records.lease import Fate, Lease
from gossamer.records.reason import because
from gossamer.records.rules import Rule
from gossamer.testing.frontier_bench import EAGER, LEASE, NOW, FrontierBench, by, end, entry, key, leased, only
from gossamer.url.fingerprint import fingerprint

TAX = 10


def found(path: str, host: str = "a.example") -> Entry:
    """Return a URL that a page links."""
    return entry(path, host, kind=LinkKind.ANCHOR)


def links(*paths: str) -> tuple[int, ...]:
    """Return links as a settlement names them."""
    return tuple(fingerprint(key(path)) for path in paths)


async def credit(frontier: Frontier, path: str) -> int:
    """Return what a page has; nothing, if no credit is kept for it."""
    known = await frontier.lookup(key(path))
    assert known is not None
    return known.credit or 0


async def opened(bench: FrontierBench, *entries: Entry) -> Frontier:
    """Open a frontier that knows some URLs."""
    frontier = await bench.open(politeness=EAGER, opic=True)
    await frontier.discover(entries, NOW)
    return frontier


async def finish(frontier: Frontier, now: float, *paths: str) -> str:
    """Visit the page that is next; it links some paths, which are found then. Return its own."""
    lease = await only(frontier, now)
    await frontier.settle([end(lease, discovered=tuple(map(found, paths)), links=links(*paths))], now)
    await check(frontier)
    return lease.entry.key.rpartition("/")[2]


async def check(frontier: Frontier) -> tuple[int, int]:
    """Check that no credit was made or lost; return all there is, and what lambda has."""
    numbers = await frontier.statistics()
    assert numbers.credit is not None and numbers.lambda_credit is not None, "it keeps no credit"
    pages = sum([known.credit or 0 async for known in frontier.known()])
    assert pages + numbers.lambda_credit == numbers.credit, "credit was made or lost"
    return numbers.credit, numbers.lambda_credit


async def a_new_seed_brings_credit_and_a_link_brings_none(bench: FrontierBench) -> None:
    """Each seed brings the same, once; without opic there is none at all."""
    frontier = await opened(bench, entry("1"), entry("2"), entry("1"), found("3"))
    total, unspread = await check(frontier)
    assert total > 0 and unspread == 0
    assert [await credit(frontier, path) for path in "123"] == [total // 2, total // 2, 0]
    await frontier.discover([entry("3"), entry("1")], NOW)
    assert await check(frontier) == (total, 0), "a page that was known brought credit"


async def without_opic_no_credit_is_kept(bench: FrontierBench) -> None:
    """Other orders say nothing of credit."""
    frontier = await bench.open()
    await frontier.discover([entry()], NOW)
    await frontier.settle([end(await only(frontier, NOW), links=links("1", "2"))], NOW)
    known, numbers = await frontier.lookup(key()), await frontier.statistics()
    assert known is not None and known.credit is numbers.credit is numbers.lambda_credit is None


async def a_page_that_is_done_pays_a_tenth_to_all_and_the_rest_to_its_links(bench: FrontierBench) -> None:
    """To the unit: what cannot be divided goes to lambda, and lambda gives to all pages alike."""
    frontier = await opened(bench, entry("0"))
    total, _ = await check(frontier)
    await finish(frontier, NOW, "1", "2", "3", "1")
    share = (total - total // TAX) // 3
    gift, rest = divmod(total - 3 * share, 4)
    assert [await credit(frontier, path) for path in "0123"] == [gift, gift + share, gift + share, gift + share]
    assert await check(frontier) == (total, rest)


async def what_nobody_gets_goes_to_lambda(bench: FrontierBench) -> None:
    """Links to pages that are unknown, refused, dead or removed; and all that a page without links has."""
    frontier = await opened(bench, entry("0"), found("dead"), found("gone"), found("fine"))
    await frontier.discover([entry("out", refused=Verdict(False, because(Rule.SCOPE_WITHIN)), kind=LinkKind.ANCHOR)], NOW)
    await frontier.remove(key("gone"))
    total, _ = await check(frontier)
    seed = await only(frontier, NOW)
    await frontier.settle([end(seed, links=links("dead", "gone", "out", "nowhere", "fine"))], NOW)
    share = (total - total // TAX) // 5
    gift = (total - 2 * share) // 3
    assert [await credit(frontier, path) for path in ("0", "dead", "fine")] == [gift, gift + share, gift + share]
    dead = await only(frontier, NOW)
    await frontier.settle([end(dead, Fate.DEAD)], NOW)
    assert dead.entry.key == key("dead") and await credit(frontier, "dead") == 0, "a dead page keeps credit"
    fine = await credit(frontier, "fine")
    before = await credit(frontier, "0")
    assert await finish(frontier, NOW) == "fine"
    assert await credit(frontier, "0") in (before + fine // 2, before + fine // 2 + 1), "a page without links does not pay all"
    assert await credit(frontier, "gone") == await credit(frontier, "out") == 0


async def the_richest_page_of_a_host_is_next(bench: FrontierBench) -> None:
    """Credit decides, not the order of discovery; and a page that is paid while it waits moves ahead, also of many."""
    frontier = await opened(bench, entry("0"), entry("x"))
    crowd = [str(number) for number in range(1, 60)]
    assert await finish(frontier, NOW, *crowd) == "0"
    assert await finish(frontier, NOW, "40", "50") == "x"
    assert await finish(frontier, NOW) == "40" and await finish(frontier, NOW, "50", "57", "3") == "50"
    assert [await finish(frontier, NOW) for _ in range(4)] == ["3", "57", "1", "2"], "who was paid did not move"
    assert [await finish(frontier, NOW) for _ in range(53)] == [path for path in crowd[3:] if path not in ("40", "50", "57")]


async def credit_moves_once_a_lease(bench: FrontierBench) -> None:
    """However often a settlement is repeated, by whomever; and not at all when it comes too late."""
    frontier = await opened(bench, entry("0"), found("1"))
    lease = await only(frontier, NOW)
    paid = end(lease, links=links("1"))
    assert await frontier.settle([end(by(lease, "stranger"), links=links("1"))], NOW) == 0 and await credit(frontier, "1") == 0
    assert await frontier.settle([paid, paid], NOW) == 1
    after = [await credit(frontier, path) for path in "01"]
    assert await frontier.settle([paid], NOW) == 0
    late = await only(frontier, NOW)
    assert await frontier.settle([end(late, links=links("0"))], NOW + LEASE) == 0
    assert [await credit(frontier, path) for path in "01"] == after, "credit moved twice"
    await check(frontier)


async def a_page_that_is_tried_again_keeps_its_credit(bench: FrontierBench) -> None:
    """A page pays when it was read: not when it failed, was put off, came back, or had not changed."""
    frontier = await opened(bench, entry("0"), found("1"))
    total, _ = await check(frontier)
    for fate in (Fate.RETRY, Fate.DEFERRED):
        await frontier.settle([end(await only(frontier, NOW), fate, links=links("1"))], NOW)
        assert await credit(frontier, "0") == total
    await only(frontier, NOW)
    await frontier.abandon("worker", NOW)
    unchanged = await only(frontier, NOW)
    await frontier.settle([end(unchanged, Fate.AGAIN, due=NOW + 9, links=None)], NOW)
    assert await credit(frontier, "0") == total
    await frontier.remove(key("1"))
    again = await only(frontier, NOW + 9)
    await frontier.settle([end(again, Fate.AGAIN, due=NOW + 20, links=links("0"))], NOW + 9)
    assert await credit(frontier, "0") == total and await check(frontier) == (total, 0), "it links itself, and is the only one"


async def a_page_that_is_paid_while_it_is_leased_comes_back_at_its_new_place(bench: FrontierBench) -> None:
    """After a restart as well, which may be its end at once."""
    frontier = await opened(bench, *(entry(path) for path in "abc"), entry("payer", "b.example"))
    (held,) = [lease for lease in await leased(frontier, NOW, limit=1) if lease.entry.key == key("a")]
    (payer,) = await leased(frontier, NOW, limit=1, worker="other")
    await frontier.settle([end(payer, links=links("a", "c"))], NOW)
    await frontier.abandon(held.worker, NOW)
    assert [await _next(frontier, NOW) for _ in range(2)] == ["a", "c"]
    frontier = await opened_again(bench, frontier)
    assert [await _next(frontier, NOW + 9) for _ in range(3)] == ["a", "c", "b"]


async def opened_again(bench: FrontierBench, frontier: Frontier) -> Frontier:
    """Restart with what was leased coming back."""
    before = await check(frontier)
    frontier = await bench.reopen(NOW + 5)
    assert await check(frontier) == before, "a restart moved credit"
    return frontier


async def _next(frontier: Frontier, now: float) -> str:
    """Lease what is next of one host and put it off until far later."""
    lease = await only(frontier, now)
    await frontier.settle([end(lease, Fate.DEFERRED, due=NOW + 7 if now < NOW + 7 else now + 99, answer=None)], now)
    return lease.entry.key.rpartition("/")[2]


async def a_page_that_waits_for_its_date_is_paid_there(bench: FrontierBench) -> None:
    """When its date comes, it stands where its credit puts it."""
    frontier = await opened(bench, *(entry(path) for path in "abc"))
    for _ in range(2):
        await frontier.settle([end(await only(frontier, NOW), Fate.RETRY, due=NOW + 60)], NOW)
    assert await finish(frontier, NOW, "b") == "c"
    frontier = await opened_again(bench, frontier)
    assert [await _next(frontier, NOW + 60) for _ in range(2)] == ["b", "a"]


async def what_is_removed_leaves_its_credit_to_the_others(bench: FrontierBench) -> None:
    """One by one, while it is leased, or with its host; and who comes back from the dead begins with nothing."""
    frontier = await opened(bench, entry("1"), entry("2"), entry("3", "b.example"), entry("4", "c.example"))
    total, _ = await check(frontier)
    held: Sequence[Lease] = await leased(frontier, NOW, limit=1)
    await frontier.remove(held[0].entry.key)
    await frontier.remove(held[0].entry.key)
    await frontier.drop("b.example")
    assert await check(frontier) == (total, total // 2)
    await frontier.settle([end(held[0], links=links("2"))], NOW)
    assert await check(frontier) == (total, 0), "what nobody has is not spread"
    assert await credit(frontier, "2") == total // 2
    for lease in await leased(frontier, NOW):
        fate = Fate.DEAD if lease.entry.key == key("2") else Fate.DEFERRED
        await frontier.settle([end(lease, fate)], NOW)
    assert await frontier.revisit([(key("2"), NOW)], NOW) == 1
    assert await credit(frontier, "2") == 0 and (await check(frontier))[0] == total


async def the_pages_of_a_trap_starve(bench: FrontierBench) -> None:
    """A maze whose pages link ten new ones of it each, beside a site whose pages link each other."""
    frontier = await opened(bench, entry("home"))
    pages, caught, fetched = 100, 0, 0
    while fetched < pages + 1 and caught <= pages:
        path = (lease := await only(frontier, NOW)).entry.key.rpartition("/")[2]
        caught += path.startswith("maze")
        fetched += not path.startswith("maze")
        out = _linked(path, pages)
        await frontier.settle([end(lease, discovered=tuple(map(found, out)), links=links(*out))], NOW)
    assert caught < pages / 5, f"{caught} pages of a trap were fetched before {fetched} pages beside it"
    await check(frontier)


def _linked(path: str, pages: int) -> list[str]:
    """Return what a page links: home the trap and some pages, a page some others, a page of the trap more of it."""
    if path.startswith("maze"):
        return [f"{path}-{number}" for number in range(10)]
    if path == "home":
        return ["maze"] + [f"p{number}" for number in range(10)]
    number = int(path[1:])
    return ["home"] + [f"p{(number * step + step) % pages}" for step in (1, 2, 3, 5, 7)]
