"""Every broken framing we know is a host of one crawl: it ends by itself, and each page is what was said for it."""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from crawling import run_gossamer
from framed import DOMAIN, Framed, framed_running, next_page
from warcio.archiveiterator import ArchiveIterator

MAX_TIME = 60
DRAIN = 10
OPTIONS = [
    *("--scope", "host", "--resolve", f"*.{DOMAIN}:127.0.0.1", "--allow-private", "127.0.0.0/8", "--max-time", f"{MAX_TIME}s"),
    *(
        "--set",
        "fetch.total_timeout=5",
        "--set",
        "retry.times=1",
        "--set",
        "retry.wait=0.1",
        "--set",
        "robots.wait=0.1",
        "--quiet",
    ),
]
TIMES = int(os.environ.get("GOSSAMER_FRAMING_TIMES", "1"))  # `make soak` asks for 50


@pytest.fixture(scope="module")
def framed() -> Iterator[Framed]:
    with framed_running() as running:
        yield running


def archived(directory: Path) -> dict[str, bytes]:
    """Return the body of every response in the archive, as it came over the wire."""
    bodies = {}
    for path in (directory / "warc").glob("*.warc.gz"):
        with path.open("rb") as file:
            for record in ArchiveIterator(file, no_record_parse=True):
                if record.rec_type == "response":
                    block = record.content_stream().read()
                    end = min(
                        at for mark in (b"\r\n\r\n", b"\n\n", b"\n\r\n") if (at := block.find(mark) + len(mark)) >= len(mark)
                    )
                    bodies[record.rec_headers["WARC-Target-URI"]] = block[end:]
    return bodies


@pytest.mark.parametrize("time_of_day", range(TIMES))
@pytest.mark.parametrize("delay", [0, 0.2, 1])
def test_all_of_them_in_one_crawl(framed: Framed, tmp_path: Path, delay: float, time_of_day: int) -> None:
    roots = framed.roots()
    seeds = tmp_path / "seeds"
    seeds.write_text("".join(f"{url}\n" for url in roots))
    authority = tmp_path / "ca.pem"
    framed.authority.cert_pem.write_to_path(str(authority))
    begun = time.monotonic()
    crawl = ["crawl", "--dir", tmp_path / "crawl", "--seeds", seeds, "--delay", delay, "--set", f"fetch.ca_file={authority}"]
    result = run_gossamer(*crawl, *OPTIONS)
    took = time.monotonic() - begun
    assert result.returncode == 0, result.stderr
    assert took < MAX_TIME + DRAIN
    judge(framed, tmp_path / "crawl")


def judge(framed: Framed, directory: Path) -> None:
    """Compare the archive, and how each URL ended, with what was said."""
    roots = framed.roots()
    bodies = archived(directory)
    stdin = "".join(f"{url}\n" for url in roots)
    explained = [
        json.loads(line) for line in run_gossamer("explain", directory, "-", "--json", stdin=stdin).stdout.splitlines()
    ]
    outcomes = {answer["url"]: answer["outcome"] for answer in explained}
    for url, framing in roots.items():
        assert bodies.get(url) == framing.payload, url
        assert outcomes[url] == ("protocol_error" if framing.payload is None else "ok"), url
        behind = bodies.get(f"{url}next")
        assert behind == (None if framing.payload is None else next_page(urlsplit(url).hostname or "")), url
