"""The CDXJ index: one line a kept record, sorted, so that a replay tool finds it by binary search.

A line is `urlkey timestamp {json}`. The key is the URL turned inside out (host reversed, lower case, session ids and order of
parameters forgotten): the rules of the Internet Archive's canonical form, because pywb looks pages up by it. The digest is
the payload digest, the same for a response and its revisits. A 304 has no line: a replay tool would show its bare head instead
of the page; without it, it shows the capture that the 304 confirms. Beside each closed file stands its `.cdxj`, beside an open
one a journal of its lines, which is taken up with every flush. An index is derived: it can be thrown away and made again from
the files.

`merge` makes one `index.cdxj` of all, open files included: at the end of every run, again and again while a crawl runs
(`jobs/index.py` says how often), and whenever somebody asks with `gossamer index`. So without a crawl it names every record
that is kept, and with one every record that was durable when it was written.
"""

import heapq
import os
import re
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote_from_bytes, unquote_to_bytes

import msgspec

from gossamer.document.digest import payload_digest
from gossamer.records.fetch import Fetched
from gossamer.records.page import Place
from gossamer.storage.archive.lines import SortedLines
from gossamer.storage.archive.replay import restore
from gossamer.storage.archive.sealed import drop_damaged, seal, unseal
from gossamer.storage.archive.segment import OPEN, open_path
from gossamer.storage.archive.walk import Record, Torn, walk
from gossamer.storage.archive.warc import safe_uri, timestamp

KEPT = frozenset({"response", "resource", "revisit"})
MERGED = "index.cdxj"
UNFINISHED = ".part"
LOOKS = 3  # at a file that gets its final name, or its index, while it is looked for

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?", re.DOTALL)
_PLAIN = re.compile(r"(https?)://([a-z0-9.:-]+)((?:/[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)+|/)")  # nothing to change
_DEFAULT_PORT = {"http": "80", "https": "443"}
_WWW = re.compile(r"www\d*\.")
_ENCODED = re.compile(r"%|[^!-~]")
_SAFE = "!\"$&'()*+,-./:;<=>?@[\\]^_`{|}~"
_PATH_SESSION = re.compile(r"\A(.*/)\((?:[a-z0-9]{24}|(?:[a-z]\([a-z0-9]{24}\))+)\)/(?=.)")  # before .aspx
_ANY_SESSION = re.compile("sess|sid=|cfid=")
_QUERY_SESSIONS = tuple(
    re.compile(rf"\A(.*){session}(?:&|$)")  # the last one of each kind goes, as pywb has it
    for session in (
        "jsessionid=[0-9a-z]{32}",
        "phpsessid=[0-9a-z]{32}",
        "sid=[0-9a-z]{32}",
        "aspsessionid[a-z]{8}=[a-z]{24}",
        "cfid=(?:(?!cfid=[^&])[^&])+&cftoken=[^&]+",
    )
)


def line(fetched: Fetched, digest: str, place: Place, revisit: bool) -> bytes:
    """Return the line of one kept record, end of line included; nothing for a 304 that confirms another record."""
    if revisit and fetched.status == 304:
        return b""
    url = safe_uri(fetched.url)
    mime = "warc/revisit" if revisit else fetched.header("content-type").partition(";")[0].strip().lower() or "unk"
    texts = f'"url":{_quoted(url)},"mime":{_quoted(mime)},"status":"{fetched.status}","digest":{_quoted(digest)}'
    where = f'"length":"{place.length}","offset":"{place.offset}","filename":{_quoted(place.file)}'
    return f"{url_key(url)} {timestamp(fetched.started)} {{{texts},{where}}}\n".encode()


