"""One request, and what came back, exactly as it was on the wire."""

from collections.abc import Awaitable, Callable

from msgspec import Struct

from gossamer.document.body import Body
from gossamer.records.access import Proxy, Secret
from gossamer.records.outcome import Outcome


class Request(Struct, frozen=True, kw_only=True):
    """One request to send."""

    url: str
    user_agent: str
    headers: tuple[tuple[str, str], ...] = ()
    secrets: tuple[tuple[str, Secret], ...] = ()  # headers that are sent, and shown to nobody
    certificate: tuple[str, str] | None = None  # files of a client certificate and its key
    proxy: Proxy | None = None
    insecure: bool = False
    max_body: int | None = None  # None: the configuration's
    pages: frozenset[str] | None = None  # MIME types with the limits of a page, any other has those of a file; None: all
    until: float | None = None  # it may not leave after this: the turn belongs to somebody else then
    turn: Callable[[], Awaitable[str]] | None = None  # awaited when it could leave; then it does at once, unless told why not


class Fetched(Struct, frozen=True, kw_only=True):
    """An answer exactly as it was on the wire, or why there is none; OK: an answer to keep, with any status, maybe cut."""

    url: str
    outcome: Outcome
    detail: str = ""
    status: int = 0
    request_head: bytes = b""  # as it was sent, but for secrets, in whose place a mark stands
    response_head: bytes = b""  # status line and headers with the final blank line
    headers: tuple[tuple[str, str], ...] = ()  # names in lower case
    body: Body  # after the head, transfer coding included
    chunked: bool = False  # the body carries chunked transfer coding
    truncated: str = ""  # WARC's words: length, time, disconnect, unspecified
    address: str = ""  # that was asked, or may not be (`address_refused`)
    started: float = 0.0
    answered: float = 0.0  # first byte, or the end of waiting for it
    ended: float = 0.0
    sent: bool = True  # False: no request left this machine (DNS failed, address refused)
    unanswered: bool = False  # the request left on a kept connection, and not one byte came back

    def header(self, name: str) -> str:
        """Return the first header of that lower-case name, or an empty text."""
        for known, value in self.headers:  # asked ten times a page: a generator would take twice as long
            if known == name:
                return value
        return ""

    def all_headers(self, name: str) -> list[str]:
        """Return every header of that lower-case name."""
        return [value for known, value in self.headers if known == name]
