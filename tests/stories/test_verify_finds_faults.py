"""`verify` must be able to fail: each kind of damage is found and named."""

import gzip
import json
import re
import shutil
import sqlite3
from collections.abc import Callable
from hashlib import sha1
from pathlib import Path

import pytest
from crawling import run_gossamer
from serving import Route, closed_port, page, site_running

from gossamer.document.digest import digest_text
from gossamer.storage.archive.walk import Record, walk

LINKED = "/list?size=9&colour=red"  # its key has the parameters in another order
ROUTES: dict[str, Route] = {
    "/": page("/a", "/b", "/c", "/copy", LINKED),
    "/a": page(title="a"),
    "/b": page(title="b"),
    "/c": page(title="c"),
    "/copy": page(title="a"),
    LINKED: page(title="a list"),
}
LOCAL = ["--allow-private", "127.0.0.0/8", "--quiet"]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished crawl without a fault, and a ledger of it."""
    place = tmp_path_factory.mktemp("sound")
    with site_running(ROUTES) as site:
        words = ["--dir", place / "crawl", "--delay", "0.1", "--allow-private", "127.0.0.0/8", "--quiet"]
        assert run_gossamer("crawl", site.url(), *words).returncode == 0
    sent = {path: {"head": sha1(head).hexdigest(), "body": sha1(body).hexdigest()} for path, head, body in site.sent}
    lines = [{"start": one.at, "end": one.at, "host": "127.0.0.1", "path": one.path, **sent[one.path]} for one in site.asked]
    (place / "crawl" / "ledger.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return place / "crawl"


def verdict(directory: Path) -> tuple[int, str]:
    """Verify a crawl with its ledger."""
    result = run_gossamer("verify", directory, "--ledger", directory / "ledger.jsonl")
    return result.returncode, result.stdout


def flip_a_byte(crawl: Path) -> None:
    [path] = (crawl / "warc").glob("*.warc.gz")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)


def lose_the_archive(crawl: Path) -> None:
    for path in (crawl / "warc").glob("*.warc.gz"):
        path.unlink()


def lose_a_row(crawl: Path) -> None:
    with sqlite3.connect(crawl / "catalog.db") as catalog:
        catalog.execute("delete from pages where url like '%/b'")
    (crawl / "catalog.db.seal").unlink()


def change_an_outcome(crawl: Path) -> None:
    with sqlite3.connect(crawl / "catalog.db") as catalog:
        catalog.execute("update pages set outcome = 'gone' where url like '%/b'")
    (crawl / "catalog.db.seal").unlink()


def lose_a_link(crawl: Path) -> None:
    """Let a link have a key that the frontier never heard of."""
    with (crawl / "gossamer.toml").open("a") as settings:
        settings.write("\n[key]\nsort_query = false\n")
    (crawl / "crawl.seal").unlink()


def hurry(crawl: Path) -> None:
    lines = [json.loads(line) for line in (crawl / "ledger.jsonl").read_text().splitlines()]
    hurried = [{**line, "start": line["start"] / 3, "end": line["end"] / 3} for line in lines]
    (crawl / "ledger.jsonl").write_text("".join(json.dumps(line) + "\n" for line in hurried))


def overlap(crawl: Path) -> None:
    lines = [json.loads(line) for line in (crawl / "ledger.jsonl").read_text().splitlines()]
    (crawl / "ledger.jsonl").write_text("".join(json.dumps({**line, "end": line["end"] + 0.2}) + "\n" for line in lines))


def exchange_two_payloads(crawl: Path) -> None:
    """Let two pages have each other's content, and make everything else in the crawl agree with it."""
    [path] = (crawl / "warc").glob("*.warc.gz")
    records = list(walk(path))
    one, two = (next(record for record in records if is_response_of(record, name)) for name in ("/b", "/c"))
    payloads = {one.offset: payload(two), two.offset: payload(one)}
    places: dict[int, tuple[int, int]] = {}  # new ones by old offsets
    with path.open("wb") as file:
        for record in records:
            content = record.content.read()
            packed = gzip.compress(changed(record, payloads[record.offset]) if record.offset in payloads else content)
            places[record.offset] = file.tell(), len(packed)
            file.write(packed)
    for index in [*(crawl / "warc").glob("*.cdxj"), crawl / "warc" / "seal", crawl / "catalog.db.seal"]:
        index.unlink()  # made again by whoever opens the crawl
    with sqlite3.connect(crawl / "catalog.db") as catalog:
        for table in ("pages", "versions"):
            for old, (new, length) in places.items():
                where = f"update {table} set record_offset = ?, record_length = ? where record_offset = ?"
                catalog.execute(where, (-new, length, old))
            catalog.execute(f"update {table} set record_offset = -record_offset")
            for offset, content in payloads.items():
                digest = digest_text(sha1(content))
                catalog.execute(f"update {table} set digest = ? where record_offset = ?", (digest, places[offset][0]))


def is_response_of(record: Record, name: str) -> bool:
    return record.kind == "response" and record.headers["warc-target-uri"].endswith(name)


def payload(record: Record) -> bytes:
    return b"".join(record.block()).partition(b"\r\n\r\n")[2]


def changed(record: Record, content: bytes) -> bytes:
    """Return a record with another payload, as long as its own, and digests that agree with it."""
    old, (head, end, own) = record.content.read(), b"".join(record.block()).partition(b"\r\n\r\n")
    assert len(content) == len(own) and content != own
    for before, after in ((own, content), (head + end + own, head + end + content)):
        old = old.replace(digest_text(sha1(before)).encode(), digest_text(sha1(after)).encode())
    return old.replace(own, content)


