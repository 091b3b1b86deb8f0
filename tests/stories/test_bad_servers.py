"""Bad servers still count: what browsers show is kept as it came, marked where it is cut, and its links are followed."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from crawling import Simweb, run_gossamer, simweb_running
from warcio.archiveiterator import ArchiveIterator

from gossamer.simweb.attacks import quirks

OPTIONS = ["--delay=0", "--scope=any", "--set=fetch.total_timeout=5", "--set=retry.times=1", "--set=retry.wait=1", "--json"]


@dataclass(frozen=True)
class Crawled:
    """A finished crawl and its web."""

    directory: Path
    web: Simweb
    answers: dict[str, dict[str, Any]]  # by URL

    @property
    def entries(self) -> list[dict[str, Any]]:
        """What the manifest says of bad servers."""
        return [entry for entry in self.web.manifest if entry["attack"]]


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    place = tmp_path_factory.mktemp("bad")
    with simweb_running(place, hosts=1, pages=3, plain=True, attacks="quirks") as web:
        result = run_gossamer("crawl", "--dir", place / "crawl", *OPTIONS, *web.crawl_options)
        assert result.returncode == 0, result.stderr
        stdin = "".join(f"{entry['url']}\n" for entry in web.manifest)
        explained = run_gossamer("explain", place / "crawl", "-", "--json", stdin=stdin).stdout.splitlines()
        yield Crawled(place / "crawl", web, {(answer := json.loads(line))["url"]: answer for line in explained})


def test_every_page_and_what_it_leads_to_ends_as_it_must(crawled: Crawled) -> None:
    wrong = []
    for entry in crawled.entries:
        answer = crawled.answers[entry["url"]]
        truncated = answer["page"]["truncated"]
        if (answer["outcome"], truncated) != (entry["outcome"], entry["truncated"]):
            wrong.append((entry["url"], entry["outcome"], entry["truncated"], answer["outcome"], truncated, answer["reason"]))
    assert wrong == []
    assert len(crawled.entries) > 40


def test_what_is_kept_is_what_was_said(crawled: Crawled) -> None:
    blocks: dict[str, bytes] = {}
    for path in (crawled.directory / "warc").glob("*.warc.gz"):
        with path.open("rb") as file:
            for record in ArchiveIterator(file, no_record_parse=True):
                if record.rec_type == "response":
                    blocks[record.rec_headers["WARC-Target-URI"]] = record.content_stream().read()
    different = []
    for name, said in quirks.replies().items():
        url = next(entry["url"] for entry in crawled.entries if entry["attack"] == name and entry["found_by"] == "seed")
        kept = blocks[url]
        if not (kept and said.startswith(kept) and len(said) - len(kept) <= 2):
            different.append((name, said, kept))
    assert different == []


def test_a_page_whose_head_has_a_line_that_is_none_says_so(crawled: Crawled) -> None:
    reasons = {
        entry["attack"]: crawled.answers[entry["url"]]["reason"] for entry in crawled.entries if entry["found_by"] == "seed"
    }
    assert reasons["line-without-colon"] == reasons["line-without-colon-chunked"] == "a line of the head is no header"
    assert reasons["two-equal-lengths"] == ""


def test_a_page_without_a_head_is_refused_with_a_reason(crawled: Crawled) -> None:
    answer = next(crawled.answers[entry["url"]] for entry in crawled.entries if entry["attack"] == "http-0-9")
    assert (answer["outcome"], answer["state"]) == ("protocol_error", "dead")
    assert "HTTP/0.9" in answer["reason"]


def test_verify_finds_no_fault(crawled: Crawled) -> None:
    result = run_gossamer("verify", crawled.directory)
    assert result.returncode == 0, result.stdout
