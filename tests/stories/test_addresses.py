"""No socket to an address that is not public, however it is spelled and whoever names it: seeds, links, redirects, names.

One crawl is given every spelling as a seed, as a link and as the target of a redirect. The only address it may contact stands
for the public internet (127.0.0.9, allowed by name). The witnesses are outside of the crawler: servers that listen where the
spellings lead and must see nobody, and the interpreter's own record of the internet sockets that were opened.
"""

import json
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from crawling import CLEAN, GOSSAMER, run_gossamer
from dnslib import QTYPE, RR, A
from dnslib.server import BaseResolver, DNSLogger, DNSServer
from serving import Answer, Site, page, site_running

from gossamer.errors import UrlError
from gossamer.url.parse import parse

PUBLIC = "127.0.0.9"

TABLE = """
127.0.0.1 127.1 127.0.1 127.0.0.1. 127.000.000.001 127.0.0.2 127.255.255.254 2130706433 0x7f000001 0x7F.1 0x7f.0x0.0x0.0x1
0177.0.0.1 0177.1 017700000001 0000177.0.0.01 %31%32%37.0.0.1 127%2e0%2e0%2e1 １２７.０.０.１ 127。0。0。1 127．0．0．1
127｡0｡0｡1 ①②⑦.⓪.⓪.① 0 0.0.0.0 0x0 00000 0.1.2.3 10.0.0.1 10.1 167772161 0x0a000001 012.0.0.1 100.64.0.1
169.254.169.254 2852039166 0xa9fea9fe 0251.0376.0251.0376 172.16.0.1 172.31.255.255
192.0.0.1 192.0.2.1 192.88.99.1 192.168.0.1 0xc0a80001 198.18.0.1
198.51.100.1 203.0.113.1 224.0.0.1 239.1.2.3 240.0.0.1 255.255.255.255 4294967295
[::1] [0:0:0:0:0:0:0:1] [0000:0000:0000:0000:0000:0000:0000:0001] [::] [::ffff:127.0.0.1] [::FFFF:7f00:1] [::ffff:10.0.0.1]
[0:0:0:0:0:ffff:7f00:1] [::127.0.0.1] [::7f00:1] [::ffff:0:127.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b:1::1]
[2002:7f00:1::1] [2002:a00:1::] [2001::1] [2001:0:7f00:1::f7f7:f7f7] [2001:db8::1] [3fff::1] [fec0::1] [fe80::1] [febf::1]
[fc00::1] [fd00:ec2::254] [ff02::1] [ff0e::1] [100::1] [4000::1]
somebody@127.0.0.1 somebody:secret@[::1] public.test@127.0.0.1
localhost localhost. LOCALHOST any.localhost an.other.LocalHost.
private.test dotted.test. metadata.test six.test mapped.test nat64.test answers-private.test turns-private.test
"""
SPELLINGS = TABLE.split()
NO_URLS = ["[fe80::1%25eth0]", "[fe80::1%eth0]", "[::1", "127.0.0.1.1.1", "0x7f.0.0.256", "[::ffff:127.1]", "256.1.1.1"]

NAMES = {
    "private.test": "127.0.0.1",
    "dotted.test": "127.0.0.1",
    "metadata.test": "169.254.169.254",
    "six.test": "::1",
    "mapped.test": "::ffff:127.0.0.1",
    "nat64.test": "64:ff9b::7f00:1",
    "public.test": PUBLIC,
    "elsewhere.test": PUBLIC,
}
ANSWERS = {
    "answers-private.test.": [["127.0.0.1"]],
    "turns-private.test.": [[PUBLIC], ["127.0.0.1"]],  # its robots.txt is public, and nothing else
    "turns-later.test.": [[PUBLIC], [PUBLIC], ["127.0.0.1"]],
    "both.test.": [[PUBLIC, "127.0.0.1", "127.0.0.2"]],
    "localhost.": [[PUBLIC]],  # a name server has no say in these
    "any.localhost.": [[PUBLIC]],
    "an.other.localhost.": [[PUBLIC]],
}

