"""What the contract says of homes: whatever is known by a number alone tells which partition it is kept in.

Hosts of many homes are asked for in one call, so a frontier that is divided has to take it apart and put the answers together.
"""

from gossamer.records.entry import Priority
from gossamer.records.token import home_in
from gossamer.testing.frontier_bench import EAGER, NOW, FrontierBench, end, entry, key, leased
from gossamer.url.fingerprint import fingerprint, home, home_of

HOSTS = tuple(f"host{number}.example" for number in range(12))


async def a_token_tells_the_home_of_its_group_and_grows_there(bench: FrontierBench) -> None:
    """Also that of a bare turn, and after a restart; no token is given twice, whoever is asked."""
    frontier = await bench.open(politeness=EAGER)
    await frontier.discover([entry(path, host) for host in HOSTS for path in "123"], NOW)
    given: dict[int, str] = {}
    last = dict.fromkeys(HOSTS, 0)
    for now in (NOW, NOW + 1, NOW + 2):
        leases = await leased(frontier, now)
        await frontier.settle([end(lease) for lease in leases], now)
        bare = [turn for host in HOSTS if (turn := await frontier.reserve("worker", host, now)) is not None]
        for lease in (*leases, *bare):
            group = lease.entry.group
            assert home_in(lease.token) == home(group), "a token tells another partition than the host"
            assert lease.token > last[group], "of two leases of a group the later one has the greater token"
            assert lease.token not in given, f"{group} was given a token that {given[lease.token]} had"
            assert 0 < lease.token < 1 << 63, "a token fits into a signed number of 64 bits"
            given[lease.token], last[group] = group, lease.token
        frontier = await bench.reopen(now)
    assert len(given) == 6 * len(HOSTS)


async def one_call_reaches_urls_of_every_home(bench: FrontierBench) -> None:
    frontier = await bench.open(politeness=EAGER)
    await frontier.discover([entry(path, host, score=0.5) for host in HOSTS for path in "12"], NOW)
    second = [fingerprint(key("2", host)) for host in HOSTS]
    assert [home_of(each) for each in second] == [home(host) for host in HOSTS]
    assert await frontier.names(second) == [key("2", host) for host in HOSTS], "names are not in the order of the question"
    assert await frontier.promote([(each, 0.9, Priority.MEDIUM) for each in second]) == len(HOSTS)
    assert {lease.entry.key for lease in await leased(frontier, NOW)} == {key("2", host) for host in HOSTS}
