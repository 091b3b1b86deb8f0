"""Requests as people need them: rules for hosts, and secrets that go to these hosts and stand nowhere else."""

import json
import stat
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from crawling import CLEAN, run_gossamer, start_gossamer
from secrecy import records, shown_secrets
from serving import Answer, Asked, Site, closed_port, page, site_running

PASSWORD = "open-sesame-4711"
BASIC = b64encode(f"ann:{PASSWORD}".encode()).decode()
TOKEN = "tok-3f9a7c55e1"
QUICK = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--set", "robots.wait=0.1"]


def guarded(*links: str) -> Callable[[Asked], Answer]:
    """A page that only those see who log in."""

    def answer(asked: Asked) -> Answer:
        if asked.headers.get("authorization") != f"Basic {BASIC}":
            return 401, {"www-authenticate": "Basic"}, b"who are you?"
        return page(*links, title=f"welcome to {asked.path}")

    return answer


@pytest.fixture
def site() -> Iterator[Site]:
    """A site with a login."""
    with site_running({"/": guarded("/inner"), "/inner": guarded(), "/robots.txt": guarded()}) as running:
        yield running


def outcomes(directory: Path, *urls: str) -> list[str]:
    """Return how URLs ended."""
    answered = run_gossamer("explain", directory, "-", "--json", stdin="".join(f"{url}\n" for url in urls))
    return [json.loads(line)["outcome"] for line in answered.stdout.splitlines()]


def crawl_with(rules: str, tmp_path: Path, *words: object) -> list[str]:
    """Crawl with a configuration; return all that was printed."""
    config = tmp_path / "rules.toml"
    config.write_text(rules)
    result = run_gossamer("crawl", *words, "--dir", tmp_path / "crawl", "--config", config, *QUICK)
    assert result.returncode in (0, 7), result.stderr
    return [result.stdout, result.stderr]


def login_rule(tmp_path: Path, hosts: str) -> str:
    (tmp_path / "password").write_text(f"{PASSWORD}\n")
    return f'[[requests]]\nhosts = "{hosts}"\nuser = "ann"\npassword_file = "password"\n'


# --- logins ----------------------------------------------------------------------------------------------------------


def test_a_site_behind_a_login_is_crawled_and_its_password_stands_nowhere(site: Site, tmp_path: Path) -> None:
    printed = crawl_with(login_rule(tmp_path, site.url("")), tmp_path, site.url())
    assert outcomes(tmp_path / "crawl", site.url(), site.url("/inner")) == ["ok", "ok"]
    assert {one.headers["authorization"] for one in site.asked} == {f"Basic {BASIC}"}  # robots.txt as well
    assert shown_secrets(tmp_path / "crawl", printed, PASSWORD, BASIC, asked=True) == []
    assert all(b"Authorization: [secret]" in record for record in records(tmp_path / "crawl", b"request"))


def test_a_login_in_a_seed_is_kept_for_the_owner_alone_and_goes_on_with_the_crawl(site: Site, tmp_path: Path) -> None:
    seed = site.url().replace("://", f"://ann:{PASSWORD}@")
    first = run_gossamer("crawl", seed, "--dir", tmp_path / "crawl", *QUICK, "--max-pages", 1)
    moved = (tmp_path / "crawl").rename(tmp_path / "moved")
    second = run_gossamer("resume", moved, "--max-pages", 9)
    assert (first.returncode, second.returncode) == (0, 0), second.stderr
    assert outcomes(moved, site.url(), site.url("/inner")) == ["ok", "ok"]
    printed = [first.stdout, first.stderr, second.stdout, second.stderr]
    assert shown_secrets(moved, printed, PASSWORD, BASIC) == [("secrets/1", BASIC)]
    assert stat.S_IMODE((moved / "secrets" / "1").stat().st_mode) == 0o600
    assert stat.S_IMODE((moved / "secrets").stat().st_mode) == 0o700
    copy = tmp_path / "copy"
    assert run_gossamer("checkpoint", moved, copy).returncode == 0
    assert stat.S_IMODE((copy / "secrets" / "1").stat().st_mode) == 0o600


