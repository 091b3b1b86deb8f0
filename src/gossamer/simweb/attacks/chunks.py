"""Chunked transfer coding that is broken in every way: sizes, ends, extensions and trailers."""

from gossamer.simweb.attacks.attack import Attack, ExpectedEnd, head, page, repeating, resetting, saying

_HEAD = head("Transfer-Encoding: chunked")


def attacks() -> list[Attack]:
    """List the attacks of this family."""
    return [
        *(_closing(name, after, "unspecified") for name, after in _UNCLEAR.items()),
        *(Attack(name, repeating(_begun(name) + first, again), _cut("length")) for name, (first, again) in _ENDLESS.items()),
        _closing("chunk-without-end", b"", "disconnect"),
        Attack("chunk-none", saying(_HEAD + page(title="chunk-none"), close=True), _cut("unspecified")),
        Attack("chunk-lost", saying(_HEAD + b"ffff\r\n" + page(title="chunk-lost"), close=True), _cut("disconnect")),
        Attack("chunk-reset", resetting(_HEAD + b"ffff\r\n" + page(title="chunk-reset")), _cut("disconnect")),
        Attack("chunk-tiny", saying(_HEAD + _crumbs(page(title="chunk-tiny") * 2000) + b"0\r\n\r\n"), (ExpectedEnd("/"),)),
    ]


_UNCLEAR = {
    "chunk-size-letters": b"zz\r\nmore",
    "chunk-size-negative": b"-5\r\nmore\r\n",
    "chunk-size-overflow": b"f" * 40 + b"\r\nmore",
    "chunk-size-zeros": b"0" * 1_000_000,
    "chunk-size-too-short": b"5\r\nmore than five\r\n0\r\n\r\n",
}
_ENDLESS = {
    "chunk-extension": (b"5;", b"x" * 65536),
    "chunk-trailers": (b"0\r\n", b"X-Trailer: y\r\n" * 4096),
}


def _begun(name: str) -> bytes:
    """Return a head and one good chunk."""
    content = page(title=name)
    return _HEAD + b"%x\r\n%s\r\n" % (len(content), content)


def _closing(name: str, after: bytes, truncated: str) -> Attack:
    return Attack(name, saying(_begun(name) + after, close=True), _cut(truncated))


def _cut(truncated: str) -> tuple[ExpectedEnd, ...]:
    return (ExpectedEnd("/", truncated=truncated),)


def _crumbs(content: bytes) -> bytes:
    """Cut into chunks of one byte."""
    return b"".join(b"1\r\n%c\r\n" % byte for byte in content)
