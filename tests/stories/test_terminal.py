"""On a terminal people see live progress in colour; elsewhere plain lines; machines get JSON."""

import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from crawling import CLEAN, GOSSAMER, run_gossamer
from serving import page, site_running
from terminals import on_a_terminal

QUICK = ["--delay", "0", "--allow-private", "127.0.0.0/8"]
ESCAPE = "\x1b["


def test_progress_is_live_on_a_terminal_and_plain_elsewhere(tmp_path: Path) -> None:
    with site_running({"/": page("/a"), "/a": page(title="a")}) as site:
        live = on_a_terminal(80, "crawl", site.url(), "--dir", tmp_path / "live", *QUICK)
        plain = run_gossamer("crawl", site.url(), "--dir", tmp_path / "plain", *QUICK)
    assert ESCAPE in live
    assert "crawling live" in live
    assert "pages/s" in live
    assert ESCAPE not in plain.stdout + plain.stderr
    assert live.strip().endswith("done: nothing waits")
    assert plain.stdout.strip().endswith("done: nothing waits")


def test_a_title_cannot_play_with_the_terminal(tmp_path: Path) -> None:
    with site_running({"/": page(title="evil \x1b[2J\x07 title")}) as site:
        run_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *QUICK)
    assert "\x1b[2J" not in on_a_terminal(80, "pages", tmp_path / "crawl")
    assert "\x1b" not in run_gossamer("pages", tmp_path / "crawl").stdout


@pytest.mark.parametrize(
    "words",
    [["status"], ["pages"], ["verify"], ["index"], ["hosts"], ["explain", "http://127.0.0.1/"], ["config"]],
)
def test_every_answer_is_there_as_json(tmp_path: Path, words: list[str]) -> None:
    with site_running({"/": page()}) as site:
        summary = run_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *QUICK, "--json")
    assert json.loads(summary.stdout)["exit_code"] == 0
    name, *rest = words
    result = run_gossamer(name, tmp_path / "crawl", *rest, "--json")
    assert result.returncode == 0, result.stderr
    assert [json.loads(line) for line in result.stdout.splitlines()]


def test_a_configuration_file_prints_and_reads_back(tmp_path: Path) -> None:
    text = run_gossamer("config", "--toml").stdout
    assert tomllib.loads(text)["politeness"]["delay"] == 1.0
    (tmp_path / "mine.toml").write_text(re.sub(r"(?m)^delay = .*$", "delay = 0", text))
    with site_running({"/": page()}) as site:
        words = ["--config", tmp_path / "mine.toml", "--allow-private", "127.0.0.0/8", "--json"]
        result = run_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *words)
    assert json.loads(result.stdout)["pages"] == 1


def test_a_shell_can_complete_commands() -> None:
    environment = {**CLEAN, "_GOSSAMER_COMPLETE": "complete_bash", "COMP_WORDS": "gossamer ex", "COMP_CWORD": "1"}
    program = Path(GOSSAMER[0]).with_name("gossamer")
    result = subprocess.run([program], capture_output=True, text=True, env=environment, check=False)
    assert "explain" in result.stdout.split()
