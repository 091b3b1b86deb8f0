"""`gossamer simulate` from the command line."""

import json
import subprocess
import sys
from pathlib import Path

from crawling import run_gossamer

SMALL = ["simulate", "--pages", "500", "--days", "10"]


def test_policies_are_compared_side_by_side_and_a_seed_is_a_crawl(tmp_path: Path) -> None:
    plot, first, second = tmp_path / "a.svg", tmp_path / "first.log", tmp_path / "second.log"
    one = run_gossamer(*SMALL, "--plot", plot, "--log", first, "--json")
    two = run_gossamer(*SMALL, "--log", second, "--json")
    assert one.returncode == 0, one.stderr
    assert one.stdout == two.stdout
    assert first.read_bytes() == second.read_bytes() != b""
    assert [result["policy"] for result in json.loads(one.stdout)["results"]] == ["fixed", "adaptive", "optimal", "known"]
    assert plot.read_text().startswith("<svg")


def test_a_table_has_a_line_a_policy() -> None:
    lines = run_gossamer(*SMALL, "--policy", "adaptive", "--policy", "optimal").stdout.splitlines()
    assert [line.split("\t")[0] for line in lines] == ["adaptive", "optimal"]


def test_bad_input_is_one_sentence(tmp_path: Path) -> None:
    for words in (["--policy", "best"], ["--days", "0"], ["--known", "2"], ["--log", tmp_path / "no" / "log"]):
        result = run_gossamer(*SMALL, *words)
        assert result.returncode == 2, words
        assert result.stderr.startswith("gossamer: ") and result.stderr.count("\n") == 1


def test_help_does_not_load_numpy() -> None:
    code = "import sys; import gossamer.cli.main; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
