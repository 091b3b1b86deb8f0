"""No socket to an address that may not be contacted: names, literals, names that change their mind."""

import asyncio
from collections.abc import Callable

import pytest

from gossamer.clock import SystemClock
from gossamer.config.sections import Fetch
from gossamer.fetchers.http import HttpFetcher
from gossamer.joints.resolver import Addresses
from gossamer.records.outcome import Outcome
from gossamer.testing.fetcher import RawServer, ask

HELLO = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"


async def test_a_name_without_an_address_is_dns_failed_and_nothing_is_sent(fetcher: HttpFetcher) -> None:
    answer = await fetcher.fetch(ask("http://nowhere.example/"))
    assert (answer.outcome, answer.sent, answer.request_head) == (Outcome.DNS_FAILED, False, b"")
    assert answer.detail == "no address for nowhere.example: the name does not exist"


@pytest.mark.parametrize("host", ["127.0.0.1", "site.example"])
async def test_a_private_address_is_refused_unless_allowed(
    server: RawServer, make: Callable[..., HttpFetcher], host: str
) -> None:
    server.routes["/"] = HELLO
    answer = await make(allow_private=()).fetch(ask(server.url("/", host)))
    assert (answer.outcome, answer.sent) == (Outcome.ADDRESS_REFUSED, False)
    assert answer.detail == "127.0.0.1 is not public (loopback); --allow-private 127.0.0.0/8 allows it"
    assert server.connections == 0
    assert (await make(allow_private=("127.0.0.0/8",)).fetch(ask(server.url("/", host)))).outcome is Outcome.OK


@pytest.mark.parametrize(
    "host", ["[::1]", "[::ffff:127.0.0.1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "0x7f.1", "2130706433", "0177.0.0.1"]
)
async def test_other_spellings_of_a_private_address_are_refused_too(
    server: RawServer, make: Callable[..., HttpFetcher], host: str
) -> None:
    fetcher = make({"0x7f.1": ("127.0.0.9",)}, allow_private=("127.0.0.9/32",))  # a resolver that lies about an odd literal
    answer = await fetcher.fetch(ask(server.url("/", host)))
    assert (answer.outcome, answer.sent) == (Outcome.ADDRESS_REFUSED, False)
    assert server.connections == 0


async def test_nobody_but_our_resolver_is_asked_for_an_address(server: RawServer, make: Callable[..., HttpFetcher]) -> None:
    server.routes["/"] = HELLO
    answer = await make({"0x7f.1": ("127.0.0.9",)}).fetch(ask(server.url("/", "0x7f.1")))
    assert (answer.outcome, answer.sent) == (Outcome.ADDRESS_REFUSED, False)
    assert "odd spelling" in answer.detail
    assert server.connections == 0


async def test_the_guard_is_asked_about_the_very_address_of_the_connect(
    server: RawServer, make: Callable[..., HttpFetcher]
) -> None:
    verdicts = ["", "127.0.0.1 changed its mind"]
    asked = []

    def guard(address: str) -> str:
        asked.append(address)
        return verdicts[len(asked) - 1]

    answer = await make(guard=guard).fetch(ask(server.url("/", "site.example")))
    assert asked == ["127.0.0.1", "127.0.0.1"]
    assert (answer.outcome, answer.sent, answer.detail) == (Outcome.ADDRESS_REFUSED, False, "127.0.0.1 changed its mind")
    assert server.connections == 0


async def test_of_several_addresses_only_those_that_pass_are_contacted(
    serving: Callable[..., RawServer], make: Callable[..., HttpFetcher]
) -> None:
    fetcher = make({"mixed.example": ("127.0.0.2", "127.0.0.3")}, allow_private=("127.0.0.3/32",))
    async with serving("127.0.0.2") as private, serving("127.0.0.3", private.port) as public:
        private.routes["/"] = public.routes["/"] = HELLO
        for _ in range(5):
            answer = await fetcher.fetch(ask(public.url("/", "mixed.example")))
            assert (answer.outcome, answer.address) == (Outcome.OK, "127.0.0.3")
        assert (private.connections, public.connections) == (0, 1)


async def test_the_next_address_is_tried_when_one_does_not_answer(
    serving: Callable[..., RawServer], make: Callable[..., HttpFetcher]
) -> None:
    names = {"mixed.example": ("127.0.0.2", "127.0.0.3")}
    async with serving("127.0.0.3") as listening:
        listening.routes["/"] = HELLO
        answer = await make(names).fetch(ask(listening.url("/", "mixed.example")))
    assert (answer.outcome, answer.address) == (Outcome.OK, "127.0.0.3")


async def test_a_name_that_moves_is_followed_to_its_new_address() -> None:
    class Moving:
        address = ""

        async def resolve(self, host: str, now: float) -> Addresses:
            return Addresses((self.address,))

        async def aclose(self) -> None:
            pass

    resolver = Moving()
    fetcher = HttpFetcher(Fetch(), resolver, lambda address: "", SystemClock())
    async with RawServer("127.0.0.2") as old, RawServer("127.0.0.3", old.port) as new:
        old.routes["/"] = new.routes["/"] = HELLO.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
        seen = []
        for resolver.address in ("127.0.0.2", "127.0.0.3", "127.0.0.3", "127.0.0.2"):
            seen.append((await fetcher.fetch(ask(old.url("/", "moving.example")))).address)
    await fetcher.aclose()
    assert seen == ["127.0.0.2", "127.0.0.3", "127.0.0.3", "127.0.0.2"]


async def test_an_ipv6_literal_is_fetched(serving: Callable[..., RawServer], make: Callable[..., HttpFetcher]) -> None:
    async with serving("::1") as server:
        server.routes["/"] = HELLO
        answer = await make().fetch(ask(server.url()))
    assert (answer.outcome, answer.address) == (Outcome.OK, "::1")
    assert answer.request_head.startswith(b"GET / HTTP/1.1\r\nHost: [::1]:")


async def test_a_name_that_ends_in_a_dot_is_asked_for_without_it_and_named_with_it(
    server: RawServer, fetcher: HttpFetcher
) -> None:
    server.routes["/"] = HELLO
    answer = await fetcher.fetch(ask(server.url("/", "dotted.example.")))
    assert answer.outcome is Outcome.OK
    assert f"Host: dotted.example.:{server.port}\r\n".encode() in server.requests[0]


async def test_hosts_on_one_address_do_not_share_a_connection(server: RawServer, fetcher: HttpFetcher) -> None:
    server.routes["/"] = HELLO
    for host in ("site.example", "other.example", "site.example", "other.example"):
        await fetcher.fetch(ask(server.url("/", host)))
    assert server.connections == 2


async def test_hosts_fetched_side_by_side_each_go_to_their_own_address(
    server: RawServer, make: Callable[..., HttpFetcher]
) -> None:
    names = {f"h{number}.example": ("127.0.0.1",) for number in range(6)}
    server.routes["/"] = HELLO.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    fetcher = make(names)
    urls = [server.url("/", host) for host in names] * 50
    answers = await asyncio.gather(*(fetcher.fetch(ask(url)) for url in urls))
    assert {answer.outcome for answer in answers} == {Outcome.OK}
