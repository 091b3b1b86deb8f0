"""The zoo itself: every attack is what it says it is, stands in the manifest, and cannot keep the server from stopping."""

import asyncio
import contextlib
import gzip
import re
import zlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import brotlicffi
import msgspec
import pytest
import zstandard

from gossamer.simweb import ledger, manifest
from gossamer.simweb.__main__ import main
from gossamer.simweb.attacks import bombs, markup, quirks, unasked, zoo
from gossamer.simweb.attacks.attack import Attack, Door
from gossamer.simweb.attacks.server import AttackServer
from gossamer.simweb.ledger import RequestLedger, Said

FEW = 16 * 1024 * 1024
UNPACK: dict[str, tuple[Callable[[], bytes], Callable[[bytes], bytes]]] = {
    "gzip": (bombs.gzip_bomb, gzip.decompress),
    "deflate": (bombs.deflate_bomb, lambda raw: zlib.decompress(raw, -zlib.MAX_WBITS)),
    "br": (bombs.brotli_bomb, lambda raw: bytes(brotlicffi.decompress(raw))),
    "zstd": (bombs.zstd_bomb, lambda raw: zstandard.ZstdDecompressor().decompressobj().decompress(raw)),
}
OUTCOMES = {
    "ok", "redirected", "too_big", "trap", "out_of_scope", "unsupported", "robots_denied", "address_refused", "timed_out",
    "connect_failed", "protocol_error",
}  # fmt: skip
SPEAKING_UNASKED = {attack.name for attack in unasked.attacks()}


def same_port(_: Door) -> int:
    """Say that every door has the same port."""
    return 8080


@pytest.fixture(scope="module")
def everything() -> list[Attack]:
    return zoo.choose("all")


@pytest.fixture
async def server(everything: list[Attack]) -> AsyncIterator[AttackServer]:
    running = AttackServer(everything, RequestLedger(keep=True))
    await running.start()
    yield running
    await running.stop()


async def hear(port: int, host: str, path: str = "/", header: str = "X-Nothing: 1", seconds: float = 2.0) -> bytes:
    """Ask for a path and return what is said, up to some bytes, a while, or the end."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\n{header}\r\n\r\n".encode())
    said = b""
    try:
        async with asyncio.timeout(seconds):
            while len(said) < 4096 and (piece := await reader.read(4096)):
                said += piece
                if b"\r\n\r\n" in said:
                    break
    except (TimeoutError, ConnectionError):
        pass
    finally:
        writer.transport.abort()
    return said


@pytest.mark.parametrize("coding", UNPACK)
def test_a_bomb_is_small_on_the_wire_and_unpacks_to_what_it_promises(coding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, unpack = UNPACK[coding]
    assert len(make()) < 2_000_000
    monkeypatch.setattr(bombs, "SIZE", FEW)
    assert unpack(make()) == b" " * FEW


def test_quadratic_pages_have_a_megabyte_or_a_hundred_thousand_of_something() -> None:
    assert {name: len(page) for name, page in markup._pages().items() if len(page) < 500_000} == {}
    assert markup._pages()["nested-div"].count("<div>") == markup._pages()["nested-list"].count("<li>") == 100_000


def test_names_are_host_names_and_none_is_there_twice() -> None:
    names = [attack.name for family in (*zoo.FAMILIES, *zoo.APART) for attack in zoo._family(family)]
    assert len(names) == len(set(names)) > 120
    assert [name for name in names if not re.fullmatch(r"[a-z0-9-]{1,63}", name)] == []


def test_every_attack_begins_at_its_root_and_ends_in_named_outcomes(everything: list[Attack]) -> None:
    assert [attack.name for attack in everything if attack.ends[0].path != "/"] == []
    assert {end.outcome for attack in everything for end in attack.ends} == OUTCOMES


def test_attacks_are_chosen_by_family_and_by_name() -> None:
    assert [attack.name for attack in zoo.choose("silent,reset,silent")] == ["silent", "reset"]
    assert {attack.name for attack in zoo.choose("slow")} < {attack.name for attack in zoo.choose("slow,chunks")}
    assert zoo.choose("") == []
    assert "maze-wide" not in {attack.name for attack in zoo.choose("all")}
    assert [attack.name for attack in zoo.choose("boundless")] == ["maze-wide"]
    with pytest.raises(ValueError, match="no attack and no family is called 'sloww'"):
        zoo.choose("sloww")


def test_an_unknown_attack_is_refused_with_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--hosts", "1", "--pages", "1", "--attacks", "nonsense"])
    assert stopped.value.code == 2
    assert "no attack and no family is called 'nonsense'" in capsys.readouterr().err


def test_the_manifest_has_every_end_and_can_be_read_back(everything: list[Attack], tmp_path: Path) -> None:
    entries = list(zoo.entries(everything, same_port))
    path = tmp_path / "manifest"
    path.write_bytes(b"".join(msgspec.json.encode(entry) + b"\n" for entry in entries))
    assert manifest.read(path) == entries
    assert len(entries) == sum(len(attack.ends) for attack in everything)
    assert {entry.attack for entry in entries} == {attack.name for attack in everything}
    assert {entry.url for entry in entries if entry.found_by == "seed"} == set(zoo.seeds(everything, same_port))
    assert [entry.url[:80] for entry in entries if entry.fetch != bool(entry.requests_max)] == []


async def test_every_host_speaks_its_mind_and_is_written_down(server: AttackServer, everything: list[Attack]) -> None:
    said = await asyncio.gather(*(hear(server.port(attack.door), attack.host) for attack in everything))
    silent = {attack.name for attack, words in zip(everything, said, strict=True) if not words}
    assert silent == {"silent", "reset", "closed"}
    readable = {attack.name for attack, words in zip(everything, said, strict=True) if words.upper().startswith(b"HTTP/1.")}
    assert {attack.name for attack in everything if attack.ends[0].outcome in ("ok", "redirected", "too_big")} <= readable
    asked = {request.host for request in server._ledger.requests}
    assert asked == {attack.host for attack in everything}


async def test_robots_txt_is_plain_where_it_is_not_the_attack(server: AttackServer, everything: list[Attack]) -> None:
    plain = [attack for attack in everything if attack.robots is None and attack.name not in SPEAKING_UNASKED]
    assert len(plain) > 100
    said = await asyncio.gather(*(hear(server.port(attack.door), attack.host, "/robots.txt") for attack in plain))
    assert {words.partition(b"\r\n\r\n")[2] for words in said} == {b"User-agent: *\nAllow: /\n"}


@pytest.mark.parametrize("header", ["Cookie: a=b", "cookie: a=b", "X-Injected: 1", "Authorization: Basic eDp5"])
async def test_what_an_attack_wanted_to_be_sent_is_a_breach(server: AttackServer, header: str) -> None:
    said = await hear(server.port(), "cookies.attack.sim", "/next", header)
    assert said.startswith(b"HTTP/1.1 500 ")
    assert len(server.breaches) == 1
    assert header in server.breaches[0]


async def test_a_host_nobody_knows_is_not_found(server: AttackServer) -> None:
    assert (await hear(server.port(), "kind.attack.sim")).startswith(b"HTTP/1.1 404 ")


async def test_stopping_does_not_wait_for_those_who_never_end(everything: list[Attack]) -> None:
    running = AttackServer(everything, RequestLedger())
    await running.start()
    opened = []
    for host in ("silent", "slow-body", "endless-body", "endless-head"):
        reader, writer = await asyncio.open_connection("127.0.0.1", running.port())
        writer.write(f"GET / HTTP/1.1\r\nHost: {host}.attack.sim\r\n\r\n".encode())
        opened.append((reader, writer))
    await opened[1][0].read(10)
    async with asyncio.timeout(5):
        await running.stop()
    for _, writer in opened:
        writer.transport.abort()


def test_no_two_bad_servers_say_the_same_page() -> None:
    said = quirks.replies()
    assert len(set(said.values())) == len(said) >= 20


def transcript(path: Path) -> dict[str, bytes]:
    """Read what was said for each answer, by its name."""
    said: dict[str, list[bytes]] = {}
    for line in Path(f"{path}.said").read_bytes().splitlines():
        piece = msgspec.json.decode(line, type=Said)
        pieces = said.setdefault(piece.answer, [])
        pieces.append(piece.words or pieces[-1])
    return {name: b"".join(pieces) for name, pieces in said.items()}


@contextlib.asynccontextmanager
async def speaking(path: Path, wanted: str) -> AsyncIterator[AttackServer]:
    """Serve some attacks with a ledger in a file."""
    book = RequestLedger(path)
    running = AttackServer(zoo.choose(wanted), book)
    await running.start()
    yield running
    await running.stop()
    book.close()


async def hear_until(port: int, host: str, *ends: bytes) -> list[bytes]:
    """Ask for a page and return what is said up to each of some ends."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET /one HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    async with asyncio.timeout(10):
        said = [await reader.readuntil(end) for end in ends]
    writer.transport.abort()
    return said


