"""The hosts with work by their names: a dict, as far as the frontier uses one."""

from random import Random

import pytest

from gossamer.frontier.schedule import Host, Hosts


@pytest.mark.parametrize("seed", range(3))
def test_hosts_come_and_go_as_in_a_dict(seed: int) -> None:
    random, hosts, told = Random(seed), Hosts(), dict[str, Host]()
    stem = "x" * random.choice((0, 250))  # beyond what is hashed, all of them meet in one place
    for number in range(6000):
        name = f"{stem}{random.randrange(400 if stem else 2000)}.ä"
        if random.random() < 0.6:
            hosts[name] = told[name] = Host(name, number)
        else:
            assert hosts.pop(name, None) is told.pop(name, None)
        name = f"{stem}{random.randrange(2000)}.ä"
        assert hosts.get(name) is told.get(name) and (name in hosts) == (name in told) and len(hosts) == len(told)
    assert sorted(host.number for host in hosts.values()) == sorted(host.number for host in told.values())
    assert all(hosts[name] is host for name, host in told.items())
    with pytest.raises(KeyError):
        hosts["nobody"]
