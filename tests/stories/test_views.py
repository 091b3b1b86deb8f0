"""What people see: a page a line, what failed apart from what is not for us, what a crawl does and waits for, and why."""

import json
import re
import shlex
from pathlib import Path

import pytest
from crawling import run_gossamer, start_gossamer
from serving import Route, page, site_running
from terminals import read_on_a_terminal

PRIVATE = ["--allow-private", "127.0.0.0/8"]
QUICK = ["--delay", "0", *PRIVATE]
LONG = "/a/rather/long/path/of/folders/" + "and-a-name-" * 4 + "at-its-end.html"


# --- pages ---------------------------------------------------------------------------------------------------------------


def test_a_page_is_one_line_with_its_whole_url_on_a_terminal_of_80_columns(tmp_path: Path) -> None:
    title = "a title of very many words that nobody could read on one line together with all else " * 2
    with site_running({"/": page("/a", LONG, title=title), "/a": page(title="short"), LONG: page(title=title)}) as site:
        run_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *QUICK)
        for columns in (80, 120, 160):
            heads, *lines = read_on_a_terminal(columns, "pages", tmp_path / "crawl").splitlines()
            assert len(lines) == 3 and all(len(line) <= columns for line in lines)
            assert heads.split()[0] in ("fetched", "outcome") and "url" in heads.split()
            assert len([line for line in lines if site.url("/a ") in line or line.rstrip().endswith(site.url("/a"))]) == 1
            whole = [line for line in lines if site.url(LONG) in line]
            assert len(whole) == (columns == 160)
        wide = read_on_a_terminal(250, "pages", tmp_path / "crawl").splitlines()
        plain = run_gossamer("pages", tmp_path / "crawl").stdout.splitlines()
    assert "…" in wide[1] and site.url(LONG) in "".join(wide) and wide[0].split()[0] == "fetched"
    assert len(plain) == 3 and any(site.url(LONG) in line and title.strip() in line for line in plain)
    assert all(line.count("\t") == 6 for line in plain)


def test_a_url_is_shortened_in_its_middle_only_when_there_is_no_other_room(tmp_path: Path) -> None:
    with site_running({"/": page(LONG), LONG: page()}) as site:
        run_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *QUICK)
        (cut,) = [line for line in read_on_a_terminal(60, "pages", tmp_path / "crawl").splitlines() if "…" in line]
    assert site.url()[:12] in cut and cut.rstrip().endswith("its-end.html") and len(cut) <= 60


# --- failed, and not for us ------------------------------------------------------------------------------------------------


def test_what_failed_is_told_apart_from_what_is_not_for_us(tmp_path: Path) -> None:
    robots = 200, {"content-type": "text/plain"}, b"User-agent: *\nDisallow: /private\n"
    links = ["/a", "/gone", "/private", "http://elsewhere.test/1", "http://elsewhere.test/2"]
    routes: dict[str, Route] = {"/robots.txt": robots, "/": page(*links, title="front"), "/a": page("/error", title="a")}
    routes["/error"] = 500, {}, b"no"
    told = "7 known: 2 done, 0 waiting, 2 failed, 3 not for us"
    words = ["--set", "retry.times=0", *QUICK]
    with site_running(routes) as site:
        plain = run_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *words).stdout
        machine = json.loads(run_gossamer("crawl", site.url(), "--dir", tmp_path / "json", *words, "--json").stdout)
        again = run_gossamer("recrawl", tmp_path / "crawl", "--delay", "0").stdout
    assert told in plain and told in again and " dead" not in plain + again
    assert {line.split("\t")[2] for line in plain.splitlines() if line.startswith(("gone", "server_error"))} == {"failed"}
    assert next(line.split("\t")[2] for line in plain.splitlines() if line.startswith("robots_denied")) == "not for us"
    assert (machine["frontier"]["dead"], machine["frontier"]["failed"], machine["frontier"]["not_for_us"]) == (5, 2, 3)
    status = run_gossamer("status", tmp_path / "crawl").stdout
    assert told in status and " dead" not in status
    numbers = json.loads(run_gossamer("status", tmp_path / "crawl", "--json").stdout)["frontier"]
    assert (numbers["dead"], numbers["failed"], numbers["not_for_us"]) == (5, 2, 3)
    listed = run_gossamer("status", tmp_path).stdout
    assert "crawl\tfinished\t2\t0\t2\t3" in listed


