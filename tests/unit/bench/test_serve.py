"""The server: one answer a request, counted; kept connections on one port, a handshake a page on the other."""

import ssl
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path

from bench.serve import host_of, running


def test_the_host_of_a_request_has_no_port() -> None:
    assert host_of(b"GET / HTTP/1.1\r\nhost: a.sim:80\r\nAccept: */*") == b"a.sim"
    assert host_of(b"GET / HTTP/1.1\r\nHost:a.sim") == b"a.sim"


def test_distinct_pages_requests_and_connections_are_counted(tmp_path: Path) -> None:
    with running("--pages", 12, "--size", 5_000, "--links", 40, "--certificate", tmp_path / "authority.pem") as server:
        kept = HTTPConnection("127.0.0.1", server.port)
        for path in ("/", "/", "/missing"):
            kept.request("GET", path)
            kept.getresponse().read()
        kept.close()
        secure = HTTPSConnection(
            "127.0.0.1", server.tls_port, context=ssl.create_default_context(cafile=str(tmp_path / "authority.pem"))
        )
        secure.request("GET", "/", headers={"Accept-Encoding": "gzip"})
        answer = secure.getresponse()
        assert (answer.headers["Content-Encoding"], answer.headers["Connection"]) == ("gzip", "close")
        answer.read()
        seen = server.count()
        assert (seen["pages"], seen["of"], seen["requests"]) == (1, 12, 4)
        assert seen["connections"] == 3  # kept, secure, and the one that asks
        assert server.count()["requests"] == 0


def test_every_site_has_its_own_pages_under_its_own_name() -> None:
    with running("--sites", 2, "--pages", 3, "--size", 5_000, "--links", 40) as server:
        asking = HTTPConnection("127.0.0.1", server.port)
        answers = []
        for host in ("h0.sim", "h1.sim", "h0.sim"):
            asking.request("GET", "/", headers={"Host": f"{host}:{server.port}"})
            answers.append(asking.getresponse().read())
        asking.close()
    assert answers[0] == answers[2] != answers[1]
