"""An operator's hand on a running crawl: what is decided takes effect at once and is there after a restart."""

import json
import signal
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from crawling import run_gossamer, start_gossamer
from serving import Answer, Asked, Site, page, site_running

from gossamer.policy.parameters import SAMPLE
from gossamer.url.fingerprint import fingerprint

QUICK = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--quiet"]


@dataclass
class Running:
    """A crawl that waits for one page, with more in its queue."""

    site: Site
    go: threading.Event
    crawler: subprocess.Popen[str]
    directory: Path

    def tell(self, *words: object) -> str:
        """Run an operator's command on it."""
        name, *rest = words
        result = run_gossamer(name, self.directory, *rest)
        assert result.returncode == 0, result.stderr
        return result.stdout

    def finish(self) -> None:
        """Let the page go and wait for the end."""
        self.go.set()
        self.crawler.communicate(timeout=60)


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    """Start a crawl of two hosts that hangs at a page of the first."""
    go = threading.Event()

    def held(asked: Asked) -> Answer:
        assert go.wait(60)
        return page()

    routes = {"/": page("/held", "/next", "/last"), "/held": held, "/next": page(title="next"), "/last": page(title="last")}
    with site_running(routes) as site:
        (tmp_path / "block.txt").write_text("# nothing yet\n")
        words = ["--dir", tmp_path / "crawl", *QUICK, "--set", f"scope.block_file={tmp_path / 'block.txt'}"]
        crawler = start_gossamer("crawl", site.url(), *words)
        site.wait_for("/held")
        yield Running(site, go, crawler, tmp_path / "crawl")
        go.set()
        crawler.kill()
        crawler.communicate()


def test_a_removed_url_is_never_fetched(running: Running) -> None:
    running.tell("remove", running.site.url("/next"))
    running.finish()
    assert running.site.paths == ["/", "/held", "/last"]
    answer = json.loads(running.tell("explain", running.site.url("/next"), "--json"))
    assert answer["state"] == "removed"


def test_a_dropped_queue_is_gone(running: Running) -> None:
    running.tell("host", "127.0.0.1", "--drop")
    running.finish()
    assert running.site.paths == ["/", "/held"]


def test_a_paused_host_gets_no_turn_until_it_is_resumed_even_after_kill_9(running: Running) -> None:
    running.tell("host", "127.0.0.1", "--pause")
    running.crawler.send_signal(signal.SIGKILL)
    running.crawler.communicate()
    running.go.set()
    waiting = run_gossamer("resume", running.directory, "--max-time", "1", "--quiet")
    assert running.site.paths == ["/", "/held"], waiting.stderr
    running.tell("host", "127.0.0.1", "--resume")
    assert run_gossamer("resume", running.directory, "--quiet").returncode == 0
    assert sorted(running.site.paths) == ["/", "/held", "/held", "/last", "/next"]


def test_a_blocked_host_is_never_visited_again(running: Running) -> None:
    running.tell("host", "127.0.0.1", "--block")
    running.crawler.send_signal(signal.SIGTERM)
    running.finish()
    run_gossamer("resume", running.directory, "--max-time", "1", "--quiet")
    assert running.site.paths == ["/", "/held"]
    assert json.loads(running.tell("host", "127.0.0.1", "--json"))["policy"]["blocked"] is True


def test_a_policy_changes_pace_and_user_agent(running: Running) -> None:
    running.tell("host", "127.0.0.1", "--max-qps", "4", "--user-agent", "special/1.0")
    running.finish()
    last = running.site.asked[-2:]
    assert [one.headers["user-agent"] for one in last] == ["special/1.0", "special/1.0"]
    assert last[1].at - last[0].at >= 0.245


def test_a_block_list_is_read_again_while_running(running: Running) -> None:
    log = running.directory / "crawl.log"
    before = log.read_text().count("listsread")
    (running.directory.parent / "block.txt").write_text("127.0.0.1\n")
    while log.read_text().count("listsread") == before:
        running.tell("status")
    running.site.routes["/next"] = page("/new")
    running.finish()
    answer = json.loads(running.tell("explain", running.site.url("/new"), "--json"))
    assert (answer["outcome"], answer["rule"]) == ("out_of_scope", "scope.block_file")


def test_a_blocked_template_is_never_fetched(running: Running) -> None:
    running.tell("traps", "--host", "127.0.0.1", "--block", "/{w}")
    running.finish()
    assert running.site.paths == ["/", "/held"]
    answer = json.loads(running.tell("explain", running.site.url("/next"), "--json"))
    assert (answer["outcome"], answer["rule"]) == ("trap", "traps.template")
    assert answer["reason"].endswith("an operator blocked /{w}")
    [trap] = [json.loads(line) for line in running.tell("traps", "--json").splitlines()]
    assert (trap["name"], trap["ruling"], trap["refused"]) == ("/{w}", "block", 2)


def test_a_dropped_parameter_leaves_the_keys_of_links_found_from_now_on(running: Running) -> None:
    urls = [running.site.url(f"/x?view={view}") for view in range(20)]
    merged = [url for url in urls if fingerprint(url) % SAMPLE][:3]  # the others are of the sample that is fetched all the same
    for url in urls:
        running.site.routes[url.removeprefix(running.site.url(""))] = page(title=url)
    running.tell("rules", "--host", "127.0.0.1", "--drop", "view")
    running.site.routes["/next"] = page(*merged)
    running.finish()
    assert len([path for path in running.site.paths if path.startswith("/x?")]) == 1
    answers = [json.loads(running.tell("explain", url, "--json")) for url in merged]
    assert {answer["key"] for answer in answers} == {running.site.url("/x")}
    assert [answer["rule"] for answer in answers].count("traps.parameter") == 2


def test_hosts_lists_what_waits(running: Running) -> None:
    [host] = [json.loads(line) for line in running.tell("hosts", "--json").splitlines()]
    assert (host["host"], host["waiting"], host["leased"]) == ("127.0.0.1", 2, 1)
