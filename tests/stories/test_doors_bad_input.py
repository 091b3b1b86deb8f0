"""What bad input gets at the server's door, each row by its name; nothing between the socket and the crawl is replaced."""

import json
import os
import re
import shutil
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import readonly
from crawling import run_gossamer, simweb_running, start_gossamer
from doors import Door, serving
from hiding import run_without
from smalldisk import small_disk

JSON = {"Content-Type": "application/json"}
HEADERS = ("content-security-policy", "x-content-type-options", "referrer-policy", "cross-origin-opener-policy")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with two crawls that have ended."""
    place = tmp_path_factory.mktemp("attacked")
    with simweb_running(place, hosts=1, pages=3) as web:
        for name in ("small", "other"):
            run = run_gossamer("crawl", "--dir", place / "home" / name, *web.crawl_options, "--delay", "0", "--quiet")
            assert run.returncode == 0, run.stderr
    return place / "home"


@pytest.fixture(scope="module")
def door(home: Path) -> Iterator[Door]:
    """A server of that home that has little patience."""
    with serving(home, "--set", "serve.head_timeout=0.6", "--set", "serve.body_timeout=0.6", *UNHURRIED) as door:
        yield door


UNHURRIED = ("--set", "serve.rate=1000", "--set", "serve.burst=1000", "--set", "serve.stranger_rate=1000")


def token_of(home: Path, *options: object) -> str:
    """Make a lasting token."""
    made = run_gossamer("token", "new", home, *options, "--json")
    assert made.returncode == 0, made.stderr
    return str(json.loads(made.stdout)["token"])


def kind_of(problem: dict[str, str]) -> str:
    """Return the last part of a problem's type."""
    return problem["type"].rpartition(":")[2]


# --- no token, wrong, expired, too weak ------------------------------------------------------------------------------


def test_no_token(door: Door) -> None:
    answer = door.ask("GET", "api/v1/whoami", token="")
    assert answer.status == 401 and answer.headers["www-authenticate"] == "Bearer"
    assert answer.headers["content-type"] == "application/problem+json" and kind_of(answer.body) == "token"


def test_wrong_token_and_the_sixth_wrong_one_in_a_minute(home: Path) -> None:
    with serving(home) as door:
        for _ in range(5):
            answer = door.ask("GET", "api/v1/whoami", token="guessed")
            assert answer.status == 401 and "invalid_token" in answer.headers["www-authenticate"]
        sixth = door.ask("GET", "api/v1/whoami", token="guessed")
        assert sixth.status == 429 and 0 < int(sixth.headers["retry-after"]) <= 60
        assert door.ask("POST", "api/v1/session", {"token": "guessed"}, token="").status == 429
        assert door.get("api/v1/whoami")[0] == 200, "whoever shares the address and has a token is not locked out"


def test_expired_token(home: Path, door: Door) -> None:
    token = token_of(home, "--name", "brief", "--expires", "1500ms")
    assert door.get("api/v1/whoami", token=token)[0] == 200
    deadline = time.monotonic() + 10
    while (answer := door.ask("GET", "api/v1/whoami", token=token)).status == 200:
        assert time.monotonic() < deadline
    assert answer.status == 401


def test_too_weak_a_token_is_told_the_scope_it_needs(home: Path, door: Door) -> None:
    token = token_of(home, "--name", "reader", "--scope", "read")
    status, problem = door.get("api/v1/tokens", token=token)
    assert status == 403 and "scope admin" in problem["detail"] and kind_of(problem) == "scope"
    revoked = run_gossamer("token", "revoke", home, "--name", "reader")
    assert revoked.returncode == 0
    assert door.get("api/v1/whoami", token=token)[0] == 401, "a token that was revoked is refused by the next request"