async def test_all_that_is_said_is_in_the_transcript_before_it_is_heard(tmp_path: Path) -> None:
    names = ("length-too-long", "chunk-tiny", "endless-body", "reset-in-body")
    async with speaking(tmp_path / "ledger", ",".join(names)) as server:
        for name in names:
            heard = await hear(server.port(), f"{name}.attack.sim")
            (asked,) = [line for line in ledger.read(tmp_path / "ledger") if line.host == f"{name}.attack.sim"]
            assert len(heard) > 100
            assert transcript(tmp_path / "ledger")[asked.answer].startswith(heard)


async def test_what_nobody_asked_for_is_heard_and_is_in_no_answer(tmp_path: Path) -> None:
    async with speaking(tmp_path / "ledger", "unasked-at-once,unasked-later") as server:
        for host in ("unasked-at-once.attack.sim", "unasked-later.attack.sim"):
            mark = f"{host.partition('.')[0]}/one".encode()
            answer, unasked = await hear_until(server.port(), host, b"</p>\n", b"/forged</a>\n")
            assert mark in answer and mark not in unasked
    said = transcript(tmp_path / "ledger")
    assert len(said) == 2 and not any(b"forged" in words for words in said.values())


async def test_words_before_the_first_request_may_be_taken_for_its_answer(tmp_path: Path) -> None:
    (attack,) = zoo.choose("unasked-first")
    async with speaking(tmp_path / "ledger", "unasked-first") as server:
        heard, _ = await hear_until(server.port(attack.door), attack.host, b"request</p>\n", b"/one</p>\n")
    first, second = Path(f"{tmp_path / 'ledger'}.said").read_bytes().splitlines()
    greeting, answer = msgspec.json.decode(first, type=Said), msgspec.json.decode(second, type=Said)
    assert greeting.crossed and heard == greeting.words
    assert not answer.crossed and greeting.answer == answer.answer


async def test_who_speaks_tls_needs_a_certificate() -> None:
    running = AttackServer(zoo.choose("tls"), RequestLedger())
    with pytest.raises(ValueError, match="--certificate"):
        await running.start()
    await running.stop()
