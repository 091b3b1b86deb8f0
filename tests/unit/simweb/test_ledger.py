"""The ledger: each request a line, in the file before the client can act on its answer."""

import json
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any

from gossamer.simweb import ledger
from gossamer.simweb.ledger import RequestLedger, SeenRequest
from gossamer.simweb.server import SimwebServer
from gossamer.simweb.settings import SimwebSettings


async def test_a_request_is_in_the_file_when_its_answer_is(tmp_path: Path, client: Callable[[int], Any]) -> None:
    path = tmp_path / "ledger.jsonl"
    server = SimwebServer(SimwebSettings(hosts=2, pages=4), RequestLedger(path))
    await server.start()
    before = monotonic()
    async with client(server.port) as one:
        await one.get("h0001.sim", "/robots.txt")
        await one.get("h0001.sim", '/no"such?x=1')
        lines = path.read_text().splitlines()
    after = monotonic()
    await server.stop()
    first, second = map(json.loads, lines)
    assert list(first) == ["start", "end", "host", "path", "status", "head", "body"]
    assert (first["host"], first["path"], first["status"]) == ("h0001.sim", "/robots.txt", 200)
    assert (second["path"], second["status"]) == ('/no"such?x=1', 404)
    assert before <= first["start"] <= first["end"] <= second["start"] <= second["end"] <= after


def test_a_ledger_goes_on_where_it_was_and_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    requests = [SeenRequest(1.5, 2.25, "a.sim", "/", 200), SeenRequest(3.0, 3.5, "b.sim", "/é", 0)]
    for request in requests:
        book = RequestLedger(path)
        book.add(request)
        book.close()
    assert ledger.read(path) == requests


def test_a_ledger_keeps_requests_in_memory_only_when_asked() -> None:
    kept, not_kept = RequestLedger(keep=True), RequestLedger()
    for book in (kept, not_kept):
        book.add(SeenRequest(0.0, 0.0, "a.sim", "/", 200))
    assert len(kept.requests) == 1 and not_kept.requests == []