# --- progress --------------------------------------------------------------------------------------------------------------


def test_progress_says_what_is_fetched_what_is_waited_for_and_when_it_is_over(tmp_path: Path) -> None:
    numbers = range(9)
    routes: dict[str, Route] = {f"/{number}": page(title=str(number)) for number in numbers}
    routes["/"] = page(*(f"/{number}" for number in numbers), "http://elsewhere.test/", title="front")
    with site_running(routes) as site:
        crawling = start_gossamer("crawl", site.url(), "--dir", tmp_path / "plain", "--delay", "0.7", *PRIVATE)
        live = read_on_a_terminal(80, "crawl", site.url(), "--dir", tmp_path / "live", "--delay", "0.7", *PRIVATE)
        _, plain = crawling.communicate(timeout=60)
    line = next(line for line in plain.splitlines() if "pages/s" in line)
    assert "not for us 1" in line and "failed 0" in line
    assert re.search(rf"fetch(ed|ing) {re.escape(site.url('/'))}\d", line)
    how = r"(, 0\.7 s apart at 127\.0\.0\.1| at this pace), and more as links are found"
    assert re.search(rf"done in about \d+ s{how}", line)
    assert re.search(r"waiting\s+0\.\d s for 127\.0\.0\.1's turn", live)
    assert re.search(r"fetched\s+http://127\.0\.0\.1", live) and re.search(r"done in\s+about \d", live)
    assert "1 not for us" in live and all(len(line) <= 80 for line in live.splitlines() if "│" in line)


def test_progress_says_why_a_host_is_left_alone(tmp_path: Path) -> None:
    busy: dict[str, Route] = {"/robots.txt": (503, {"retry-after": "7"}, b"later"), "/": page()}
    with site_running(busy) as site:
        words = ["crawl", site.url(), "--dir", tmp_path / "crawl", "--delay", "1", "--max-time", "6", *PRIVATE]
        plain = run_gossamer(*words).stderr
    assert re.search(r"waiting \d+\.\d s for 127\.0\.0\.1: robots\.txt unreachable: status 503", plain)


# --- explain ---------------------------------------------------------------------------------------------------------------


def explained(directory: Path, url: str, *words: str) -> list[str]:
    result = run_gossamer("explain", directory, url, *words)
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


def helped(told: list[str]) -> list[str]:
    """Return the words of the command that is suggested."""
    (command,) = [line for line in told if " gossamer " in line]
    return shlex.split(command[command.index("gossamer ") :])[1:]


def outcome(directory: Path, url: str) -> str | None:
    facts = json.loads(run_gossamer("explain", directory, url, "--json").stdout)
    return str(facts["outcome"])


ROBOTS: Route = 200, {"content-type": "text/plain"}, b"User-agent: *\nDisallow: /private\n"


