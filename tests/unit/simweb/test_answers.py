"""Answers: framing and coding that any client undoes to the same content."""

import gzip
from http.client import HTTPResponse
from io import BytesIO
from typing import Any

import brotlicffi

from gossamer.simweb.answers import WireAnswer, answer_note
from gossamer.simweb.web import Web


class Wire:
    """As much of a socket as the standard library's client reads from."""

    def __init__(self, wire: bytes) -> None:
        self._wire = wire

    def makefile(self, *_: Any) -> BytesIO:
        return BytesIO(self._wire)


def read(answer: WireAnswer) -> HTTPResponse:
    response = HTTPResponse(Wire(answer.wire))  # type: ignore[arg-type]
    response.begin()
    return response


def test_every_framing_and_coding_carries_the_content(web: Web) -> None:
    seen = set()
    for host in web.hosts[:25]:
        for page in host.pages:
            response = read(web.answer_for(page))
            body = response.read()
            coding = response.headers.get("Content-Encoding")
            content = gzip.decompress(body) if coding == "gzip" else brotlicffi.decompress(body) if coding == "br" else body
            assert content == web.content(page)
            seen.add((page.framing, page.coding))
    assert len(seen) >= 6


def test_chunks_have_odd_sizes_and_lengths_in_both_cases(web: Web) -> None:
    page = max((page for host in web.hosts for page in host.pages if page.framing == "chunked"), key=lambda page: page.size)
    rest, sizes = web.answer_for(page).body, []
    while rest:
        size, _, rest = rest.partition(b"\r\n")
        sizes.append(size)
        rest = rest[int(size, 16) + 2 :]
    assert sizes[-1] == b"0"
    assert all(int(size, 16) % 2 for size in sizes[:-2])
    assert any(size != size.upper() for size in sizes) and any(size != size.lower() for size in sizes)


def test_an_answer_that_ends_with_its_connection_says_so_and_no_length(web: Web) -> None:
    page = next(page for host in web.hosts for page in host.pages if page.framing == "close")
    answer = web.answer_for(page)
    assert answer.close and b"Connection: close" in answer.head and b"Content-Length" not in answer.head


def test_a_client_that_takes_no_coding_gets_the_bare_content(web: Web) -> None:
    page = next(page for host in web.hosts for page in host.pages if page.coding == "br" and page.framing == "length")
    answer = web.answer_for(page, identity=True)
    assert answer.body == web.content(page) and b"Content-Encoding" not in answer.head


def test_head_and_body_make_up_the_wire() -> None:
    answer = answer_note(429, (("Retry-After", "1"),))
    assert answer.head + answer.body == answer.wire
    assert answer.head.endswith(b"\r\n\r\n") and b"Retry-After: 1" in answer.head


def test_a_redirect_names_its_target_and_an_unknown_url_is_not_found(web: Web) -> None:
    host = next(host for host in web.hosts if "/moved/301.html" in host.table)
    assert b"\r\nLocation: ../now/301.html\r\n" in web.answer(f"{host.origin}/moved/301.html").head
    assert web.answer(f"{host.origin}/nothing/here").status == 404
    assert web.answer("http://nobody.sim:8080/").status == 404