def _quoted(text: str) -> str:
    """Spell a text as JSON does; most have nothing to escape, and to look is a third of what an encoder takes."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return msgspec.json.encode(text).decode()


def line_of(record: Record, file: str) -> bytes:
    """Return the line of a record that was read back."""
    fetched = restore(record)
    revisit = record.kind == "revisit"
    digest = record.headers.get("warc-payload-digest", "")
    if not revisit and (fetched.chunked or not digest):
        digest = payload_digest(fetched.body, fetched.chunked)
    fetched.body.close()
    return line(fetched, digest, Place(file, record.offset, record.length), revisit)


def index(path: Path) -> None:
    """Make the index of a closed file by reading all of it, up to where it is damaged."""
    write(path, _walked(path, path.name))


def write(path: Path, lines: SortedLines) -> None:
    """Write the index of a closed file, sorted."""
    _replace(index_path(path), lines.in_order())


def index_path(path: Path) -> Path:
    """Return where the index of a WARC file is."""
    return path.with_name(path.name.removesuffix(".gz").removesuffix(".warc") + ".cdxj")


def journal_path(path: Path) -> Path:
    """Return where the lines of a file stand while it is open."""
    return open_path(index_path(path))


def merge(directory: Path) -> Path:
    """Merge the indexes of all files into one sorted `index.cdxj`, while others write or not; return its path."""
    target = directory / MERGED
    drop_damaged(directory)
    unseal(directory)
    names = {path.name.removesuffix(OPEN) for path in (*directory.glob("*.warc.gz"), *directory.glob(f"*.warc.gz{OPEN}"))}
    with ExitStack() as stack:
        _replace(target, heapq.merge(*[_lines_in(directory / name, stack) for name in sorted(names)]))
    seal(directory)
    return target


def _lines_in(path: Path, stack: ExitStack) -> Iterable[bytes]:
    """Return the lines of a file in order: from its index, from its journal, or by reading all of it."""
    for _ in range(LOOKS):
        with suppress(FileNotFoundError):
            return stack.enter_context(index_path(path).open("rb"))
        for source, read in ((journal_path(path), _journaled), (path, _walked), (open_path(path), _walked)):
            with suppress(FileNotFoundError):
                return read(source, path.name).in_order()
    return ()  # it is gone


def _journaled(journal: Path, name: str) -> SortedLines:
    lines = SortedLines(journal.parent)
    with journal.open("rb") as file:
        for text in file:
            if text.endswith(b"\n"):  # the last one may be under way
                lines.append(text)
    return lines


def _walked(path: Path, name: str) -> SortedLines:
    lines = SortedLines(path.parent)
    with suppress(Torn):
        for record in walk(path):
            if record.kind in KEPT:
                lines.append(line_of(record, name))
    return lines


def _replace(target: Path, lines: Iterable[bytes]) -> None:
    """Write a file whole or not at all; several processes may, the last one counts. One that cannot be written is not there."""
    unfinished = target.with_name(f"{target.name}.{os.getpid()}{UNFINISHED}")
    try:
        with unfinished.open("wb") as file:
            file.writelines(lines)
            file.flush()
            os.fsync(file.fileno())  # the name must not outlive a power loss that the lines do not
        os.replace(unfinished, target)
    except OSError:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
        with suppress(OSError):
            target.unlink(missing_ok=True)  # none is better than one that lags
        raise


def url_key(url: str) -> str:
    """Return the key a URL is sorted and looked up by, such as `org,example)/a?b=c`."""
    if plain := _PLAIN.fullmatch(url):
        scheme, authority, path = plain.groups()
        return f"{_host_key(scheme, authority)}){path}"
    parts = _URL.match(url)
    if parts is None:
        return _canonical(url).lower()
    scheme, authority, path, query = parts.groups()
    scheme = scheme.lower()
    path = _canonical(path)
    if authority and ("//" in path or "/." in path):
        path = _resolve(path)
    path = path.lower()
    if (end := path.rfind(".aspx")) >= 0:
        path = _PATH_SESSION.sub(r"\1", path[:end], count=1) + path[end:]
    if len(path) > 1:
        path = path.removesuffix("/")
    key = f"{_host_key(scheme, authority)}){path or '/'}" if authority else f"{scheme}:{path}"
    return f"{key}?{query}" if query and (query := _query_key(query)) else key


@lru_cache(maxsize=1024)  # a host has many pages
def _host_key(scheme: str, authority: str) -> str:
    authority = authority.rpartition("@")[2].lower().removesuffix(f":{_DEFAULT_PORT.get(scheme)}")
    if authority.startswith("["):  # an IPv6 address
        return authority[1:].replace("]", "")
    host, colon, port = authority.partition(":")
    host = host.strip(".")
    if www := _WWW.match(host):
        host = host[www.end() :]
    return ",".join(reversed(host.split("."))) + colon + port


def _query_key(query: str) -> str:
    query = _canonical(query).lower()
    if _ANY_SESSION.search(query):
        for session in _QUERY_SESSIONS:
            query = session.sub(r"\1", query, count=1)
    if "&" not in query:
        return query
    return "&".join("=".join(pair) for pair in sorted(pair.split("=", 1) for pair in query.split("&")))


def _canonical(text: str) -> str:
    """Decode percent-encoding until none is left, then encode what is not visible ASCII."""
    if not _ENCODED.search(text):
        return text
    plain = text.encode("utf-8", "surrogatepass")
    while (decoded := unquote_to_bytes(plain)) != plain:
        plain = decoded
    return quote_from_bytes(plain, safe=_SAFE)


def _resolve(path: str) -> str:
    """Take out dot segments and empty segments."""
    kept: list[str] = []
    for segment in path.split("/")[1:]:
        if segment == ".." and kept:
            kept.pop()
        elif segment != ".":
            kept.append(segment)
    *folders, last = kept or [""]
    return "/" + "".join(f"{folder}/" for folder in folders if folder) + last
