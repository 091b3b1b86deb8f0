"""Limits under pressure: few descriptors, a stop that outlasts the lease, a second SIGTERM, a clock that jumps between runs."""

import json
import os
import resource
import signal
import subprocess
import threading
import time
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from crawling import CLEAN, GOSSAMER, Simweb, outcomes_of, run_gossamer, simweb_running, start_gossamer, wrong_outcomes
from serving import Answer, Asked, page, site_running

from gossamer.config.sections import Breaker, Fetch, FrontierSettings, Politeness, Settings
from gossamer.config.sections import CrawlSettings as CrawlSection
from gossamer.frontier.embedded.facade import EmbeddedFrontier
from gossamer.jobs.descriptors import OWN, PER_VISIT, fit
from gossamer.records.entry import Entry
from gossamer.records.lease import Fate, Settlement
from gossamer.records.outcome import Outcome

NOW = 1_700_000_000.0
HOUR = 3600.0
QUICK = ["--quiet", "--set", "storage.durability=fast", "--set", "retry.wait=1", "--set", "robots.wait=1"]


def verified(directory: Path, web: Simweb) -> str:
    """Return what `verify` says at the end; an empty text when nothing is wrong."""
    result = run_gossamer("verify", directory, "--ledger", web.ledger_file)
    return "" if result.returncode == 0 and result.stdout.rstrip().endswith(" passed, 0 failed") else result.stdout


def wait_for_requests(web: Simweb, crawler: "subprocess.Popen[str]", number: int) -> None:
    """Return when the servers have seen so many requests."""
    end = time.monotonic() + 60
    while web.ledger_file.read_bytes().count(b"\n") < number:
        assert time.monotonic() < end, "the servers have seen too few requests"
        with suppress(subprocess.TimeoutExpired):
            pytest.fail(f"the crawl ended before that, with {crawler.wait(0.01)}")


# --- descriptors -----------------------------------------------------------------------------------------------------


def test_a_crawl_ends_well_with_128_descriptors(tmp_path: Path) -> None:
    with simweb_running(tmp_path, hosts=150, pages=300, seed=3) as web:
        words = [*GOSSAMER, "crawl", "--dir", str(tmp_path / "crawl"), "--delay", "0.02", *web.crawl_options, *QUICK]
        ended = subprocess.run(
            words,
            env=CLEAN,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128)),
        )
        assert ended.returncode == 0, ended.stderr
        assert wrong_outcomes(web, outcomes_of(tmp_path / "crawl", web)) == []


@pytest.mark.parametrize("limit", [1, 65, 128, 256, 1024, 65_536])
def test_visits_and_kept_connections_fit_into_the_descriptors(limit: int) -> None:
    settings = Settings(crawl=CrawlSection(concurrency=10_000), fetch=Fetch(connections=10_000))
    fitting = fit(settings, limit)
    visits, kept = fitting.crawl.concurrency, fitting.fetch.connections
    assert 1 <= visits <= 10_000 and 1 <= kept <= 10_000
    assert limit <= OWN + PER_VISIT + 1 or OWN + PER_VISIT * visits + kept <= limit
    assert fit(Settings(), ENOUGH_FOR_DEFAULTS) == Settings()


ENOUGH_FOR_DEFAULTS = OWN + PER_VISIT * Settings().crawl.concurrency + Settings().fetch.connections


# --- signals ---------------------------------------------------------------------------------------------------------


def test_a_process_stopped_past_its_leases_settles_nothing_twice_and_presses_nobody(tmp_path: Path) -> None:
    with simweb_running(tmp_path, hosts=25, pages=200, seed=11) as web:
        directory = tmp_path / "crawl"
        options = ["--delay", "0.2", "--set", "crawl.lease=2", "--set", "fetch.file_timeout=1.9", *web.crawl_options, *QUICK]
        crawler = start_gossamer("crawl", "--dir", directory, *options)
        for requests in (60, 120):
            wait_for_requests(web, crawler, requests)
            crawler.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, crawler.pid, os.WSTOPPED)
            time.sleep(2.5)  # longer than the lease
            crawler.send_signal(signal.SIGCONT)
        printed, errors = crawler.communicate(timeout=90)
        assert crawler.returncode == 0, errors
        assert "done: nothing waits" in printed
        assert wrong_outcomes(web, outcomes_of(directory, web)) == []
        assert verified(directory, web) == ""
        pages = [json.loads(line)["url"] for line in run_gossamer("pages", directory, "--json", "-n", 0).stdout.splitlines()]
        assert len(pages) == len(set(pages))
        asked = [seen["path"] for seen in web.ledger()]
        visits = [path for path in asked if "robots" not in path and "/gossamer-probe-" not in path]
        allowed = sum(entry.get("requests_max", 1) for entry in web.manifest if entry["fetch"])
        assert len(visits) <= allowed + 2 * 25  # a visit under way at each host, at each stop
        assert "event loop" not in (directory / "crawl.log").read_text()


