"""A real name server on loopback, whose answers a test writes down."""

from collections.abc import Iterator

import pytest
from dnslib import AAAA, CNAME, QTYPE, RCODE, RR, SOA, A, DNSError, DNSRecord
from dnslib.server import BaseResolver, DNSServer

MAKERS = {"A": A, "AAAA": AAAA, "CNAME": CNAME}


class Zone(BaseResolver):
    """Answers from `records`; remembers every question."""

    def __init__(self) -> None:
        self.server = ""
        self.clear()

    def clear(self) -> None:
        self.records: dict[str, list[tuple[str, str, int]]] = {}  # name: type, value, time to live
        self.failing: dict[str, int] = {}  # name: the code it fails with
        self.silent: set[str] = set()
        self.asked: list[tuple[str, str]] = []

    def resolve(self, request: DNSRecord, handler: object) -> DNSRecord:
        name, kind = str(request.q.qname).rstrip(".").lower(), QTYPE[request.q.qtype]
        self.asked.append((name, kind))
        if name in self.silent:
            raise DNSError("dropped")
        reply = request.reply()
        if name in self.failing:
            reply.header.rcode = self.failing[name]
        elif name not in self.records:
            reply.header.rcode = RCODE.NXDOMAIN
            reply.add_auth(RR("example", QTYPE.SOA, ttl=1, rdata=SOA("ns.example", "mail.example", (1, 1, 1, 1, 1))))
        self._add(reply, name, kind)
        return reply

    def _add(self, reply: DNSRecord, name: str, kind: str) -> None:
        for found, value, ttl in self.records.get(name, []):
            if found in (kind, "CNAME"):
                reply.add_answer(RR(name, getattr(QTYPE, found), ttl=ttl, rdata=MAKERS[found](value)))
            if found == "CNAME":
                self._add(reply, value, kind)


class Quiet:
    """A log that says nothing."""

    def __getattr__(self, name: str) -> object:
        return lambda *_: None


@pytest.fixture(scope="session")
def name_server() -> Iterator[Zone]:
    zone = Zone()
    server = DNSServer(zone, address="127.0.0.1", port=0, logger=Quiet())
    zone.server = f"127.0.0.1:{server.server.server_address[1]}"
    server.start_thread()
    yield zone
    server.stop()
    server.server.server_close()


@pytest.fixture
def zone(name_server: Zone) -> Zone:
    name_server.clear()
    return name_server
