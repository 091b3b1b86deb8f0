"""Reads the head of an HTTP request, as much of RFC 9112 as a crawler uses, and refuses everything else.

A request with a body is refused: nothing in the synthetic web takes one, and not reading it would confuse what follows.
"""

from typing import NamedTuple


class Malformed(Exception):
    """The bytes are no request that can be answered."""


class RequestHead(NamedTuple):
    """What the server needs of a request."""

    method: str
    host: str  # in lower case, without port
    path: str  # with its query
    close: bool  # the client wants no further answer on this connection
    codings: str  # the value of Accept-Encoding
    if_none_match: str = ""
    if_modified_since: str = ""
    cookie: str = ""

    @property
    def conditional(self) -> bool:
        """Whether the client would rather hear that nothing has changed."""
        return bool(self.if_none_match or self.if_modified_since)


def read_head(head: bytes) -> RequestHead:
    """Read a request head without its final blank line; raise Malformed if it is none."""
    lines = head.decode("latin-1").split("\r\n")
    request_line = lines[0].split(" ")
    if len(request_line) != 3 or not request_line[0].isalpha():
        raise Malformed(f"{lines[0][:80]!r} is no request line")
    method, path, version = request_line
    if version != "HTTP/1.1" or not path.startswith("/") or not path.isprintable():
        raise Malformed(f"{lines[0][:80]!r} is no request line of HTTP/1.1 with a path")
    told = dict.fromkeys(("host", "connection", "accept-encoding", "if-none-match", "if-modified-since", "cookie"), "")
    for line in lines[1:]:
        name, colon, value = line.partition(":")
        name = name.lower()
        if not colon or not name or not name.isascii() or name != name.strip() or "\n" in line or "\0" in line:
            raise Malformed(f"{line[:80]!r} is no header")
        if name in told:
            told[name] = value.strip()
        elif name == "transfer-encoding" or (name == "content-length" and value.strip() != "0"):
            raise Malformed("a request with a body is not taken")
    host, connection, *others = told.values()
    if not host:
        raise Malformed("the host is missing")
    return RequestHead(method, host.partition(":")[0].lower(), path, connection.lower() == "close", *others)