def test_a_sound_crawl_passes(sound: Path) -> None:
    code, words = verdict(sound)
    assert code == 0, words
    assert re.search(r"^13 passed, 0 failed$", words, re.MULTILINE)


@pytest.mark.parametrize(
    ("damage", "promise"),
    [
        (flip_a_byte, "P9"),
        (lose_the_archive, "P7"),
        (lose_a_row, "P1"),
        (change_an_outcome, "P1"),
        (lose_a_link, "P3"),
        (hurry, "P11"),
        (overlap, "P12"),
        (exchange_two_payloads, "P19"),
    ],
)
def test_damage_is_found_and_named(sound: Path, tmp_path: Path, damage: Callable[[Path], None], promise: str) -> None:
    shutil.copytree(sound, tmp_path / "crawl")
    damage(tmp_path / "crawl")
    code, words = verdict(tmp_path / "crawl")
    assert code == 1
    assert any(line.startswith(f"FAILED  {promise}") for line in words.splitlines()), words


def test_only_the_server_can_tell_that_two_payloads_were_exchanged(sound: Path, tmp_path: Path) -> None:
    shutil.copytree(sound, tmp_path / "crawl")
    exchange_two_payloads(tmp_path / "crawl")
    alone = run_gossamer("verify", tmp_path / "crawl")
    assert (alone.returncode, alone.stdout.splitlines()[-1]) == (0, "9 passed, 0 failed")
    code, words = verdict(tmp_path / "crawl")
    assert (code, words.splitlines()[-1]) == (1, "12 passed, 1 failed")
    offenders = re.findall(
        r"^          \S+:\d+(\S+): what is kept of it is not what the server sent for it$", words, re.MULTILINE
    )
    assert sorted(offenders) == ["/b", "/c"]


def test_a_ledger_that_does_not_tell_what_was_sent_proves_nothing_about_it(sound: Path, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in (sound / "ledger.jsonl").read_text().splitlines()]
    kept = ("start", "end", "host", "path")
    (tmp_path / "ledger").write_text("".join(json.dumps({name: line[name] for name in kept}) + "\n" for line in lines))
    result = run_gossamer("verify", sound, "--ledger", tmp_path / "ledger")
    assert result.returncode == 0
    assert result.stdout.splitlines()[-1] == "12 passed, 0 failed, 1 not checked"


def counts(words: str) -> dict[str, int]:
    """Return how many things each check looked at, by its sentence."""
    found = re.findall(r"^\w.*?  (P\d+ .*) \(([\d,]+)\)$", words, re.MULTILINE)
    return {sentence: int(count.replace(",", "")) for sentence, count in found}


def test_a_crawl_that_goes_on_for_ever_is_looked_at_like_any_other(tmp_path: Path) -> None:
    crawl = tmp_path / "crawl"
    with site_running(ROUTES) as site:
        options = ["--delay", "0", *LOCAL, "--forever", "--max-pages", len(ROUTES)]
        assert run_gossamer("crawl", site.url(), "--dir", crawl, *options).returncode == 0
    result = run_gossamer("verify", crawl)
    assert result.returncode == 0, result.stdout
    (links,) = [count for sentence, count in counts(result.stdout).items() if sentence.startswith("P3")]
    assert links >= len(ROUTES) - 1, "every page, but perhaps the copy"
    for damage, promise in ((lose_a_link, "P3"), (change_an_outcome, "P1")):
        broken = tmp_path / promise
        shutil.copytree(crawl, broken)
        damage(broken)
        assert f"FAILED  {promise}" in run_gossamer("verify", broken).stdout


def test_a_page_that_was_confirmed_has_its_links_looked_at_too(tmp_path: Path) -> None:
    crawl = tmp_path / "crawl"
    with site_running(ROUTES) as site:
        assert run_gossamer("crawl", site.url(), "--dir", crawl, "--delay", "0", *LOCAL).returncode == 0
        assert json.loads(run_gossamer("recrawl", crawl, "--json").stdout)["outcomes"] == {"not_modified": len(ROUTES)}
    lose_a_link(crawl)
    assert "FAILED  P3" in run_gossamer("verify", crawl).stdout


def test_a_check_that_looked_at_nothing_says_so_and_does_not_pass(tmp_path: Path) -> None:
    crawl, quick = tmp_path / "crawl", ["--delay", "0", "--set", "robots.wait=0", *LOCAL]
    with closed_port() as port:
        assert run_gossamer("crawl", f"http://127.0.0.1:{port}/", "--dir", crawl, *quick).returncode == 7
    (tmp_path / "ledger").write_text("")
    result = run_gossamer("verify", crawl, "--ledger", tmp_path / "ledger")
    assert result.returncode == 0
    lines = result.stdout.splitlines()
    unseen = {line.split()[2] for line in lines if line.startswith("not checked")}
    assert unseen == {"P3", "P7", "P9", "P11", "P12", "P13", "P19"}, result.stdout
    assert all(line.endswith("(nothing to look at)") for line in lines if line.startswith("not checked"))
    assert lines[-1] == "6 passed, 0 failed, 7 not checked"
    told = json.loads(run_gossamer("verify", crawl, "--json").stdout)
    assert (told["passed"], told["failed"], told["not_checked"]) == (6, 0, 3)
