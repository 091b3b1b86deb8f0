"""The manifest against a small crawler of this file, which reads the served bytes and visits in any order."""

import gzip
import html
import random
import re
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urldefrag, urljoin, urlsplit
from xml.etree import ElementTree

import brotlicffi
import cchardet
import pytest
from selectolax.lexbor import LexborHTMLParser

from gossamer.simweb import manifest
from gossamer.simweb.answers import WireAnswer
from gossamer.simweb.settings import SimwebSettings
from gossamer.simweb.web import Web, build

OUTCOMES = {
    "ok", "duplicate", "near_duplicate",
    "redirected", "gone", "client_error", "server_error", "throttled", "robots_denied", "out_of_scope",
    "trap", "unsupported",
}  # fmt: skip


def key(url: str) -> str:
    """Tell whether two URLs are the same page, as the crawler's defaults do."""
    parts = urlsplit(urldefrag(url).url)
    dropped = ("utm_", "fbclid", "PHPSESSID")
    query = sorted(pair for pair in parse_qsl(parts.query) if not pair[0].startswith(dropped))
    return f"{parts.scheme}://{parts.netloc}{unquote(parts.path).rstrip('/')}?{query}"


def headers_of(answer: WireAnswer) -> dict[str, str]:
    lines = answer.head.decode("latin-1").split("\r\n")[1:]
    return {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)}


def content_of(answer: WireAnswer) -> bytes:
    headers, body = headers_of(answer), answer.body
    if headers.get("transfer-encoding") == "chunked":
        rest, body = body, b""
        while rest != b"0\r\n\r\n":
            size, _, rest = rest.partition(b"\r\n")
            body, rest = body + rest[: int(size, 16)], rest[int(size, 16) + 2 :]
    coding = headers.get("content-encoding")
    return gzip.decompress(body) if coding == "gzip" else brotlicffi.decompress(body) if coding == "br" else body


def text_of(answer: WireAnswer) -> str:
    content = content_of(answer)
    declared = re.search(r"charset=([\w-]+)", headers_of(answer)["content-type"])
    meta = re.search(rb'<meta charset="([\w-]+)"', content)
    charset = declared[1] if declared else meta[1].decode() if meta else cchardet.detect(content)["encoding"]
    return content.decode(charset)


def links_of(url: str, answer: WireAnswer) -> list[tuple[str, bool]]:
    """Return the URLs a resource leads to, each with whether it may be followed."""
    headers = headers_of(answer)
    if "location" in headers:
        return [(urljoin(url, headers["location"]), True)]
    if answer.status != 200:
        return []
    if "/feeds/" in url:
        return [(urljoin(url, href), True) for href in links_of_feed(content_of(answer).decode())]
    if headers["content-type"].endswith(("/xml", "/gzip")):
        content = content_of(answer)
        tree = ElementTree.fromstring(gzip.decompress(content) if url.endswith(".gz") else content)
        return [(element.text or "", True) for element in tree.iter() if element.tag.endswith("}loc")]
    return links_of_html(url, headers, text_of(answer)) if "html" in headers["content-type"] else []


def links_of_feed(text: str) -> list[str]:
    """Return the links of a feed as they are meant; not every feed is well-formed."""
    plain = re.findall(r"<link><!\[CDATA\[(.*?)\]\]></link>", text)
    return plain + [html.unescape(href) for href in re.findall(r'(?:href="|about="|<link>(?!<))([^"<]*)', text)]


