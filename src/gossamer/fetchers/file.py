"""Files of this machine: file: URLs, so that a tree of files can be crawled and kept like a site.

A file has no HTTP head, and an archive wants one: both heads are synthesised, as a plain server would write them. A missing
file is a 404, one that may not be read (or is a device, a pipe, a socket) a 403, a directory named without its slash a
redirect, and a directory a page of links to what is in it. Links of the file system that lead to directories are left out of
that page, so that every tree has an end. A type is named only when the file's name tells it.

A URL that names another machine is not ours to open. Files are read in a thread: a slow disk does not stop the crawl.
"""

import asyncio
import errno
import os
import stat
from collections.abc import Callable
from email.utils import formatdate
from html import escape
from mimetypes import guess_type
from urllib.parse import quote, unquote_to_bytes, urlsplit

from gossamer.clock import Clock
from gossamer.config.sections import Fetch
from gossamer.document.body import Body
from gossamer.document.reading import type_of
from gossamer.fetchers.failure import spool_error
from gossamer.joints.resolver import Resolver
from gossamer.records.fetch import Fetched, Request
from gossamer.records.outcome import Outcome

_PIECE = 256 * 1024
_REASONS = {200: "OK", 301: "Moved Permanently", 403: "Forbidden", 404: "Not Found"}
_MISSING = {errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP}
_SAFE = "!$&'()*+,;=:@~"  # what a segment of a path may hold as it is

Headers = list[tuple[str, str]]
Room = Callable[[Body, str], int]


class FileFetcher:
    """Reads files. Built like every fetcher; it needs neither resolver nor guard."""

    def __init__(self, settings: Fetch, resolver: Resolver, guard: Callable[[str], str], clock: Clock) -> None:
        self._settings = settings
        self._clock = clock

    async def fetch(self, request: Request) -> Fetched:
        """Read what a file: URL names."""
        started = self._clock.now()
        parts = urlsplit(request.url)
        if parts.netloc not in ("", "localhost"):
            return self._elsewhere(request, started)
        body = Body(self._settings.spool)
        try:
            status, headers, truncated = await asyncio.to_thread(_answer, parts.path or "/", body, self._room(request))
        except BaseException:
            body.close()
            raise
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
        now = self._clock.now()
        return Fetched(
            url=request.url,
            outcome=Outcome.OK,
            status=status,
            request_head=f"GET {parts.path or '/'} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode(),
            response_head=f"HTTP/1.1 {status} {_REASONS[status]}\r\n{lines}\r\n".encode(),
            headers=tuple((name.lower(), value) for name, value in headers),
            body=body,
            truncated=truncated,
            started=started,
            answered=now,
            ended=now,
        )

    async def aclose(self) -> None:
        """Do nothing: nothing is held open."""

    def _room(self, request: Request) -> Room:
        """Say how many bytes of a file are read, by its beginning and what it is said to be."""
        page = self._settings.max_body if request.max_body is None else request.max_body
        pages = request.pages if request.max_body is None else None

        def room(body: Body, mime: str) -> int:
            if pages is None or type_of(body, chunked=False, encoding="", content_type=mime, url=request.url) in pages:
                return page
            return max(page, self._settings.max_file)

        return room

    def _elsewhere(self, request: Request, now: float) -> Fetched:
        return Fetched(
            url=request.url,
            outcome=Outcome.UNSUPPORTED,
            detail="the URL names a file of another machine; only files of this one are read",
            body=Body(),
            started=now,
            answered=now,
            ended=now,
            sent=False,
        )


def _answer(path: str, body: Body, room: Room) -> tuple[int, Headers, str]:
    """Answer like a plain server: status, headers, and WARC's word when not all of the file is in the body."""
    name = unquote_to_bytes(path)
    try:
        found = os.stat(name)
        if stat.S_ISDIR(found.st_mode):
            if not path.endswith("/"):
                return 301, [("Location", path + "/"), ("Content-Length", "0")], ""
            return _listing(name, body, room)
        if stat.S_ISREG(found.st_mode) and not path.endswith("/"):
            return _file(name, body, room)
    except ValueError:  # a zero byte in the name
        return _problem(404, body)
    except OSError as error:
        return _problem(404 if error.errno in _MISSING else 403, body)
    return _problem(403 if not path.endswith("/") else 404, body)


def _file(name: bytes, body: Body, room: Room) -> tuple[int, Headers, str]:
    mime, coding = guess_type(os.fsdecode(name))
    if coding:
        mime = f"application/{coding}"  # the file is what it is: a compressed one is no page with a content coding
    with open(name, "rb") as file:
        found = os.fstat(file.fileno())
        beginning = file.read(_PIECE)
        most = room(Body.of(beginning), mime or "")
        _write(body, beginning[:most])
        left = min(found.st_size, most) - body.size
        while left > 0 and (piece := file.read(min(left, _PIECE))):
            _write(body, piece)
            left -= len(piece)
    headers = [("Content-Type", mime)] if mime else []
    headers += [("Content-Length", str(found.st_size)), ("Last-Modified", formatdate(found.st_mtime, usegmt=True))]
    return 200, headers, "unspecified" if left > 0 else "length" if found.st_size > most else ""


def _listing(name: bytes, body: Body, room: Room) -> tuple[int, Headers, str]:
    """Write a page that links to everything in a directory that can be read as a document or a further directory."""
    with os.scandir(name) as entries:
        names = [entry.name + (b"/" if entry.is_dir() else b"") for entry in entries if _is_listed(entry)]
    links = "".join(f'<li><a href="./{_quoted(entry)}">{_readable(entry)}</a></li>\n' for entry in sorted(names))
    head = f'<!DOCTYPE html>\n<html><head><meta charset="utf-8"><title>{_readable(name)}</title></head>'
    content = f"{head}\n<body><ul>\n{links}</ul></body></html>\n".encode()
    most = room(Body.of(content), "text/html")
    _write(body, content[:most])
    headers = [("Content-Type", "text/html; charset=utf-8"), ("Content-Length", str(len(content)))]
    return 200, headers, "length" if len(content) > most else ""


def _is_listed(entry: os.DirEntry[bytes]) -> bool:
    return entry.is_file() or entry.is_dir(follow_symlinks=False)


def _quoted(name: bytes) -> str:
    return escape(quote(name, safe=_SAFE + "/"))


def _readable(name: bytes) -> str:
    return escape(name.decode(errors="replace"))


def _problem(status: int, body: Body) -> tuple[int, Headers, str]:
    content = f"{_REASONS[status]}\n".encode()
    _write(body, content)
    return status, [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(content)))], ""


def _write(body: Body, piece: bytes) -> None:
    try:
        body.write(piece)
    except OSError as error:
        raise spool_error(error) from error
