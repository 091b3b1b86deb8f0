"""robots.txt of every kind, judged by our own reading and by a parser that knows nothing of it."""

import pytest
from protego import Protego

from gossamer.simweb.robots import READ_LIMIT, TELLING_PATHS, GroupLine, RobotsFile
from gossamer.simweb.sites import SimHost
from gossamer.simweb.web import Web


def host_of(web: Web, role: str) -> SimHost:
    return next(host for host in web.hosts if host.role == role)


def served_rules(web: Web, host: SimHost) -> str:
    """Follow redirects by hand to the text a crawler would read, cut where it stops reading."""
    url = f"{host.origin}/robots.txt"
    for _ in range(5):
        answer = web.answer(url)
        lines = answer.head.decode().split("\r\n")
        location = next((line.removeprefix("Location: ") for line in lines if line.startswith("Location: ")), None)
        if location is None:
            return answer.body[:READ_LIMIT].decode() if answer.status == 200 else ""
        url = location if location.startswith("http") else host.origin + location
    raise AssertionError(f"{url} never ends")


def test_each_path_is_judged_as_a_parser_judges_the_served_text(web: Web) -> None:
    for host in web.hosts:
        if host.role == "unreachable":
            continue
        rules = Protego.parse(served_rules(web, host))
        for path, resource in host.table.items():
            if resource.kind != "robots":
                url = host.origin + path
                assert web.judge(host.name, path).allowed == rules.can_fetch(url, "anybot/1.0"), url


def test_the_rules_tell_their_paths_apart() -> None:
    judged = {path: RobotsFile("rules").judge(path) for path in TELLING_PATHS}
    assert {path for path, judgement in judged.items() if not judgement.allowed} == {
        "/private/ledger.html",
        "/bin/counter.cgi",
        "/search?q=harbour&sort=date",
        "/tmpfile.html",
    }
    assert judged["/private/ledger.html"].reason == "Disallow: /private/"
    assert judged["/private/open/minutes.html"].reason == "Allow: /private/open/"


def test_of_an_oversized_file_only_the_rule_before_the_limit_counts(web: Web) -> None:
    host = host_of(web, "oversized")
    body = web.answer(f"{host.origin}/robots.txt").body
    assert body.index(b"Disallow: /private/") < READ_LIMIT < body.index(b"Disallow: /late/")
    assert not web.judge(host.name, "/private/ledger.html").allowed
    assert web.judge(host.name, "/late/arrival.html").allowed


@pytest.mark.parametrize(("role", "status"), [("missing", 404), ("unreachable", 500), ("moved", 301), ("elsewhere", 302)])
def test_the_status_of_robots_txt_is_that_of_its_kind(web: Web, role: str, status: int) -> None:
    host = host_of(web, role)
    assert web.answer(f"{host.origin}/robots.txt").status == status


def test_an_unreachable_file_denies_everything_and_a_missing_one_nothing(web: Web) -> None:
    assert web.judge(host_of(web, "unreachable").name, "/") == (False, "unreachable")
    assert web.judge(host_of(web, "missing").name, "/private/ledger.html").allowed
    assert web.judge(host_of(web, "deny").name, "/") == (False, "Disallow: /")


def test_a_redirect_to_another_host_brings_its_rules(web: Web) -> None:
    host = host_of(web, "elsewhere")
    location = host.robots.location
    assert location.endswith(".sim:8080/robots.txt") and not location.startswith(host.origin)
    assert not web.judge(host.name, "/tmpfile.html").allowed


def test_a_paced_host_asks_for_a_short_delay(web: Web) -> None:
    for host in web.hosts:
        delay = Protego.parse(served_rules(web, host)).crawl_delay("anybot")
        assert (delay is not None) == (host.role == "pace")
        assert delay is None or (0.1 <= delay <= 0.2 and delay == host.robots.delay)


def test_the_longest_pattern_wins_and_allow_wins_a_tie() -> None:
    assert GroupLine(False, "/a*z$").matches("/abcz") and not GroupLine(False, "/a*z$").matches("/abczy")
    assert GroupLine(True, "/a").matches("/ab") and not GroupLine(True, "/a").matches("/b/a")
    assert RobotsFile("rules").judge("/tie/even.html").allowed
