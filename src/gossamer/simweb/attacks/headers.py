"""Headers: too long, too many, cut in odd places, with characters that have no business there, and with cookies in heaps."""

from gossamer.simweb.attacks.attack import Attack, ExpectedEnd, page, routing, saying, whole

_OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
_BODY = b"\r\n<p>hello"
_REFUSED = {
    "header-huge": _OK + b"X-Huge: " + b"y" * 1_000_000 + b"\r\n" + _BODY,
    "header-many": _OK + b"X-Many: y\r\n" * 20_000 + _BODY,
    "header-large": _OK + (b"X-Large: " + b"y" * 20_000 + b"\r\n") * 4 + _BODY,
    "header-zero": _OK + b"X-Zero: a\0b\r\n" + _BODY,
    "header-lengths": _OK + b"Content-Length: 5\r\nContent-Length: 6\r\n" + _BODY,
    "header-negative": _OK + b"Content-Length: -5\r\n" + _BODY,
    "header-locations": b"HTTP/1.1 302 Found\r\nLocation: /a\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n",
    "header-status": b"HTTP/1.1 abc OK\r\n" + _BODY,
}
_READ = {
    "header-control": _OK + b"X-Control: \x01\x1b[31m\x7f\r\nServer: \x1b]0;owned\x07\r\n" + _BODY,
    "header-bytes": _OK + b"X-Bytes: " + bytes(range(128, 256)) + b"\r\n" + _BODY,
    "header-type": b"HTTP/1.1 200 OK\r\nContent-Type: \x1b/\xff; charset=\x1b\xff; charset=../../x\r\n" + _BODY,
    "header-forged": _OK
    + b"WARC-Type: response\r\nX-Forged: WARC/1.1 \\r\\n\r\n\r\nWARC/1.1\r\nWARC-Type: response\r\n"
    + _BODY,
}


def attacks() -> list[Attack]:
    """List the attacks of this family."""
    refused = [
        Attack(name, saying(raw, close=True), (ExpectedEnd("/", "protocol_error", status=0),)) for name, raw in _REFUSED.items()
    ]
    read = [Attack(name, saying(raw + name.encode(), close=True), (ExpectedEnd("/"),)) for name, raw in _READ.items()]
    return [*refused, *read, _cookies()]


def _cookies() -> Attack:
    """Set as many cookies as a head may hold; one that came back would end the next page as a server error."""
    cookies = [f"Set-Cookie: c{number}={'y' * 900}; Path=/; Domain=attack.sim" for number in range(60)]
    bodies = {path: whole(page("/next", "/last", title=path), *cookies) for path in ("/", "/next", "/last")}
    return Attack("cookies", routing(dict(bodies)), (ExpectedEnd("/"), ExpectedEnd("/next"), ExpectedEnd("/last")))
