"""What is kept of a page, as a program or a browser gets it: bytes to download, text, the page in a sandbox, head, WARC record.

Somebody else wrote it, so nothing of it may act here: its type is never guessed, its bytes are only ever a download, and what
is shown as a page has no scripts, no forms, no requests, wherever it is opened.
"""

import asyncio
import re
from typing import Any, Literal, get_args

from litestar import Request, Response

from gossamer.api.reach import CrawlReach
from gossamer.api.refusal import RequestRefused, unknown
from gossamer.assemble import open_graph
from gossamer.errors import TookTooLong, UsageError
from gossamer.jobs.captures import (
    Capture,
    FoundPage,
    NothingKept,
    packed_of,
    read_capture,
    text_of,
    version_of,
)
from gossamer.jobs.operations.links import page_links
from gossamer.jobs.shelves import LONGEST, OpenShelves
from gossamer.records.versions import Version

Part = Literal["raw", "text", "html", "head", "warc"]
PARTS: tuple[Part, ...] = get_args(Part)
SANDBOX = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
MARKUP = ("text/html", "application/xhtml+xml")
KEPT_FOR_GOOD = "private, max-age=31536000, immutable"
LOOKED_FOR: dict[str, Part] = {"text/html": "html", "text/plain": "text", "application/warc": "warc"}
_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")
_MIME = re.compile(r"[a-z0-9!#$&^_.+-]{1,60}/[a-z0-9!#$&^_.+-]{1,60}")


def wanted_by(accept: str) -> Part | None:
    """Return the form that an Accept header names first; None: it wants what is known about the page."""
    weighed = []
    for number, one in enumerate(accept[:1_000].split(",")):
        mime, *parameters = [part.strip().lower() for part in one.split(";")]
        weight = next((part[2:] for part in parameters if part.startswith("q=")), "1")
        if re.fullmatch(r"[01](\.[0-9]{0,3})?", weight) and float(weight) > 0:
            weighed.append((-float(weight), number, mime))
    for _, _, mime in sorted(weighed):
        if mime in ("application/json", "application/*", "*/*"):
            return None
        if mime in LOOKED_FOR:
            return LOOKED_FOR[mime]
    return None


async def answer_content(
    request: Request[Any, Any, Any], reach: CrawlReach, found: FoundPage, part: Part, which: str
) -> Response[Any]:
    """Answer with a version of a page in some form."""
    try:
        version = version_of(found, which)
    except NothingKept as error:
        raise RequestRefused(404, "nothing-kept", str(error)) from None
    tag = f'"{version.digest or version.place.offset}-{version.captured_at:.0f}-{part}"'
    headers = {"ETag": tag, "X-Content-Type-Options": "nosniff", "Vary": "Accept"}
    headers["Cache-Control"] = KEPT_FOR_GOOD if which else "private, no-cache"
    if tag in [one.strip() for one in request.headers.get("if-none-match", "").split(",")]:
        return Response(None, status_code=304, headers=headers)
    nothing: tuple[bytes | None, str] = (None, "")
    body, mime = await reach.shelves.read(lambda shelves: _made(shelves, found, version, part), nothing)
    if body is None:
        raise unknown(f"{found.page.url} has no {part}: it is {mime or 'of no known type'}")
    if part == "html":
        headers["Content-Security-Policy"] = SANDBOX
        headers["Referrer-Policy"] = "no-referrer"
    if part in ("raw", "warc"):
        ending = {"raw": "bin", "warc": "warc.gz"}[part]
        headers["Content-Disposition"] = f'attachment; filename="{found_name(version)}.{ending}"'
        headers["Accept-Ranges"] = "bytes"
        return _ranged(request, body, mime, headers, tag)
    return Response(body, headers={**headers, "Content-Type": mime})


def part_named(text: str) -> Part:
    """Return a form by its name."""
    for part in PARTS:
        if part == text:
            return part
    raise unknown(f"there is no form {text[:40]!r} of a page; there are: {', '.join(PARTS)}")


def found_name(version: Version) -> str:
    """Return a file name that nothing in a page's URL can spoil."""
    return f"{version.digest.partition(':')[2][:16].lower() or 'page'}-{version.captured_at:.0f}"


async def _made(shelves: OpenShelves, found: FoundPage, version: Version, part: Part) -> tuple[bytes | None, str]:
    """Return a version in some form, and its type; None: its type has no such form."""
    if part == "warc":
        return await packed_of(shelves, version), "application/warc"
    capture = await read_capture(shelves, version)
    if part == "head":
        return capture.head.decode("latin-1").encode(), "text/plain; charset=utf-8"
    if part == "text":
        text = await text_of(shelves, found.page.url, capture)
        return None if text is None else text.encode("utf-8", "replace"), _text_type(capture, text)
    if part == "html":
        return (capture.content, _typed(capture)) if capture.mime in MARKUP else (None, capture.mime)
    return capture.content, _typed(capture)


def _text_type(capture: Capture, text: str | None) -> str:
    return capture.mime if text is None else "text/plain; charset=utf-8"


def _typed(capture: Capture) -> str:
    mime = capture.mime if _MIME.fullmatch(capture.mime) else "application/octet-stream"
    return f"{mime}; charset={capture.charset}" if capture.charset and mime.startswith("text/") else mime


def _ranged(request: Request[Any, Any, Any], body: bytes, mime: str, headers: dict[str, str], tag: str) -> Response[bytes]:
    """Answer with the part of a body that is asked for; one range, or all of it."""
    wanted = _RANGE.fullmatch(request.headers.get("range", "").replace(" ", ""))
    stale = request.headers.get("if-range", tag) != tag
    if wanted is None or stale or wanted.group() == "bytes=-":
        return Response(body, headers={**headers, "Content-Type": mime})
    first, last = wanted.groups()
    start = int(first) if first else max(len(body) - int(last), 0)
    end = min(int(last), len(body) - 1) if first and last else len(body) - 1
    if start >= len(body) or end < start:
        raise RequestRefused(416, "range", f"there are {len(body):,} bytes", {"Content-Range": f"bytes */{len(body)}"})
    headers["Content-Range"] = f"bytes {start}-{end}/{len(body)}"
    return Response(body[start : end + 1], status_code=206, headers={**headers, "Content-Type": mime})


async def links_of(reach: CrawlReach, number: int, direction: str, limit: int, cursor: str) -> dict[str, Any]:
    """Read links from the graph's files, on a thread of their own: to look for those that lead to a page may take seconds."""
    settings = await asyncio.to_thread(reach.directory.settings)
    if not settings.storage.graph:
        raise UsageError(f"{reach.job} keeps no link graph; crawl with storage.graph set to keep one")
    loop = asyncio.get_running_loop()

    async def names(fingerprints: list[int]) -> Any:
        asked = asyncio.run_coroutine_threadsafe(reach.ask("standings", fingerprints=fingerprints), loop)
        return await asyncio.wrap_future(asked)

    async def read() -> dict[str, Any]:
        async with open_graph(reach.directory.path, settings) as graph:
            return await page_links(graph, names, number, direction, limit, cursor)

    try:
        async with asyncio.timeout(LONGEST + 1):
            return await asyncio.to_thread(asyncio.run, read())
    except TimeoutError:
        raise TookTooLong(f"looking for links took longer than {LONGEST:g} s; ask again, or use `gossamer graph`") from None
