"""Addresses that are not public, named through REST: refused at the door, or fetched by nobody and shown as that.

A socket on loopback is the witness: nobody connects to it.
"""

import socket
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from doors import serving

NAMED = "inside.test"  # a name that leads to loopback, as the server's operator lets it


@pytest.fixture
def witness() -> Iterator[socket.socket]:
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        listening.setblocking(False)
        yield listening


def seeds_of(port: int) -> list[str]:
    """Return what a stranger may try."""
    places = ("127.0.0.1", "localhost", "0x7f000001", "2130706433", "[::1]", "[::ffff:127.0.0.1]", NAMED)
    return [
        "http://169.254.169.254/",
        "http://[::ffff:10.0.0.1]/",
        "http://[::ffff:a9fe:a9fe]/",
        *(f"http://{place}:{port}/" for place in places),
    ]


def test_addresses_that_are_not_public_are_fetched_by_nobody(tmp_path: Path, witness: socket.socket) -> None:
    seeds = seeds_of(witness.getsockname()[1])
    let = ("--let", "dns.overrides")  # names, and no addresses
    with serving(tmp_path, *let, "--set", "serve.rate=1000", "--set", "serve.burst=1000") as door:
        settings = {"dns.overrides": [f"{NAMED}:127.0.0.1"], "politeness.delay": 0}
        status, plan = door.post("api/v1/crawl/plan", {"urls": seeds[-5:], "settings": settings})
        assert status == 200 and len(plan["seeds"]) > 0 and not plan["links"]
        assert all("address_refused" in one["outcome"] + one["reason"] for one in plan["seeds"]), plan
        status, answer = door.post("api/v1/crawl/submit", {"urls": seeds[:4], "name": "inner", "settings": settings})
        assert status == 202, answer
        taken = [url for index, url in enumerate(seeds[:4]) if index not in [one["index"] for one in answer["refused"]]]
        status, answer = door.post("api/v1/urls/seed?job=inner", {"urls": seeds[4:]})
        assert status == 200, answer
        taken += [url for index, url in enumerate(seeds[4:]) if index not in [one["index"] for one in answer["refused"]]]
        deadline = time.monotonic() + 60
        while door.get("api/v1/jobs/inner")[1]["state"] != "finished":
            assert time.monotonic() < deadline, door.get("api/v1/jobs/inner")
            time.sleep(0.05)
        status, told = door.post("api/v1/urls/explain?job=inner", {"urls": taken})
        assert status == 200 and {one["url"]: one["outcome"] for one in told["items"]} == dict.fromkeys(
            taken, "address_refused"
        )
        assert door.get("api/v1/crawl/status/inner")[1]["pages_crawled"] == 0
        assert len(taken) >= 6
    with pytest.raises(BlockingIOError):
        witness.accept()