def test_a_token_to_read_changes_nothing_whatever_the_route(home: Path, door: Door) -> None:
    token = token_of(home, "--name", "onlooker", "--scope", "read")
    asked = 0
    for path, methods in door.get("api/v1/openapi.json")[1]["paths"].items():
        for method in {name.upper() for name in methods} - {"GET", "HEAD"} - {"PARAMETERS"}:
            if (method, path.rpartition("/v1/")[2]) in LET_BE:
                continue
            answer = door.ask(method, re.sub(r"{[^}]*}", "small", path), {}, token=token)
            assert answer.status == 403 and kind_of(answer.body) == "scope", (method, path, answer.status)
            assert door.ask(method, re.sub(r"{[^}]*}", "small", path), {}, token="").status == 401, (method, path)
            asked += 1
    assert asked >= 20
    assert run_gossamer("token", "revoke", home, "--name", "onlooker").returncode == 0


LET_BE = (("POST", "session"), ("DELETE", "session"), ("POST", "urls/explain"))  # that change nothing of anybody's


def test_the_token_of_a_start_ends_with_the_server_and_lasting_ones_are_kept_as_digests(home: Path) -> None:
    with serving(home) as first:
        lasting = first.post("api/v1/tokens", {"name": "lasting", "scope": "operate"})[1]["token"]
    file = home / "tokens.json"
    assert file.stat().st_mode & 0o777 == 0o600 and lasting not in file.read_text()
    with serving(home) as second:
        assert second.get("api/v1/whoami", token=first.token)[0] == 401
        assert second.get("api/v1/whoami", token=lasting)[1]["scope"] == "operate"
        assert second.delete("api/v1/tokens?name=lasting")[0] == 204
        assert second.get("api/v1/whoami", token=lasting)[0] == 401
    texts = [path.read_bytes() for path in home.iterdir() if path.is_file()]
    assert not any(token.encode() in text for text in texts for token in (first.token, second.token, lasting))


# --- foreign Host; cookie without same-origin headers; preflight of a stranger ---------------------------------------


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8420", "127.0.0.1.evil.example", "", "localhost.evil.example"])
def test_foreign_host(door: Door, host: str) -> None:
    answer = door.ask("GET", "api/v1/whoami", headers={"Host": host})
    assert answer.status == 421 and kind_of(answer.body) == "foreign-host"


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1", "[::1]:80"])
def test_a_host_of_loopback(door: Door, host: str) -> None:
    assert door.ask("GET", "healthz", headers={"Host": host}).status == 200


def test_a_host_that_was_named(home: Path) -> None:
    with serving(home, "--set", "serve.hosts=crawl.example.org") as door:
        assert door.ask("GET", "healthz", headers={"Host": "crawl.example.org"}).status == 200


def logged_in(door: Door) -> dict[str, str]:
    """Trade the token for a session; return the header that a browser would send."""
    answer = door.ask("POST", "api/v1/session", {"token": door.token}, token="", headers={"Sec-Fetch-Site": "same-origin"})
    assert answer.status == 200
    cookie = answer.headers["set-cookie"]
    assert all(part in cookie for part in ("HttpOnly", "SameSite=strict", "Path=/", "Max-Age=43"))
    return {"Cookie": cookie.partition(";")[0]}


def test_cookie_without_same_origin_headers(door: Door) -> None:
    cookie = logged_in(door)
    ours = {"Sec-Fetch-Site": "same-origin", "X-Gossamer": "1"}
    for headers in (
        {},
        {"X-Gossamer": "1"},
        {"Sec-Fetch-Site": "same-origin"},
        {"Sec-Fetch-Site": "cross-site", "X-Gossamer": "1"},
        {"Sec-Fetch-Site": "same-site", "X-Gossamer": "1"},
        {"Origin": "http://evil.example", "X-Gossamer": "1"},
        {"Sec-Fetch-Site": "cross-site", "Origin": door.url.rstrip("/"), "X-Gossamer": "1"},
    ):
        answer = door.ask("POST", "api/v1/tokens", {"name": "stolen"}, token="", headers=cookie | headers)
        assert answer.status == 403 and kind_of(answer.body) == "cross-site", headers
    known = door.ask("GET", "api/v1/tokens", token="", headers=cookie).body["items"]
    assert "stolen" not in [one["name"] for one in known]
    made = door.ask("POST", "api/v1/tokens", {"name": "wanted"}, token="", headers=cookie | ours)
    assert made.status == 201
    by_origin = {"Origin": door.url.rstrip("/"), "X-Gossamer": "1"}
    assert door.ask("DELETE", "api/v1/tokens?name=wanted", token="", headers=cookie | by_origin).status == 204
    assert door.ask("DELETE", "api/v1/session", token="", headers=cookie | ours).status == 204
    assert door.ask("GET", "api/v1/whoami", token="", headers=cookie).status == 401


