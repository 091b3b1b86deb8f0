"""Endlessness: heads and bodies that never stop, as fast as they are read."""

from gossamer.simweb.attacks.attack import Attack, ExpectedEnd, head, repeating

_PIECE = 64 * 1024
_HTML = (b"<p>endless <b>words</b> of <i>no</i> use</p>\n" * _PIECE)[:_PIECE]


def attacks() -> list[Attack]:
    """List the attacks of this family."""
    cut = (ExpectedEnd("/", truncated="length"),)
    refused = (ExpectedEnd("/", "protocol_error", status=0),)
    plain, binary, chunked = "text/plain", "application/octet-stream", "Transfer-Encoding: chunked"
    chunk = b"%x\r\n%s\r\n" % (_PIECE, _text("chunks"))
    return [
        Attack("endless-body", repeating(head("Connection: close", mime=plain), _text("body")), cut),
        Attack("endless-page", repeating(head("Connection: close"), _HTML), cut),
        Attack("endless-length", repeating(head("Content-Length: 999999999999", mime=plain), _text("length")), cut),
        Attack("endless-chunks", repeating(head(chunked, mime=plain), chunk), cut),
        Attack("endless-chunk", repeating(head(chunked, mime=plain) + b"fffffffffffff\r\n", _text("chunk")), cut),
        Attack("endless-file", repeating(head("Connection: close", mime=binary), _noise("file")), cut),
        Attack("endless-crumbs", repeating(head(chunked, mime=binary), b"1\r\n\0\r\n" * 10_000), cut),
        Attack("endless-head", repeating(b"HTTP/1.1 200 OK\r\n", b"X-Endless: y\r\n" * 4096), refused),
        Attack("endless-line", repeating(b"HTTP/1.1 200 OK\r\nX-Endless: ", b"y" * _PIECE), refused),
        Attack("endless-reason", repeating(b"HTTP/1.1 200 ", b"O" * _PIECE), refused),
        Attack("endless-interim", repeating(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 1024), refused),
    ]


def _noise(name: str) -> bytes:
    """Return what is no text, and takes little room when it is compressed."""
    return b"\0" + _text(name)[1:]


def _text(name: str) -> bytes:
    return (f"endless {name} of no use " * _PIECE).encode()[:_PIECE]
