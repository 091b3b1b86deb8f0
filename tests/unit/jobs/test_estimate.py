"""Scale on paper: the sums, and that the command prints what the document says."""

import json
import re
import shlex
from pathlib import Path

import pytest
from crawling import run_gossamer

from gossamer.errors import UsageError
from gossamer.jobs.estimate import Wish, bloom_bytes, estimate

PAGE = (Path(__file__).parents[3] / "docs" / "explanation" / "estimate.md").read_text()


def test_a_bloom_filter_for_ten_billion_at_one_percent_is_twelve_gigabytes() -> None:
    assert bloom_bytes(10e9) == pytest.approx(12e9, rel=0.01)
    assert "billion URLs that is 12 GB" in PAGE


def test_the_command_prints_the_tables_of_the_document() -> None:
    sections = re.findall(r"`gossamer (estimate [^`]*)`\n(?:.|\n)*?\|---\|---\|\n((?:\|.*\|\n)+)", PAGE)
    assert len(sections) == 2
    for command, table in sections:
        expected = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in table.splitlines()]
        printed = [tuple(line.split("\t")) for line in run_gossamer(*shlex.split(command)).stdout.splitlines()]
        assert printed == expected


def test_politeness_says_no_when_hosts_are_too_few() -> None:
    [command] = re.findall(r"`gossamer (estimate [^`]*--rate [^`]*)`", PAGE)
    result = run_gossamer(*shlex.split(command), "--json")
    needs = json.loads(result.stdout)["needs"]
    assert not needs["is_polite"]
    assert needs["polite_pages_per_second"] == 500
    assert f"{needs['shortest_cycle_days']:.1f} days" in PAGE


def test_twice_the_pages_need_twice_of_everything_but_hosts() -> None:
    one, two = (estimate(Wish(pages=pages)) for pages in (1e9, 2e9))
    for name in ("pages_per_second", "bits_per_second", "bytes_of_storage", "bloom_bytes", "seen_bytes", "shortest_cycle_days"):
        assert getattr(two, name) == pytest.approx(2 * getattr(one, name))
    assert two.dns_bytes == one.dns_bytes


@pytest.mark.parametrize("wrong", [{"pages": 0}, {"cycle_days": -1}, {"hosts": float("nan")}, {"cores": 0}, {"hosts": 1e12}])
def test_what_makes_no_sense_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        estimate(Wish(**{"pages": 1e9, **wrong}))


@pytest.mark.parametrize("words", ["--pages many", "--pages ''", "--pages 5 --cycle 0", "--pages 9 --hosts 1k"])
def test_bad_input_is_one_sentence(words: str) -> None:
    result = run_gossamer("estimate", *shlex.split(words))
    assert result.returncode == 2
    assert result.stderr.startswith("gossamer: ") and result.stderr.count("\n") == 1