def test_a_seed_that_is_refused_is_told_without_its_password(tmp_path: Path) -> None:
    for seed in (f"http://ann:{PASSWORD}@exa mple/", f"ann:{PASSWORD}@example.org", f"ftp://ann:{PASSWORD}@example.org/"):
        result = run_gossamer("crawl", seed, "--dir", tmp_path / "crawl", *QUICK)
        assert result.returncode == 2
        assert PASSWORD not in result.stdout + result.stderr
        assert "***@" in result.stderr
    assert not (tmp_path / "crawl").exists()


def test_a_login_in_a_link_is_dropped(tmp_path: Path) -> None:
    routes = {"/": lambda asked: page(f"http://ann:{PASSWORD}@127.0.0.1:{asked.headers['host'].partition(':')[2]}/inner")}
    with site_running({**routes, "/inner": page(title="inner")}) as site:
        run_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *QUICK)
    assert "/inner" in site.paths
    assert PASSWORD not in run_gossamer("pages", tmp_path / "crawl", "--json").stdout
    assert not any("authorization" in one.headers for one in site.asked)


def test_a_user_is_typed_with_a_password_or_with_a_file(site: Site, tmp_path: Path) -> None:
    (tmp_path / "password").write_text(PASSWORD)
    for name, words in (("a", [f"ann:{PASSWORD}"]), ("b", ["ann", "--password-file", tmp_path / "password"])):
        result = run_gossamer("crawl", site.url(), "--dir", tmp_path / name, *QUICK, "--user", *words)
        assert outcomes(tmp_path / name, site.url(), site.url("/inner")) == ["ok", "ok"], result.stderr
        places = {place for place, _ in shown_secrets(tmp_path / name, [result.stdout, result.stderr], PASSWORD, BASIC)}
        assert places <= {"secrets/1"}


@pytest.mark.parametrize("given", ["file", "env"])
def test_a_token_comes_from_a_file_or_from_the_environment(given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "token").write_text(f"{TOKEN}\n")
    monkeypatch.setitem(CLEAN, "SITE_TOKEN", TOKEN)
    where = 'token_file = "token"' if given == "file" else 'token_env = "SITE_TOKEN"'
    with site_running({"/": page()}) as site:
        printed = crawl_with(f'[[requests]]\nhosts = "http://127.0.0.1:{site.port}"\n{where}\n', tmp_path, site.url())
    assert {one.headers["authorization"] for one in site.asked} == {f"Bearer {TOKEN}"}
    assert shown_secrets(tmp_path / "crawl", printed, TOKEN) == []


def test_headers_are_sent_and_recorded_and_those_of_a_file_are_marked(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(f"X-Api-Key: {TOKEN}\n")
    with site_running({"/": page()}) as site:
        words = ["--header", "Accept-Language: de, en;q=0.5", "--header", f"@{tmp_path / 'secret'}"]
        result = run_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *QUICK, *words)
    assert [one.headers["x-api-key"] for one in site.asked] == [TOKEN, TOKEN]
    assert [one.headers["accept-language"] for one in site.asked] == ["de, en;q=0.5"] * 2
    assert shown_secrets(tmp_path / "crawl", [result.stdout, result.stderr], TOKEN) == []
    for record in records(tmp_path / "crawl", b"request"):
        assert b"Accept-Language: de, en;q=0.5\r\n" in record
        assert b"X-Api-Key: [secret]\r\n" in record


def test_one_request_is_sent_by_the_same_rules(site: Site) -> None:
    for words in ([site.url().replace("://", f"://ann:{PASSWORD}@")], [site.url(), "--user", f"ann:{PASSWORD}"]):
        result = run_gossamer("fetch", *words, "--allow-private", "127.0.0.0/8", "--set", "politeness.delay=0")
        assert result.returncode == 0, result.stderr
        assert "HTTP/1.1 200 OK" in result.stdout and "Authorization: [secret]" in result.stdout
        assert PASSWORD not in result.stdout and BASIC not in result.stdout


@pytest.mark.parametrize("words", [["show"], ["remove"], ["explain"], ["pages", "--inlinks"]])
def test_a_password_that_somebody_pastes_is_not_repeated(words: list[str], site: Site, tmp_path: Path) -> None:
    run_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *QUICK)
    url = site.url("/nowhere").replace("://", f"://ann:{PASSWORD}@")
    result = run_gossamer(words[0], tmp_path / "crawl", *words[1:], url)
    assert PASSWORD not in result.stdout + result.stderr


