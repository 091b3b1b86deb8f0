"""`gossamer simulate` from the command line."""

import json
import subprocess
import sys
from pathlib import Path

from crawling import CLEAN, GOSSAMER, run_gossamer

SMALL = ["simulate", "--pages", "300", "--days", "10"]


def test_a_seed_is_a_crawl_byte_for_byte_whatever_process_runs_it(tmp_path: Path) -> None:
    plot, logs, said = tmp_path / "a.svg", [tmp_path / "first.log", tmp_path / "second.log"], []
    who = ["--policy", "fixed", "--policy", "optimal", "--order", "priority", "--order", "opic"]
    for number, log in enumerate(logs):
        words = [*GOSSAMER, *SMALL, *who, "--plot", plot, "--log", log, "--json"]
        run = subprocess.run(
            map(str, words), capture_output=True, env={**CLEAN, "PYTHONHASHSEED": str(number + 1)}, check=False
        )
        assert run.returncode == 0, run.stderr
        said.append(run.stdout)
    assert said[0] == said[1]
    assert logs[0].read_bytes() == logs[1].read_bytes() != b""
    assert len(json.loads(said[0])["results"]) == 4
    assert plot.read_text().startswith("<svg")


def test_a_table_has_a_line_a_policy() -> None:
    lines = run_gossamer(*SMALL, "--policy", "adaptive", "--policy", "fixed").stdout.splitlines()
    assert [line.split("\t")[0] for line in lines] == ["adaptive", "fixed"]


def test_orders_are_compared_from_the_seeds_on(tmp_path: Path) -> None:
    (tmp_path / "web.toml").write_text('known = 0\nimportance = "links"\n')
    run = run_gossamer(*SMALL, "--order", "breadth-first", "--order", "opic", "--plan", tmp_path / "web.toml", "--delay", "2")
    assert run.returncode == 0, run.stderr
    rows = [line.split("\t") for line in run.stdout.splitlines()]
    assert [row[:2] for row in rows] == [["fixed", "breadth-first"], ["fixed", "opic"]]
    assert all(int(row[10].replace(",", "")) > 20 and row[-1] == "0" for row in rows)


def test_bad_input_is_one_sentence(tmp_path: Path) -> None:
    no = tmp_path / "no"
    for words in (["--policy", "best"], ["--known", "2"], ["--log", no / "log"], ["--set", "politeness.delay=-1"]):
        result = run_gossamer(*SMALL, *words)
        assert result.returncode == 2, words
        assert result.stderr.startswith("gossamer: ") and result.stderr.count("\n") == 1


def test_help_does_not_load_numpy() -> None:
    code = "import sys; import gossamer.cli.main; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