def links_of_html(url: str, headers: dict[str, str], text: str) -> list[tuple[str, bool]]:
    tree = LexborHTMLParser(text)
    base = tree.css_first("base")
    home = urljoin(url, base.attributes["href"] or "") if base else url
    directives = [headers.get("x-robots-tag", "")] + [
        node.attributes["content"] or ""
        for node in tree.css("meta[name]")
        if (node.attributes["name"] or "").lower() == "robots"
    ]
    words = {word.strip().lower() for text in directives if "bot:" not in text for word in text.split(",")}
    closed = bool(words & {"nofollow", "none"})
    found = []
    for selector, attribute in (("a", "href"), ("area", "href"), ("iframe", "src"), ("frame", "src"), ("link[rel]", "href")):
        for node in tree.css(selector):
            nofollow = "nofollow" in (node.attributes.get("rel") or "").lower()
            found.append((urljoin(home, (node.attributes[attribute] or "").strip()), not (closed or nofollow)))
    for node in tree.css("meta[http-equiv=refresh]"):
        found.append((urljoin(home, (node.attributes["content"] or "").partition("url=")[2]), not closed))
    for node in tree.css("img"):
        source = node.attributes.get("src") or (node.attributes.get("srcset") or "").split(" ")[0]
        found.append((urljoin(home, source), False))
    return found


def is_honest(url: str, redirects: int) -> bool:
    segments = urlsplit(url).path.strip("/").split("/")
    return len(url) <= 2048 and len(segments) <= 15 and max(map(segments.count, segments)) <= 3 and redirects <= 10


class Crawl:
    """Visits the web in any order: the names fetched with their status, those passed over, the depth each was found at."""

    def __init__(self, web: Web) -> None:
        self.web = web
        self.sims = {urlsplit(seed).netloc for seed in web.seeds}  # and where seeds arrive
        self.waiting = [(key(seed), seed, 0, 0, True) for seed in web.seeds]
        for host in web.hosts:
            body = web.answer(f"{host.origin}/robots.txt").body[:512_000].decode()
            sitemaps = [line.partition(": ")[2] for line in body.splitlines() if line.startswith("Sitemap: ")]
            self.waiting += [(key(url), url, 1, 0, False) for url in sitemaps]
        self.depths = {name: depth for name, _, depth, _, _ in self.waiting}
        self.urls = {name: url for name, url, _, _, _ in self.waiting}
        self.fetched: dict[str, int] = {}
        self.passed_over: set[str] = set()

    def run(self, order: random.Random) -> "Crawl":
        while self.waiting:
            place = order.randrange(len(self.waiting))
            self.waiting[place], self.waiting[-1] = self.waiting[-1], self.waiting[place]
            self.visit(*self.waiting.pop())
        self.passed_over -= set(self.fetched)
        return self

    def visit(self, name: str, url: str, depth: int, redirects: int, seed: bool) -> None:
        parts = urlsplit(url)
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        is_ours = seed or parts.netloc in self.sims
        if not is_ours or not is_honest(url, redirects) or not self.web.judge(parts.hostname or "", path).allowed:
            self.passed_over.add(name)
            return
        answer = self.web.answer(url)
        self.fetched[name] = answer.status
        redirected = 300 <= answer.status < 400
        if seed and answer.status == 200:
            self.sims.add(parts.netloc)
        for found, follow in links_of(url, answer):
            if not follow:
                self.passed_over.add(key(urldefrag(found).url))
            else:
                found = urldefrag(found).url
                self.find(url, found, depth + 1, redirects + 1 if redirected else 0, seed and redirected)

    def find(self, on: str, found: str, depth: int, redirects: int, seed: bool) -> None:
        """Queue a URL; another spelling of a known one if the web tells it apart: it is redirected to, or the first is gone."""
        name = key(found)
        if name in self.depths and found != self.urls[name]:
            is_gone = self.web.answer(self.urls[name]).status in (404, 410)
            name = f"{found}#" if is_gone or (redirects and name == key(on)) else name
        if name not in self.depths:
            self.depths[name], self.urls[name] = depth, found
            self.waiting.append((name, found, depth, redirects, seed))


def named(entries: list[manifest.ManifestEntry]) -> dict[str, manifest.ManifestEntry]:
    """Name the entries of a manifest as a crawl does: of spellings that are told apart, the first has the usual name."""
    names: dict[str, manifest.ManifestEntry] = {}
    for entry in entries:
        names[f"{entry.url}#" if key(entry.url) in names else key(entry.url)] = entry
    return names