def test_a_session_does_not_begin_on_another_site(door: Door) -> None:
    answer = door.ask("POST", "api/v1/session", {"token": door.token}, token="", headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status == 403 and "set-cookie" not in answer.headers


def test_preflight_of_a_stranger(home: Path) -> None:
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    with serving(home, "--set", "serve.origins=https://tools.example.org") as door:
        for origin in ("https://evil.example", "https://tools.example.org.evil.example", "null"):
            answer = door.ask("OPTIONS", "api/v1/tokens", token="", headers=asked | {"Origin": origin})
            assert not [name for name in answer.headers if name.startswith("access-control")]
            answer = door.ask("GET", "api/v1/whoami", headers={"Origin": origin})
            assert answer.status == 200 and not [name for name in answer.headers if name.startswith("access-control")]
        known = door.ask("OPTIONS", "api/v1/tokens", token="", headers=asked | {"Origin": "https://tools.example.org"})
        assert known.status == 204 and known.headers["access-control-allow-origin"] == "https://tools.example.org"
        assert "access-control-allow-credentials" not in known.headers, "cookies stay where they are"


# --- broken JSON, wrong type, unknown field; other types of bodies ---------------------------------------------------


@pytest.mark.parametrize("body", [b"{", b'{"name": "a"} x', b"\xff", b'{"name": "\xff"}', b"[" * 100_000, b"{'a': 1}"])
def test_broken_json(door: Door, body: bytes) -> None:
    answer = door.ask("POST", "api/v1/tokens", body, headers=JSON)
    assert answer.status == 400 and kind_of(answer.body) == "not-json"


@pytest.mark.parametrize(
    ("body", "where"),
    [({"name": 5}, "body.name"), ({"name": "a", "scope": "all"}, "body.scope"), ({"name": "a", "scpoe": "read"}, "body")],
)
def test_wrong_type_and_unknown_field(door: Door, body: dict[str, object], where: str) -> None:
    status, problem = door.post("api/v1/tokens", body)
    assert status == 422 and [one["where"] for one in problem["errors"]] == [where]


def test_a_body_of_another_type(door: Door) -> None:
    for headers in ({"Content-Type": "application/xml"}, {"Content-Type": "application/x-www-form-urlencoded"}, {}):
        assert door.ask("POST", "api/v1/tokens", b'{"name": "a"}', headers=headers).status == 415


def test_paths_and_methods_that_there_are_not_are_problems_too(door: Door) -> None:
    status, problem = door.get("api/v1/nothing")
    assert status == 404 and kind_of(problem) == "not-found"
    answer = door.ask("DELETE", "api/v1/whoami")
    assert answer.status == 405 and "GET" in answer.headers["allow"] and kind_of(answer.body) == "method-not-allowed"


def test_every_answer_has_the_headers_that_keep_a_browser_safe(door: Door) -> None:
    for path, token in (("", ""), ("api/v1/whoami", None), ("api/v1/whoami", ""), ("healthz", ""), ("nothing.js", "")):
        answer = door.ask("GET", path, token=token)
        assert all(name in answer.headers for name in HEADERS), path
        policy = answer.headers["content-security-policy"]
        assert "script-src 'self'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
        assert "require-trusted-types-for 'script'" in policy
    assert door.ask("GET", "api/v1/whoami").headers["cache-control"] == "no-store"


# --- a body of 17 MB; one that never ends; a head in drops -----------------------------------------------------------


def head(door: Door, *fields: str, method: str = "POST", path: str = "/api/v1/tokens") -> bytes:
    """Return a head as it is sent."""
    told = (f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{door.port}", f"Authorization: Bearer {door.token}", *fields)
    return "\r\n".join((*told, "", "")).encode()


def received(connection: socket.socket) -> bytes:
    """Read until the other end closes."""
    parts = []
    while part := connection.recv(65_536):
        parts.append(part)
    return b"".join(parts)


def test_a_body_of_17_mb_is_refused_before_it_is_read(door: Door) -> None:
    with door.raw() as connection:
        connection.sendall(head(door, "Content-Type: application/json", "Content-Length: 17000000"))
        assert b" 413 " in connection.recv(65_536).partition(b"\r\n")[0], "not a byte of it was sent"
    answer = door.ask("POST", "api/v1/tokens", b"x" * 17_000_000, headers=JSON)
    assert answer.status == 413 and kind_of(answer.body) == "too-long"


def test_a_list_of_urls_may_be_longer_and_not_longer_than_16_mib(door: Door) -> None:
    plain = {"Content-Type": "text/plain"}
    for path in ("api/v1/urls/seed?job=small", "crawler/seeds?job=small"):
        with door.raw() as connection:
            connection.sendall(head(door, "Content-Type: text/plain", f"Content-Length: {2**24 + 1}", path=f"/{path}"))
            assert b" 413 " in connection.recv(65_536).partition(b"\r\n")[0], path
    long = b"# nothing\n" * (2**24 // 10)
    assert door.ask("POST", "api/v1/urls/seed?job=small", long, headers=plain).status == 422, "it is read, and empty"


def test_a_body_in_chunks_is_refused_when_it_gets_too_long(door: Door) -> None:
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    with door.raw() as connection:
        connection.sendall(head(door, "Content-Type: application/json", "Transfer-Encoding: chunked"))
        connection.sendall(chunk * 20)
        assert b" 413 " in connection.recv(65_536).partition(b"\r\n")[0]


def test_a_body_that_never_ends(door: Door) -> None:
    with door.raw() as connection:
        connection.sendall(head(door, "Content-Type: application/json", "Content-Length: 100") + b"{")
        answer = received(connection)
        assert b" 408 " in answer.partition(b"\r\n")[0] and b"problem+json" in answer


def test_a_head_in_drops(door: Door) -> None:
    began = time.monotonic()
    with door.raw() as connection:
        connection.settimeout(0.05)
        answer = b""
        for drop in head(door, "X: " + "y" * 1000, method="GET", path="/healthz"):
            connection.send(bytes([drop]))
            try:
                answer = connection.recv(65_536)
                break
            except TimeoutError:
                assert time.monotonic() - began < 10
    assert b" 408 " in answer.partition(b"\r\n")[0]


def test_a_connection_that_says_nothing_is_closed(door: Door) -> None:
    with door.raw() as connection:
        assert received(connection) == b""


def test_a_head_that_is_too_long_and_what_is_no_http_at_all(door: Door) -> None:
    for sent, status in (
        (head(door, "Connection: close", "X: " + "y" * 70_000), b"431"),
        (b"\x16\x03\x01 hello\r\n\r\n", b"400"),
    ):
        with door.raw() as connection:
            connection.sendall(sent)
            answer = received(connection)
            assert status in answer.partition(b"\r\n")[0] and b"application/problem+json" in answer


def test_one_connection_too_many(home: Path) -> None:
    with serving(home, "--set", "serve.connections=2") as door, door.raw(), door.raw(), door.raw() as third:
        assert b" 503 " in received(third).partition(b"\r\n")[0]


def test_too_many_requests(home: Path) -> None:
    with serving(home, "--set", "serve.rate=0.5", "--set", "serve.burst=3", "--set", "serve.stranger_rate=0.5") as door:
        assert [door.get("api/v1/whoami")[0] for _ in range(3)] == [200] * 3
        answer = door.ask("GET", "api/v1/whoami")
        assert answer.status == 429 and int(answer.headers["retry-after"]) in (1, 2)
        assert [door.ask("GET", "healthz", token="").status for _ in range(2)] == [200, 429], "of others without a token"
        assert all(door.ask("GET", "", token="").status == 200 for _ in range(10)), "a page is made of many files"


# --- job names -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["../../etc", "..%2f..%2fetc", "a%2fb", "%2fetc", "", "a" * 300, "linked", "disguised", "%00", "."]
)
def test_a_job_that_leads_out_of_the_home(home: Path, door: Door, name: str, tmp_path: Path) -> None:
    if name in ("linked", "disguised"):
        outside = tmp_path / "outside"
        outside.mkdir()
        for file in ("crawl.json", "gossamer.toml", "seeds.txt", "crawl.seal"):
            (outside / file).write_bytes((home / "small" / file).read_bytes())
        if name == "linked":
            (home / name).symlink_to(outside)
        else:
            (home / name).mkdir()
            (home / name / "crawl.json").symlink_to(outside / "crawl.json")
    try:
        for path in (f"api/v1/stats?job={name}", f"api/v1/events?job={name}"):
            assert door.get(path)[0] in (404, 422), path
        if name == "linked":
            assert sorted(path.name for path in outside.iterdir()) == ["crawl.json", "crawl.seal", "gossamer.toml", "seeds.txt"]
    finally:
        if name == "linked":
            (home / name).unlink()
        if name == "disguised":
            shutil.rmtree(home / name)


# --- same Idempotency-Key --------------------------------------------------------------------------------------------


def test_same_key_and_body_gets_the_first_answer_even_of_a_server_that_was_killed(home: Path) -> None:
    key = {"Idempotency-Key": "once"}
    with serving(home) as first:
        made = first.ask("POST", "api/v1/tokens", {"name": "keyed"}, headers=key)
        assert made.status == 201 and "idempotency-replayed" not in made.headers
        first.process.kill()
        first.process.wait(10)
    with serving(home) as second:
        again = second.ask("POST", "api/v1/tokens", {"name": "keyed"}, headers=key)
        assert again.headers["idempotency-replayed"] == "true"
        assert again.status == 409 and kind_of(again.body) == "told-once", "what is secret is kept by nobody"
        other = second.ask("POST", "api/v1/tokens", {"name": "another"}, headers=key)
        assert other.status == 422 and kind_of(other.body) == "idempotency-key"
        assert [one["name"] for one in second.get("api/v1/tokens")[1]["items"]].count("keyed") == 1
        assert second.ask("POST", "api/v1/tokens", {"name": "x"}, headers={"Idempotency-Key": "k" * 201}).status == 422
        assert second.delete("api/v1/tokens?name=keyed")[0] == 204


# --- a crawl that hangs ----------------------------------------------------------------------------------------------


def test_a_crawl_that_hangs(home: Path, tmp_path: Path) -> None:
    with simweb_running(tmp_path, hosts=1, pages=500) as web:
        crawl = start_gossamer("crawl", "--dir", home / "hangs", *web.crawl_options, "--delay", "0.2", "--quiet")
        try:
            with serving(home) as door:
                _until(lambda: door.get("api/v1/stats?job=hangs")[0] == 200)
                assert door.get("readyz")[0] == 200
                os.kill(crawl.pid, signal.SIGSTOP)
                began = time.monotonic()
                answer = door.ask("GET", "api/v1/stats?job=hangs")
                assert answer.status == 503 and answer.headers["retry-after"] and time.monotonic() - began < 5
                assert door.get("api/v1/stats?job=other")[0] == 200
                status, told = door.get("readyz")
                assert status == 503 and list(told["troubles"]) == ["hangs"]
                stranger = door.ask("GET", "readyz", token="")
                assert stranger.status == 503 and b"hangs" not in stranger.content
                os.kill(crawl.pid, signal.SIGCONT)
                _until(lambda: door.get("readyz")[0] == 200)
        finally:
            os.kill(crawl.pid, signal.SIGCONT)
            crawl.terminate()
            crawl.communicate(timeout=30)


def _until(holds: object) -> None:
    deadline = time.monotonic() + 20
    while not holds():  # type: ignore[operator]
        assert time.monotonic() < deadline
        time.sleep(0.05)


# --- home not writable, port taken; the end --------------------------------------------------------------------------


def test_port_taken_no_such_place_and_a_wrong_setting_are_one_sentence_and_an_exit_code(home: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for options, words in (
            ((home, "--port", port), f"port {port}"),
            ((tmp_path / "nothing",), "is no directory"),
            ((home, "--bind", "192.0.2.1", "--port", "0"), "192.0.2.1"),
            ((home, "--let", "fetch.allow_everything"), "--let"),
            ((home, "--set", "serve.origins=*"), "origin"),
        ):
            run = run_gossamer("serve", *options)
            assert run.returncode == 2 and words in run.stderr and run.stderr.count("\n") == 1, run.stderr


def test_a_home_that_is_not_writable(home: Path) -> None:
    run = readonly.on_read_only_media(home, "serve", home, "--port", 0)
    assert run.returncode == 3 and "cannot be written" in run.stderr and run.stderr.count("\n") == 1, run.stderr


def test_disk_full(tmp_path: Path) -> None:
    seeds = {"urls": ["http://good.example/"], "start": False}
    with small_disk(tmp_path / "disk", 4 * 1024 * 1024) as disk, serving(disk.path, *UNHURRIED) as door:
        assert door.post("api/v1/crawl/submit", {**seeds, "name": "before"})[0] == 202
        disk.fill(door.process)
        for path, body in (
            ("api/v1/crawl/submit", {**seeds, "name": "none"}),
            ("api/v1/tokens", {"name": "none"}),
            ("api/v1/jobs/before/start", None),
        ):
            answer = door.ask("POST", path, body)
            assert answer.status == 507, (path, answer.body)
            assert not disk.mounted or (kind_of(answer.body) == "disk-full" and "free some" in answer.body["detail"]), path
            keyed = door.ask("POST", path, body, headers={"Idempotency-Key": "full"})
            assert keyed.status == 507, (path, keyed.body)
        assert door.get("api/v1/jobs")[0] == door.get("api/v1/whoami")[0] == 200, "who only looks is answered"
        disk.make_room(door.process)
        assert [row["job"] for row in door.get("api/v1/jobs")[1]["items"]] == ["before"], "nothing is left of what was refused"
        assert door.post("api/v1/crawl/submit", {**seeds, "name": "after"})[0] == 202


def test_without_the_extra_it_says_what_to_install(home: Path) -> None:
    for module in ("litestar", "uvicorn", "prometheus_client"):
        run = run_without([module], "serve", home, "--port", 0)
        assert run.returncode == 2 and f"{module} is missing" in run.stderr and "pip install 'gossamer[serve]'" in run.stderr
        assert run.stderr.count("\n") == 1, run.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_server_that_is_told_to_end_does_so_at_once_and_ends_no_crawl(home: Path, number: int) -> None:
    with serving(home) as door, door.stream("api/v1/events?job=small&kinds=pulse") as events:
        assert events.status == 200 and next(iter(events))["event"] == "pulse"
        began = time.monotonic()
        door.process.send_signal(number)
        assert list(events) is not None, "the stream ends"
        assert door.process.wait(10) == 0 and time.monotonic() - began < 3
        assert door.process.stderr is not None and door.process.stderr.read() == ""


def test_an_address_that_others_reach_is_told(home: Path) -> None:
    with serving(home, "--bind", "0.0.0.0") as door:
        assert door.ask("GET", "healthz", headers={"Host": f"127.0.0.1:{door.port}"}).status == 200
        assert door.ask("GET", "api/v1/whoami", token="").status == 401
        door.process.terminate()
        assert door.process.stderr is not None and "0.0.0.0" in door.process.stderr.read()


# --- log -------------------------------------------------------------------------------------------------------------


def test_the_log_has_a_line_for_each_request_and_never_a_token_or_a_forged_line(home: Path) -> None:
    with serving(home) as door:
        cookie = logged_in(door)
        door.ask("GET", f"api/v1/whoami?token={door.token}")
        door.ask("GET", "api/v1/nothing%0a%7b%22event%22:%22forged%22%7d", token="guessed-token")
    text = (home / "serve.log").read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    asked = [line for line in lines if line["event"] == "request"][-3:]
    assert [line["path"] for line in asked][:2] == ["/api/v1/session", "/api/v1/whoami"]
    assert [line["who"] for line in asked] == ["", "start", ""] and asked[1]["status"] == 422 and asked[1]["id"]
    assert not any(secret in text for secret in (door.token, "guessed-token", cookie["Cookie"].partition("=")[2]))


# --- seeds, settings and patterns of strangers ------------------------------------------------------------------------


def submitted(door: Door, **more: object) -> tuple[int, dict[str, object]]:
    """Submit a crawl that is not started."""
    status, answer = door.post("api/v1/crawl/submit", {"urls": ["http://good.example/"], "start": False, **more})
    return status, answer


def test_some_seeds_are_no_urls(door: Door) -> None:
    status, answer = submitted(door, name="mixed", urls=["http://good.example/", "::::", "http://also.example/"])
    assert status == 202 and [one["index"] for one in answer["refused"]] == [1]  # type: ignore[attr-defined]
    status, problem = submitted(door, urls=["::::"])
    assert status == 422 and [one["where"] for one in problem["errors"]] == ["body.urls[0]"]  # type: ignore[attr-defined]


def test_10001_urls(door: Door) -> None:
    urls = [f"http://good.example/{number}" for number in range(10_001)]
    assert submitted(door, urls=urls)[0] == 422
    assert door.post("api/v1/urls/seed?job=small", {"urls": urls})[0] == 422
    lines = "\n".join(urls).encode()
    assert door.ask("POST", "api/v1/urls/seed?job=small", lines, headers={"Content-Type": "text/plain"}).status == 422


def test_a_seed_on_our_own_disk(door: Door) -> None:
    status, problem = submitted(door, urls=["file:///etc/passwd"])
    assert status == 422 and "file" in str(problem["errors"])


@pytest.mark.parametrize(
    "setting",
    ["fetch.allow_private", "robots.obey", "storage.archive", "dns.resolve", "fetch.insecure", "serve.rate", "scope.schemes"],
)
def test_settings_that_loosen_safety(door: Door, setting: str) -> None:
    status, problem = submitted(door, settings={setting: "anything"})
    assert status == 403 and setting in str(problem["detail"])


def test_a_pattern_that_the_linear_engine_refuses(door: Door) -> None:
    status, problem = submitted(door, settings={"scope.block": ["(?=a)b"]})
    assert status == 422 and "(?=a)b" in str(problem["detail"])


def test_a_pattern_that_is_too_long(door: Door) -> None:
    status, problem = submitted(door, settings={"scope.block": ["a" * 201]})
    assert status == 422 and problem["errors"][0]["where"] == "body.settings.scope.block"


def test_a_setting_that_there_is_not(door: Door) -> None:
    body = {"urls": ["http://good.example/"], "settings": {"crawl.max_page": 3}}
    for path in ("api/v1/crawl/submit", "api/v1/crawl/plan"):
        status, problem = door.post(path, body)
        assert status == 422 and [one["where"] for one in problem["errors"]] == ["body.settings"], path
        assert "crawl.max_page" in problem["detail"] and "command line" not in problem["detail"], path


def test_a_put_with_an_old_etag(door: Door) -> None:
    old = {"If-Match": '"long ago"'}
    assert door.ask("PUT", "api/v1/domains/h.sim/policy?job=small", {"max_qps": 1}, headers=old).status in (404, 412)
    assert door.ask("PUT", "api/v1/jobs/small/settings", {"settings": {"politeness.delay": 2}}, headers=old).status == 412