def test_a_proxy_that_finds_addresses_itself_is_told_and_written_down(tmp_path: Path) -> None:
    with closed_port() as port:
        proxy = f"socks5h://127.0.0.1:{port}"
        words = ["--proxy", proxy, "--set", "robots.times=1"]
        result = run_gossamer("crawl", "http://site.test/", "--dir", tmp_path / "crawl", *QUICK, *words)
    assert result.returncode == 7
    assert f"{proxy} FINDS ADDRESSES ITSELF" in result.stderr
    noted = [json.loads(line) for line in (tmp_path / "crawl" / "crawl.log").read_text().splitlines()]
    assert [line["proxy"] for line in noted if line["event"] == "proxy resolves names"] == [proxy]


# --- to whom they go -------------------------------------------------------------------------------------------------


def test_a_login_goes_to_no_other_host_port_or_scheme(tmp_path: Path) -> None:
    with site_running({"/": page(), "/robots.txt": (404, {}, b"")}) as other:
        away = (302, {"location": other.url(host="www.other.test")}, b"")
        with site_running({"/": page("/away"), "/away": away, "/robots.txt": (404, {}, b"")}) as site:
            seeds = [site.url(host="a.shop.test"), other.url(host="a.shop.test"), site.url(host="other.test")]
            rules = login_rule(tmp_path, f"http://*.shop.test:{site.port}") + login_rule(
                tmp_path, "*.shop.test, www.other.test"
            )
            scope = ["--scope", "any", "--resolve", "*.test:127.0.0.1"]
            crawl_with(rules, tmp_path, *seeds, *scope)
    told = {one.headers["host"] for one in site.asked if "authorization" in one.headers}
    assert told == {f"a.shop.test:{site.port}"}
    assert {one.headers["host"].partition(":")[0] for one in other.asked} == {"a.shop.test", "www.other.test"}
    assert not any("authorization" in one.headers for one in other.asked)  # another port, another host, and not https


# --- cookies ---------------------------------------------------------------------------------------------------------

COOKIE = "session-9d2e41"


def members(*links: str) -> Callable[[Asked], Answer]:
    """A page for those who bring the cookie."""

    def answer(asked: Asked) -> Answer:
        if f"login={COOKIE}" not in asked.headers.get("cookie", ""):
            return 403, {}, b"log in first"
        return page(*links, title=f"welcome to {asked.path}")

    return answer


def club(count: int = 6) -> dict[str, Answer | Callable[[Asked], Answer]]:
    """A site whose first page gives a cookie without which there is no other."""
    names = [f"/{number}" for number in range(count)]
    status, headers, body = page(*names)
    welcome = (status, {**headers, "set-cookie": f"login={COOKIE}; Path=/; HttpOnly"}, body)
    return {"/": welcome, "/robots.txt": (404, {}, b""), **{name: members() for name in names}}


def test_cookies_are_not_kept_unless_somebody_asks_for_it(tmp_path: Path) -> None:
    with site_running(club()) as site:
        run_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *QUICK)
    assert not any("cookie" in one.headers for one in site.asked)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_jar_brings_cookies_back_from_all_workers(tmp_path: Path, workers: int) -> None:
    with site_running(club()) as site:
        words = ["--cookie-jar", "--workers", workers, "--connections", 4]
        run_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *QUICK, *words)
    assert outcomes(tmp_path / "crawl", *(site.url(f"/{number}") for number in range(6))) == ["ok"] * 6
    assert all(COOKIE.encode() not in record for record in records(tmp_path / "crawl", b"request"))