def test_a_crawl_of_the_served_bytes_in_any_order_finds_what_the_manifest_says(light_web: Web) -> None:
    entries = named(manifest.manifest(light_web))
    crawl = Crawl(light_web).run(random.Random(11))
    assert crawl.fetched == {name: entry.status for name, entry in entries.items() if entry.fetch}
    assert crawl.passed_over == {name for name, entry in entries.items() if not entry.fetch}
    assert max(crawl.depths.values()) <= 15


@pytest.mark.parametrize(("hosts", "pages", "seed"), [(1, 20, 1), (5, 40, 2), (11, 60, 3), (30, 200, 4)])
def test_small_webs_keep_the_same_promise(hosts: int, pages: int, seed: int) -> None:
    small = build(SimwebSettings(hosts=hosts, pages=pages, seed=seed, max_bytes=8_000), 8080)
    entries = named(manifest.manifest(small))
    crawl = Crawl(small).run(random.Random(seed))
    assert set(crawl.fetched) == {name for name, entry in entries.items() if entry.fetch}
    assert crawl.passed_over == {name for name, entry in entries.items() if not entry.fetch}


def test_every_url_that_exists_is_listed_once(light_web: Web) -> None:
    entries = manifest.manifest(light_web)
    existing = {thing.url for host in light_web.hosts for thing in host.table.values() if thing.kind != "robots"}
    listed = [entry.url for entry in entries]
    assert len(listed) == len(set(listed))
    assert existing <= set(listed)
    origins = tuple(f"{host.origin}/" for host in light_web.hosts)
    assert {url for url in set(listed) - existing if url.startswith(origins)} == set()
    pages = [entry for entry in entries if ".sim" in entry.url and entry.url.startswith("http")]
    elsewhere = [entry for entry in pages if not entry.url.startswith(origins)]
    assert elsewhere and {entry.rule for entry in elsewhere} == {"scope.within"}  # other ports of the same hosts


def test_every_rule_refuses_something_and_every_outcome_occurs(light_web: Web) -> None:
    entries = manifest.manifest(light_web)
    assert {entry.outcome for entry in entries} == OUTCOMES
    assert {entry.rule for entry in entries if not entry.fetch} == {
        "scope.within", "scope.schemes", "robots.txt", "robots.meta", "documents.follow", "fetch.max_redirects",
        "traps.max_length", "traps.max_segments", "traps.max_repeats",
    }  # fmt: skip
    assert all(entry.rule == "" and entry.requests_max > 0 for entry in entries if entry.fetch)
    assert any(entry.reason == "unreachable" for entry in entries)
    assert {entry.requests_max for entry in entries} == {0, 1, 2, 4}


def test_the_title_of_a_page_is_read_from_its_bytes_whatever_its_charset(light_web: Web) -> None:
    titled = [entry for entry in manifest.manifest(light_web) if entry.title]
    legacy = 0
    for entry in titled:
        resource = light_web.lookup(entry.url)
        assert resource is not None
        if resource.charset != "utf-8" or resource.number % 40 == 0:
            legacy += resource.charset != "utf-8"
            found = LexborHTMLParser(text_of(light_web.answer(entry.url))).css_first("title")
            assert found is not None and found.text() == entry.title, entry.url
    assert legacy == 15


def test_a_group_of_copies_shares_its_bytes_and_lists_them_as_duplicates(light_web: Web) -> None:
    groups: dict[str, set[bytes]] = {}
    canonical = []
    for entry in manifest.manifest(light_web):
        if entry.group and not entry.title.startswith("Index of "):
            assert entry.outcome in ("duplicate", "ok")
            canonical += [entry.group] if entry.outcome == "ok" else []
            groups.setdefault(entry.group, set()).add(content_of(light_web.answer(entry.url)))
    assert len(groups) == 14 and all(len(contents) == 1 for contents in groups.values())
    assert len(canonical) == len(set(canonical)) == 4, "in a group with a canonical page that one counts"


def test_a_manifest_is_read_back_as_it_was_written(light_web: Web, tmp_path: Path) -> None:
    manifest.write(light_web, tmp_path / "manifest.jsonl")
    assert manifest.read(tmp_path / "manifest.jsonl") == manifest.manifest(light_web)