RECORDER = """
import os, sys
import _socket

def note(event, arguments):
    if event == "socket.__new__" and arguments[1] in (_socket.AF_INET, _socket.AF_INET6):
        os.write(descriptor, b"socket\\n")

descriptor = os.open(os.environ["SOCKETS_OPENED"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
sys.addaudithook(note)
"""


class Changing(BaseResolver):
    """A name server that answers each question of a name with the next of its answers, and then with the last."""

    def __init__(self) -> None:
        self.asked: dict[str, list[int]] = {}  # numbers of questions; one that is asked again has the number it had

    def resolve(self, request, handler):  # type: ignore[no-untyped-def]
        reply = request.reply()
        name = str(request.q.qname).lower()
        if request.q.qtype == QTYPE.A and name in ANSWERS:
            numbers = self.asked.setdefault(name, [])
            if request.header.id not in numbers:
                numbers.append(request.header.id)
            turn = min(numbers.index(request.header.id), len(ANSWERS[name]) - 1)
            for address in ANSWERS[name][turn]:
                reply.add_answer(RR(request.q.qname, QTYPE.A, rdata=A(address), ttl=0))
        return reply


@dataclass
class Witness:
    """Listens where nobody may come."""

    address: str
    visitors: int = 0


@contextmanager
def listening(address: str, port: int) -> Iterator[Witness]:
    """Count whoever connects to an address."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = socket.create_server((address, port), family=family)
    witness = Witness(address)

    def count() -> None:
        while True:
            try:
                visitor, _ = listener.accept()
            except OSError:
                return
            witness.visitors += 1
            visitor.close()

    threading.Thread(target=count, daemon=True).start()
    try:
        yield witness
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


@dataclass(frozen=True)
class Crawled:
    """The crawl that was given all of it."""

    directory: Path
    site: Site
    witnesses: list[Witness]
    sockets: int
    log: str

    def explain(self, urls: list[str]) -> list[dict[str, object]]:
        """Ask what became of URLs."""
        result = run_gossamer("explain", self.directory, "-", "--json", stdin="".join(f"{url}\n" for url in urls))
        assert result.returncode == 0, result.stderr
        return [json.loads(line) for line in result.stdout.splitlines()]


def urls(site: Site, role: str) -> list[str]:
    """Return a URL of every spelling, told apart by what it is used for."""
    return [f"http://{spelling}:{site.port}/{role}/{number}" for number, spelling in enumerate(SPELLINGS)]


def furnish(site: Site) -> None:
    """Make pages that link, redirect and point to everything."""
    closing_each = {"content-type": "text/html", "connection": "close"}

    def redirect(target: str) -> Answer:
        return 302, {"location": target.encode().decode("latin-1"), "connection": "close"}, b""  # as bytes, they are UTF-8

    targets = urls(site, "redirected")
    site.routes |= {f"/to/{number}": redirect(target) for number, target in enumerate(targets)}
    links = [*urls(site, "link"), *(f"http://{text}:{site.port}/link" for text in NO_URLS)]
    site.routes["/"] = page(*links, *(path for path in site.routes if path.startswith("/to/")))
    site.routes["/both"] = 200, closing_each, b"both"
    site.routes["/first"] = 200, closing_each, b"<a href=/second>second</a>"
    inside = f"http://127.0.0.1:{site.port}"
    rules = f"User-agent: *\nAllow: /\nSitemap: {inside}/sitemap.xml\n".encode()
    site.routes["/robots.txt"] = lambda asked: (
        redirect(f"{inside}/robots.txt")
        if asked.headers["host"].startswith("elsewhere.test")
        else (200, {"content-type": "text/plain", "connection": "close"}, rules)
    )


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    """Crawl it all, once."""
    place = tmp_path_factory.mktemp("addresses")
    (place / "hook").mkdir()
    (place / "hook" / "sitecustomize.py").write_text(RECORDER)
    with ExitStack() as stack:
        site = stack.enter_context(site_running({}, address=PUBLIC))
        witnesses = [stack.enter_context(listening(address, site.port)) for address in ("127.0.0.1", "127.0.0.2", "::1")]
        furnish(site)
        server = DNSServer(Changing(), address="127.0.0.1", port=0, logger=DNSLogger(logf=lambda text: None))
        server.start_thread()
        stack.callback(server.server.server_close)
        stack.callback(server.stop)
        seeds = [
            f"http://public.test:{site.port}/",
            f"http://turns-later.test:{site.port}/first",
            f"http://both.test:{site.port}/both",
            f"http://elsewhere.test:{site.port}/",
            *urls(site, "seed"),
        ]
        (place / "seeds").write_text("".join(f"{seed}\n" for seed in seeds))
        words = [*GOSSAMER, "crawl", "--dir", str(place / "crawl"), "--seeds", str(place / "seeds"), "--quiet"]
        words += ["--scope", "any", "--delay", "0", "--allow-private", f"{PUBLIC}/32", "--set", "dns.min_ttl=0"]
        words += ["--set", "robots.wait=2", "--set", "retry.wait=2", "--set", "dns.negative_ttl=0"]
        words += ["--set", "storage.durability=fast"]
        words += ["--set", f"dns.servers=127.0.0.1:{server.server.server_address[1]}"]
        for name, address in NAMES.items():
            words += ["--resolve", f"{name}:{address}"]
        opened = place / "sockets"
        given = {**CLEAN, "PYTHONPATH": str(place / "hook"), "SOCKETS_OPENED": str(opened)}
        ended = subprocess.run(words, env=given, capture_output=True, text=True, timeout=100, check=False)
        assert ended.returncode == 0, ended.stderr
        log = (place / "crawl" / "crawl.log").read_text()
        yield Crawled(place / "crawl", site, witnesses, opened.read_bytes().count(b"\n"), log)


def test_the_table_is_long_enough_to_mean_something() -> None:
    assert len(set(SPELLINGS)) >= 90


def test_nobody_came_to_an_address_that_is_not_public(crawled: Crawled) -> None:
    assert {witness.address: witness.visitors for witness in crawled.witnesses} == {"127.0.0.1": 0, "127.0.0.2": 0, "::1": 0}


def test_every_socket_that_was_opened_led_to_the_allowed_address(crawled: Crawled) -> None:
    assert 0 < crawled.sockets == crawled.site.connections


@pytest.mark.parametrize("role", ["seed", "link", "redirected"])
def test_every_spelling_is_refused_and_says_why(crawled: Crawled, role: str) -> None:
    asked = urls(crawled.site, role)
    ends = {url: (answer["outcome"], answer["reason"]) for url, answer in zip(asked, crawled.explain(asked), strict=True)}
    assert {url: end for url, end in ends.items() if end[0] != "address_refused"} == {}
    assert all("is not public" in str(reason) for _, reason in ends.values())


def test_what_is_no_url_is_no_seed_and_no_link(crawled: Crawled) -> None:
    for text in NO_URLS:
        with pytest.raises(UrlError):
            parse(f"http://{text}/")
    known = run_gossamer("pages", crawled.directory, "--json", "-n", 0).stdout
    assert not any(json.loads(line)["url"].endswith("/link") for line in known.splitlines())


def test_a_name_that_turns_private_is_left_at_once(crawled: Crawled) -> None:
    port = crawled.site.port
    first, second, both = crawled.explain(
        [f"http://turns-later.test:{port}/first", f"http://turns-later.test:{port}/second", f"http://both.test:{port}/both"]
    )
    assert (first["outcome"], both["outcome"]) == ("ok", "ok")
    assert second["outcome"] == "address_refused"


def test_robots_and_sitemaps_are_no_way_in_either(crawled: Crawled) -> None:
    port = crawled.site.port
    sitemap, elsewhere = crawled.explain([f"http://127.0.0.1:{port}/sitemap.xml", f"http://elsewhere.test:{port}/"])
    assert sitemap["outcome"] == "address_refused"
    assert elsewhere["outcome"] in ("robots_denied", "address_refused")
    assert {asked.path for asked in crawled.site.asked if asked.headers["host"].startswith("elsewhere")} == {"/robots.txt"}