def test_a_visit_that_outlives_its_lease_is_repeated_and_counted_once(tmp_path: Path) -> None:
    go = threading.Event()

    def held(asked: Asked) -> Answer:
        assert go.wait(60)
        return page("/after", title="held")

    with site_running({"/": page("/held"), "/held": held, "/after": page(title="after")}) as site:
        options = ["--delay", "0.5", "--set", "crawl.lease=1", "--set", "fetch.file_timeout=0.9"]
        options += ["--allow-private", "127.0.0.0/8", *QUICK]
        crawler = start_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *options)
        site.wait_for("/held")
        crawler.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, crawler.pid, os.WSTOPPED)
        time.sleep(1.5)  # longer than the lease
        go.set()
        crawler.send_signal(signal.SIGCONT)
        printed, errors = crawler.communicate(timeout=60)
        assert crawler.returncode == 0 and "done: nothing waits" in printed, errors
    assert site.paths == ["/", "/held", "/held", "/after"]
    times = [asked.at for asked in site.asked]
    assert min(later - sooner for sooner, later in pairwise(times)) > 0.495
    pages = [json.loads(line) for line in run_gossamer("pages", tmp_path / "crawl", "--json").stdout.splitlines()]
    ends = {(urlsplit(page["url"]).path, page["outcome"]) for page in pages}
    assert len(pages) == 3 and ends == {("/", "ok"), ("/held", "ok"), ("/after", "ok")}
    assert run_gossamer("verify", tmp_path / "crawl").returncode == 0


def test_asked_twice_in_full_swing_it_stops_at_once_and_loses_nothing(tmp_path: Path) -> None:
    with simweb_running(tmp_path, hosts=25, pages=150, seed=12) as web:
        directory = tmp_path / "crawl"
        crawler = start_gossamer("crawl", "--dir", directory, "--delay", "0.05", *web.crawl_options, *QUICK)
        wait_for_requests(web, crawler, 80)
        crawler.send_signal(signal.SIGTERM)
        crawler.send_signal(signal.SIGTERM)
        begin = time.monotonic()
        printed, errors = crawler.communicate(timeout=30)
        assert crawler.returncode == 130, errors
        assert printed.splitlines()[-1].startswith("interrupted: ")
        assert time.monotonic() - begin < 10
        assert run_gossamer("resume", directory, "--quiet").returncode == 0
        assert wrong_outcomes(web, outcomes_of(directory, web)) == []
        assert verified(directory, web) == ""


# --- clocks ----------------------------------------------------------------------------------------------------------


def frontier_at(path: Path, now: float) -> EmbeddedFrontier:
    """Open the frontier at a time of the wall clock."""
    return EmbeddedFrontier.open_at(path, FrontierSettings(cache=1 << 20), Politeness(delay=2), Breaker(), 300.0, now)


@pytest.mark.parametrize("jump", [-HOUR, HOUR], ids=["an hour back", "an hour ahead"])
async def test_a_clock_that_jumps_between_runs_neither_presses_a_host_nor_leaves_it_waiting(
    tmp_path: Path, jump: float
) -> None:
    frontier = frontier_at(tmp_path, NOW)
    urls = [f"http://{host}.test/{page}" for host in "abc" for page in range(4)]
    await frontier.discover([Entry(url, url, url[7:13]) for url in urls], NOW)
    leases = (await frontier.lease("one", 10, NOW + 3)).leases
    assert len(leases) == 3
    ended = Settlement(lease=leases[0], fate=Fate.DONE, outcome=Outcome.OK)
    assert await frontier.settle([ended], NOW + 3) == 1
    await frontier.aclose()

    now = NOW + 3 + jump
    frontier = frontier_at(tmp_path, now)
    assert (await frontier.statistics()).leased == 0
    granted = await frontier.lease("one", 10, now + 1.9)
    assert granted.leases == () and granted.next_time == pytest.approx(now + 2)
    granted = await frontier.lease("one", 10, now + 2)
    assert {lease.entry.host for lease in granted.leases} == {"a.test", "b.test", "c.test"}
    assert await frontier.settle([Settlement(lease=leases[1], fate=Fate.DONE, outcome=Outcome.OK)], now + 2) == 0
    numbers = await frontier.statistics()
    assert (numbers.done, numbers.leased, numbers.waiting) == (1, 3, 8)
    await frontier.aclose()


async def test_what_is_due_at_a_date_is_not_forgotten_when_the_clock_jumps(tmp_path: Path) -> None:
    frontier = frontier_at(tmp_path, NOW)
    await frontier.discover([Entry("http://a.test/", "http://a.test/", "a.test")], NOW)
    lease = (await frontier.lease("one", 1, NOW + 3)).leases[0]
    again = Settlement(lease=lease, fate=Fate.RETRY, outcome=Outcome.SERVER_ERROR, due=NOW + 60)
    assert await frontier.settle([again], NOW + 3) == 1
    await frontier.aclose()
    frontier = frontier_at(tmp_path, NOW - HOUR)
    granted = await frontier.lease("one", 1, NOW - HOUR + 10)
    assert granted.leases == () and granted.next_time == pytest.approx(NOW + 60)
    await frontier.aclose()
    frontier = frontier_at(tmp_path, NOW + HOUR)
    assert len((await frontier.lease("one", 1, NOW + HOUR + 2)).leases) == 1
    await frontier.aclose()
