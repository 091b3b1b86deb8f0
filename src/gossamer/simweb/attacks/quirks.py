"""Bad servers that mean well: replies that no standard allows and every browser shows, and the one that none does.

What can be read is kept, marked where its body is cut, and read: each page leads to another one that must be found.
"""

from gossamer.simweb.attacks.attack import Attack, ExpectedEnd, page, routing, saying, whole

_MARK = "00"  # where each server has its number, so that no two pages are the same
_PAGE = page("/next", title=f"server {_MARK}")
_LENGTH = b"Content-Length: %d\r\n" % len(_PAGE)
_TYPE = b"Content-Type: text/html\r\n"
_OK = b"HTTP/1.1 200 OK\r\n" + _TYPE
_CHUNK = b"%x\r\n%s\r\n" % (len(_PAGE), _PAGE)
_READ: dict[str, tuple[bytes, str]] = {
    "two-equal-lengths": (_OK + _LENGTH * 2 + b"\r\n" + _PAGE, ""),
    "list-of-lengths": (_OK + b"Content-Length: %d, %d\r\n\r\n" % (len(_PAGE), len(_PAGE)) + _PAGE, ""),
    "no-reason": (b"HTTP/1.1 200\r\n" + _TYPE + _LENGTH + b"\r\n" + _PAGE, ""),
    "bare-line-feeds": ((_OK + _LENGTH + b"\r\n").replace(b"\r\n", b"\n") + _PAGE, ""),
    "line-without-colon": (_OK + b"this is no header\r\n" + _LENGTH + b"\r\n" + _PAGE, ""),
    "line-without-colon-chunked": (_OK + b"nor is this\r\nTransfer-Encoding: chunked\r\n\r\n" + _CHUNK + b"0\r\n\r\n", ""),
    "line-without-colon-cut": (_OK + b"nor is this\r\nContent-Length: 99999\r\n\r\n" + _PAGE, "disconnect"),
    "line-without-name": (_OK + b": no name\r\n" + _LENGTH + b"\r\n" + _PAGE, ""),
    "blank-before-colon": (_OK + _LENGTH.replace(b":", b" :") + b"\r\n" + _PAGE, ""),
    "folded-header": (_OK + b"X-Folded: a\r\n  b\r\n" + _LENGTH + b"\r\n" + _PAGE, ""),
    "lower-case-version": (b"http/1.1 200 ok\r\n" + _TYPE + _LENGTH + b"\r\n" + _PAGE, ""),
    "no-headers": (b"HTTP/1.1 200 OK\r\n\r\n" + _PAGE, ""),
    "http-1-0": (b"HTTP/1.0 200 OK\r\n" + _TYPE + _LENGTH + b"\r\n" + _PAGE, ""),
    "http-1-0-without-length": (b"HTTP/1.0 200 OK\r\n" + _TYPE + b"\r\n" + _PAGE, ""),
    "http-1-0-chunked": (b"HTTP/1.0 200 OK\r\n" + _TYPE + b"Transfer-Encoding: chunked\r\n\r\n" + _CHUNK + b"0\r\n\r\n", ""),
    "chunked-without-end": (_OK + b"Transfer-Encoding: chunked\r\n\r\n" + _CHUNK, "disconnect"),
    "chunked-with-length": (_OK + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + _CHUNK + b"0\r\n\r\n", ""),
    "chunked-by-line-feeds": (
        _OK + b"Transfer-Encoding: chunked\r\n\r\n" + (_CHUNK + b"0\r\n\r\n").replace(b"\r\n", b"\n"),
        "",
    ),
    "length-too-long-by-far": (_OK + b"Content-Length: 99999\r\n\r\n" + _PAGE, "disconnect"),
    "length-too-short-by-two": (_OK + b"Content-Length: %d\r\n\r\n" % (len(_PAGE) - 2) + _PAGE, ""),
}


def attacks() -> list[Attack]:
    """List the bad servers."""
    read = [_bad_server(name, raw, _READ[name][1]) for name, raw in replies().items()]
    return [*read, Attack("http-0-9", saying(_PAGE, close=True), (ExpectedEnd("/", "protocol_error", status=0),))]


def _bad_server(name: str, raw: bytes, truncated: str) -> Attack:
    plain = whole(page(title=f"behind {name}"))
    return Attack(
        name,
        routing({"/": saying(raw, close=True), "/next": plain}),
        (ExpectedEnd("/", truncated=truncated), ExpectedEnd("/next")),
    )


def replies() -> dict[str, bytes]:
    """Return the exact bytes that each bad server says at its root."""
    mark = f"server {_MARK}"
    return {
        name: raw.replace(mark.encode(), f"server {number:02d}".encode())
        for number, (name, (raw, _)) in enumerate(_READ.items())
    }