def test_a_jar_is_for_the_hosts_of_its_rule_and_nobody_else(tmp_path: Path) -> None:
    def setting(asked: Asked) -> Answer:
        name = asked.headers["host"].partition(".")[0]
        status, headers, body = page("/next", title=f"{name}{asked.path}")
        return status, {**headers, "set-cookie": f"{name}=1; Domain=shop.test; Path=/"}, body

    with site_running({"/": setting, "/next": setting}) as site:
        rules = '[[requests]]\nhosts = "a.shop.test"\ncookies = true\n[[requests]]\nhosts = "*"\nheaders = ["X-A: b"]\n'
        seeds = [site.url(host=f"{name}.shop.test") for name in "abc"]
        crawl_with(rules, tmp_path, *seeds, "--resolve", "*.test:127.0.0.1")
    sent = {(one.headers["host"][0], one.path): one.headers.get("cookie", "") for one in site.asked}
    assert sent["a", "/next"] == "a=1"
    assert {cookie for (name, _), cookie in sent.items() if name != "a"} == {""}


def test_a_jar_goes_with_robots_txt_too(tmp_path: Path) -> None:
    with site_running({"/": members()}) as inner:
        status, headers, body = page(inner.url())
        welcome = (status, {**headers, "set-cookie": f"login={COOKIE}; Path=/"}, body)
        with site_running({"/": welcome}) as site:  # a cookie is its host's, whatever the port
            words = ["--cookie-jar", "--scope", "any"]
            run_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *QUICK, *words)
    assert [(one.path, one.headers.get("cookie")) for one in inner.asked] == [
        ("/robots.txt", f"login={COOKIE}"),
        ("/", f"login={COOKIE}"),
    ]


def test_a_jar_outlives_a_killed_crawl(tmp_path: Path) -> None:
    with site_running(club(20)) as site:
        words = ["crawl", site.url(), "--dir", tmp_path / "crawl", "--cookie-jar", *QUICK, "--delay", "0.1"]
        crawl = start_gossamer(*words)
        site.wait_for("/3")
        crawl.kill()
        crawl.communicate()
        before = len(site.asked)
        resumed = run_gossamer("resume", tmp_path / "crawl", "--delay", "0.01")
        assert resumed.returncode == 0, resumed.stderr
    assert "/" not in [one.path for one in site.asked[before:]]
    assert outcomes(tmp_path / "crawl", *(site.url(f"/{number}") for number in range(20))) == ["ok"] * 20


def test_cookies_of_a_browser_are_brought_along_and_stand_nowhere(tmp_path: Path) -> None:
    exported = f"# Netscape HTTP Cookie File\n#HttpOnly_127.0.0.1\tFALSE\t/\tFALSE\t0\tlogin\t{COOKIE}\n"
    (tmp_path / "cookies.txt").write_text(exported)
    with site_running({"/": members("/1"), "/1": members(), "/robots.txt": (404, {}, b"")}) as site:
        words = ["crawl", site.url(), "--dir", tmp_path / "crawl", *QUICK, "--cookies", tmp_path / "cookies.txt"]
        result = run_gossamer(*words)
    assert outcomes(tmp_path / "crawl", site.url(), site.url("/1")) == ["ok", "ok"]
    assert shown_secrets(tmp_path / "crawl", [result.stdout, result.stderr], COOKIE) == []


def test_a_cookie_bomb_costs_its_host_nothing(tmp_path: Path) -> None:
    longest: list[int] = []

    def bomb(asked: Asked) -> Answer:
        longest.append(len(asked.headers.get("cookie", "")))
        status, headers, body = page("/a", "/b", "/c")
        return status, {**headers, "set-cookie": f"c{len(longest)}={'x' * 4000}; Path=/"}, body + asked.path.encode()

    with site_running(dict.fromkeys(("/", "/a", "/b", "/c"), bomb)) as site:
        run_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *QUICK, "--cookie-jar")
    assert outcomes(tmp_path / "crawl", *(site.url(path) for path in ("/", "/a", "/b", "/c"))) == ["ok"] * 4
    assert 0 < max(longest) <= 8000