def site_of_everything() -> dict[str, Route]:
    """Return a site with a URL for each rule that people meet."""
    deep = {f"/deep/{number}": page(f"/deep/{number + 1}", title=f"deep {number}") for number in range(4)}
    hidden = (
        200,
        {"content-type": "text/html"},
        b'<title>n</title><a rel="nofollow" href="/hidden">h</a><img src="/image.html">',
    )
    front = page("/deep/0", "/private", "/gone", "/nofollow", "/" + "a/" * 6, title="front")
    others = {f"/{name}": page(title=name) for name in ("private", "hidden", "image.html", "a/" * 6)}
    return {"/robots.txt": ROBOTS, "/": front, "/nofollow": hidden, **deep, **others}


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("/deep/3", "scope.max_depth"),
        ("/hidden", "robots.meta"),
        ("/image.html", "documents.follow"),
        ("/private", "robots.txt"),
        ("/" + "a/" * 6, "traps.max_repeats"),
    ],
)
def test_explain_names_the_rule_where_the_url_was_found_and_a_command_that_brings_it(
    tmp_path: Path, path: str, rule: str
) -> None:
    crawl = tmp_path / "a crawl"
    with site_running(site_of_everything()) as site:
        run_gossamer("crawl", site.url(), "--dir", crawl, "--max-depth", 3, *QUICK)
        told = explained(crawl, site.url(path))
        assert told[0] == site.url(path) and len(told) <= 6
        assert told[1].split()[:3] == ["not", "for", "us"] and rule in told[1]
        assert told[2].split()[0] == "found" and f"on {site.url()}" in told[2]
        words = helped(told)
        again = run_gossamer(*words, "--delay", "0")
        target = Path(words[words.index("--dir") + 1]) if "--dir" in words else crawl
        assert outcome(target, site.url(path)) == "ok", (words, again.stderr)


def test_explain_knows_how_to_widen_the_scope(tmp_path: Path) -> None:
    crawl = tmp_path / "crawl"
    with site_running({"/x": page(title="elsewhere"), "/y": page(title="nearby")}) as site:
        targets = {"any": site.url("/x", "b.test"), "domain": site.url("/y", "www.a.test")}
        site.routes["/"] = page(*targets.values(), title="front")
        run_gossamer("crawl", site.url("/", "a.test"), "--dir", crawl, "--resolve", "*.test:127.0.0.1", *QUICK)
        for scope, target in targets.items():
            told = explained(crawl, target)
            assert "scope.within" in told[1]
            words = helped(told)
            assert words[words.index("--scope") + 1] == scope
            words[words.index("--dir") + 1] = str(tmp_path / scope)
            run_gossamer(*words)
            assert outcome(tmp_path / scope, target) == "ok"


def test_explain_says_how_to_go_on_with_what_failed_waits_was_kept_or_never_found(tmp_path: Path) -> None:
    crawl = tmp_path / "crawl"
    with site_running({"/": page("/1", "/2", "/gone", title="front"), "/1": page(title="1"), "/2": page(title="2")}) as site:
        run_gossamer("crawl", site.url(), "--dir", crawl, *QUICK)
        gone, kept, unknown = (explained(crawl, site.url(path)) for path in ("/gone", "/1", "/nobody"))
        run_gossamer("crawl", site.url(), "--dir", tmp_path / "short", "--max-pages", "1", *QUICK)
        waiting = explained(tmp_path / "short", site.url("/2"))
        site.routes["/gone"] = page(title="back again")
        assert gone[1].split()[:2] == ["failed", "gone:"] and "--retry-failed" in helped(gone)
        run_gossamer(*helped(gone), "--delay", "0")
        assert outcome(crawl, site.url("/gone")) == "ok"
        assert kept[1].split()[:2] == ["kept", "ok:"] and run_gossamer(*helped(kept)).stdout.endswith("\n\n1\n")
        assert unknown[1].strip().startswith("never found") and helped(unknown)[:2] == ["crawl", site.url("/nobody")]
        assert waiting[1].split()[0] == "waiting" and helped(waiting)[0] == "resume"


def test_explain_tells_every_rule_when_asked_and_json_tells_everything(tmp_path: Path) -> None:
    with site_running({"/": page("/private", title="front"), "/robots.txt": ROBOTS}) as site:
        run_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *QUICK)
        short = explained(tmp_path / "crawl", site.url("/private"))
        everything = explained(tmp_path / "crawl", site.url("/private"), "--all")
        facts = json.loads(run_gossamer("explain", tmp_path / "crawl", site.url("/private"), "--json").stdout)
    assert not any("passed" in line for line in short)
    assert any("passed" in line and "traps.max_length" in line for line in everything)
    assert {"verdicts", "robots", "queue", "host_status", "evidence"} <= facts.keys()
    assert facts["help"][0]["command"].startswith("gossamer resume") and facts["help"][0]["what"]
