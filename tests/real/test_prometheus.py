"""A real Prometheus beside a real crawl: it is told the truth, alerts know when to speak, every panel has something to show.

For ten seconds or so, every second; `GOSSAMER_SOAK_SCRAPES` says how many scrapes instead.
"""

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from crawling import run_gossamer, simweb_running, start_gossamer
from doors import Door, serving
from prometheus import DEPLOY, Prometheus, prometheus_running, wait_until
from witnesses import PROMETHEUS, missing, not_judged

SCRAPES = int(os.environ.get("GOSSAMER_SOAK_SCRAPES", "8"))
RULES = DEPLOY / "prometheus"

pytestmark = pytest.mark.skipif(bool(missing((PROMETHEUS,))), reason=not_judged([PROMETHEUS.package]))


def promtool(*words: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run promtool where the rules are."""
    return subprocess.run(["promtool", *words], cwd=RULES, input=stdin, capture_output=True, text=True, check=False, timeout=60)


@dataclass(frozen=True)
class Watched:
    """A crawl that was scraped while it ran, and has ended since."""

    crawl: Path
    door: Door
    prometheus: Prometheus


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    """A crawl with two workers, and every number of it in Prometheus."""
    place = tmp_path_factory.mktemp("watched")
    crawl = place / "home" / "site"
    (place / "home").mkdir()
    with (
        simweb_running(place, hosts=6, pages=400) as web,
        serving(place / "home") as door,
        prometheus_running(place, door, door.token) as prometheus,
    ):
        # The second run is watched: counters go on from the first, and how fresh its pages are is known from the start.
        first = run_gossamer("crawl", "--dir", crawl, *web.crawl_options, "--delay", "0.05", "--max-pages", 40, "--quiet")
        assert first.returncode in (0, 6), first.stderr
        crawling = start_gossamer("resume", crawl, "--max-pages", "100000", "--workers", 2, "--quiet")
        scraped = 'count_over_time(gossamer_workers{crawl="site"}[10m])'
        wait_until(lambda: prometheus.number(scraped) >= SCRAPES, f"{SCRAPES} scrapes of a crawl", SCRAPES * 3 + 30)
        assert crawling.poll() is None, "the crawl was to be longer"
        _every_panel_shows_something(prometheus)
        crawling.communicate(timeout=90)
        ended = json.loads(run_gossamer("status", crawl, "--json").stdout)
        wait_until(lambda: _is_told(prometheus, ended), "the end of the crawl is told")
        yield Watched(crawl, door, prometheus)


def _is_told(prometheus: Prometheus, status: dict[str, Any]) -> bool:
    return prometheus.number('gossamer_frontier_urls{state="done"}') == status["frontier"]["done"] and bool(
        prometheus.ask('gossamer_crawl_state{state="finished"} == 1')
    )


def expressions() -> list[str]:
    """Return everything that the dashboard asks Prometheus, as it would for all crawls and a scrape a second."""
    panels = json.loads((DEPLOY / "grafana" / "gossamer.json").read_text())["panels"]
    asked = [target["expr"] for panel in panels for target in panel["targets"]]
    return [expression.replace("$crawl", ".*").replace("$__rate_interval", "1m") for expression in asked]


def _every_panel_shows_something(prometheus: Prometheus) -> None:
    """Hold while a crawl runs: each expression gives at least one row, and no row is no number."""
    for expression in expressions():
        wait_until(lambda asked=expression: bool(prometheus.ask(asked)), f"data for {expression}")  # type: ignore[misc]
        assert "NaN" not in {row["value"][1] for row in prometheus.ask(expression)}, expression


def test_what_prometheus_sums_is_what_status_tells(watched: Watched) -> None:
    status = json.loads(run_gossamer("status", watched.crawl, "--json").stdout)
    told = {row["metric"]["outcome"]: int(row["value"][1]) for row in watched.prometheus.ask("gossamer_urls_finished_total")}
    # A page that turned out later to be the copy of another was counted as it ended; it is one page all the same.
    assert set(told) == {outcome for outcome, count in status["outcomes"].items() if count}
    assert sum(told.values()) == sum(status["outcomes"].values())
    states = {row["metric"]["state"]: int(row["value"][1]) for row in watched.prometheus.ask("gossamer_frontier_urls")}
    assert states == {state: status["frontier"][state] for state in states}
    assert sum(states.values()) == sum(status["frontier"][state] for state in ("waiting", "leased", "done", "dead", "removed"))
    assert watched.prometheus.number("gossamer_pages") == status["pages"]
    assert watched.prometheus.number("gossamer_politeness_violations_total") == 0


def test_scrapes_open_no_crawl_that_has_ended(watched: Watched) -> None:
    before = watched.prometheus.number("count_over_time(gossamer_workers[10m])")
    wait_until(lambda: watched.prometheus.number("count_over_time(gossamer_workers[10m])") > before + 2, "three more scrapes")
    assert not (watched.crawl / "control.sock").exists()


def test_no_alert_is_raised_over_a_crawl_that_goes_well(watched: Watched) -> None:
    assert watched.prometheus.ask('ALERTS{alertstate="firing"}') == []


def test_what_the_server_tells_passes_the_check_of_promtool(watched: Watched) -> None:
    answer = watched.door.ask("GET", "metrics")
    assert answer.status == 200 and answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    checked = promtool("check", "metrics", stdin=answer.content.decode())
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")


def test_a_scrape_without_a_token_is_refused(watched: Watched) -> None:
    assert watched.door.ask("GET", "metrics", token="").status == 401
    assert {target["health"] for target in watched.prometheus.targets()} == {"up"}


def test_configuration_and_rules_pass_the_check_of_promtool() -> None:
    for words in (("check", "config", "--syntax-only", "prometheus.yml"), ("check", "rules", "--lint-fatal", "alerts.yml")):
        checked = promtool(*words)
        assert checked.returncode == 0, checked.stdout + checked.stderr


def test_each_alert_fires_when_it_should_and_is_silent_when_it_should_not() -> None:
    judged = promtool("test", "rules", "alerts_test.yml")
    assert judged.returncode == 0, judged.stdout + judged.stderr
    alerts = {
        rule["alert"] for group in yaml.safe_load((RULES / "alerts.yml").read_text())["groups"] for rule in group["rules"]
    }
    cases = [
        (case["alertname"], bool(case["exp_alerts"]))
        for test in yaml.safe_load((RULES / "alerts_test.yml").read_text())["tests"]
        for case in test["alert_rule_test"]
    ]
    assert {name for name, fires in cases if fires} == alerts == {name for name, fires in cases if not fires}