# --- bad input -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ('user = "ann"\npassword_file = "p"', "names no hosts"),
        ('hosts = "a.test"\npasword_file = "p"', "did you mean password_file?"),
        ('hosts = "a.test"\nuser = "ann"', "has no password"),
        ('hosts = "a.test"\nuser = "ann"\npassword_file = "gone"', "gone cannot be read: no such file"),
        ('hosts = "a.test"\nuser = "ann"\npassword_env = "NOT_SET_ANYWHERE"', "NOT_SET_ANYWHERE (password_env) is not set"),
        ('hosts = "a.test"\nuser = "ann"\npassword_file = "empty"', "empty is empty"),
        ('hosts = "a.test"\nuser = "a:b"\npassword_file = "p"', "no user name may have"),
        ('hosts = "a.test"\ntoken_file = "p"\nuser = "ann"\npassword_file = "p"', "do not go together"),
        ('hosts = "*"\nuser = "ann"\npassword_file = "p"', "to every host there is"),
        ('hosts = "a.*.test"', "is no host"),
        ('hosts = "ftp://a.test"', "a scheme other than http and https"),
        ('hosts = "a.test"\nheaders = "Host: b.test"', "the header Host cannot be set"),
        ('hosts = "a.test"\nheaders = ["Content-Length: 3"]', "the header Content-Length cannot be set"),
        ('hosts = "a.test"\nheaders = ["X-A: b\\r\\nX-Forged: c"]', "a line end or another character"),
        ('hosts = "a.test"\nheaders = ["no header"]', "is no header field"),
        ('hosts = "a.test"\nheaders = ["Authorization: Bearer x"]', "Authorization is a secret"),
        ('hosts = "a.test"\nheaders_file = "p"', "a line of it is no header field"),
        ('hosts = "a.test"\ncookies_file = "p"', "line 1 is no cookie"),
        ('hosts = "a.test"\ncookies = "yes"', "cookies must be true or false"),
        ('hosts = "a.test"\ncertificate = "p"', "are no certificate and its key"),
        ('hosts = "a.test"\nkey = "p"', "a key and no certificate"),
        ('hosts = "a.test"\nproxy = "ftp://b.test:1"', "is no proxy"),
        ('hosts = "a.test"\nproxy = "http://b.test"', "is no proxy"),
        ('hosts = "a.test"\nproxy = "https://b.test:1"', "not spoken to over TLS"),
        ('hosts = "a.test"\nproxy = "http://ann:open-sesame-4711@b.test:1"', "has a password in it"),
        ('hosts = "a.test"\nproxy = "http://ann@b.test:1"', "or neither"),
    ],
)
def test_a_rule_that_cannot_hold_is_refused_before_the_crawl_begins(rule: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "p").write_text(PASSWORD)
    (tmp_path / "empty").write_text("\n")
    (tmp_path / "rules.toml").write_text(f"[[requests]]\n{rule}\n")
    words = ["crawl", "http://127.0.0.1:9/", "--dir", tmp_path / "crawl", "--config", tmp_path / "rules.toml", *QUICK]
    result = run_gossamer(*words)
    assert (result.returncode, result.stdout) == (2, "")
    assert told in result.stderr
    assert result.stderr.count("\n") == 1
    assert PASSWORD not in result.stderr
    assert not (tmp_path / "crawl").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--user", "ann"], "--user is NAME:PASSWORD, or NAME with --password-file"),
        (["--user", f"ann:{PASSWORD}", "--password-file", "p"], "--user is NAME:PASSWORD, or NAME with --password-file"),
        (["--header", "Host: a"], "the header Host cannot be set"),
        (["--header", f"Authorization: Basic {PASSWORD}"], "give that as --header @FILE"),
        (["--header", f"X: {PASSWORD}\r\nY: z"], "a line end"),
        (["--proxy", f"http://ann:{PASSWORD}@b.test:1"], "has a password in it"),
        (["--set", "requests.user=ann"], "below a line [[requests]]"),
    ],
)
def test_an_option_that_makes_no_sense_is_refused(words: list[str], told: str, tmp_path: Path) -> None:
    result = run_gossamer("crawl", "http://127.0.0.1:9/", "--dir", tmp_path / "crawl", *QUICK, *words)
    assert result.returncode == 2
    assert told in result.stderr
    assert PASSWORD not in result.stderr
    assert not (tmp_path / "crawl").exists()


def test_a_secret_that_is_gone_is_told_when_a_crawl_goes_on(site: Site, tmp_path: Path) -> None:
    crawl_with(login_rule(tmp_path, site.url("")), tmp_path, site.url())
    (tmp_path / "password").unlink()
    for workers in (1, 2):
        resumed = run_gossamer("resume", tmp_path / "crawl", "--workers", workers)
        assert resumed.returncode == 2
        assert "password cannot be read" in resumed.stderr
