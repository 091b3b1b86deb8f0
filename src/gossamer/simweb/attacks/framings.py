"""Framings that no two readers need read alike, as data: what is said, and what an honest reader makes of it.

Each is said at the root of a host. One that leaves the connection open may be followed by words that nobody asked for: they
are no answer to anything. What can be read is read; of the rest the page fails.
"""

from dataclasses import dataclass

from gossamer.simweb.attacks.attack import page

BEHIND = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\nFAKE"  # an answer to no request


@dataclass(frozen=True, slots=True)
class Framing:
    """One answer, and what must come of it."""

    name: str
    said: bytes
    payload: bytes | None  # what is kept of it, transfer coding included; None: the page fails as a protocol error
    closes: bool = False  # the connection, behind it
    truncated: str = ""  # WARC's word for why the payload is not whole


_OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
_TYPE = b"Content-Type: text/html\r\n"
_CODED = b"Transfer-Encoding: chunked\r\n"
_SIZE = 160  # bytes of every page, so that its length can stand in a table
_LENGTH = b"Content-Length: %d\r\n" % _SIZE
_LAST = b"0\r\n\r\n"

# Heads before a page of _SIZE bytes; the connection stays open behind it.
_BEFORE_A_PAGE = {
    "length": _OK + _LENGTH,
    "length-twice": _OK + _LENGTH * 2,
    "length-listed-twice": _OK + b"Content-Length: %d, %d\r\n" % (_SIZE, _SIZE),
    "length-with-zeros": _OK + b"Content-Length: 000%d\r\n" % _SIZE,
    "length-and-blanks": _OK + b"Content-Length:\t %d \t\r\n" % _SIZE,
    "length-blank-before-colon": _OK + b"Content-Length : %d\r\n" % _SIZE,
    "length-tab-before-colon": _OK + b"Content-Length\t: %d\r\n" % _SIZE,
    "length-folded": _OK + b"Content-Length:\r\n %d\r\n" % _SIZE,
    "length-in-mixed-case": _OK + _LENGTH.swapcase(),
    "length-behind-a-fold": _OK + b"X: y\r\n" + b" " + _LENGTH + _LENGTH,
    "length-in-the-first-line-folded": b"HTTP/1.1 200 OK\r\n Content-Length: 5\r\n" + _TYPE + _LENGTH,
    "length-by-line-feeds": (_OK + _LENGTH).replace(b"\r\n", b"\n"),
    "length-in-a-last-line-of-its-own-kind": _OK + _LENGTH.replace(b"\r\n", b"\n"),
    "close-that-stays-open": _OK + b"Connection: close\r\n" + _LENGTH,
    "keep-alive-and-close": _OK + b"Connection: keep-alive, close\r\n" + _LENGTH,
    "http-1-0": b"HTTP/1.0 200 OK\r\n" + _TYPE + _LENGTH,
    "http-1-0-keep-alive": b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n" + _TYPE + _LENGTH,
    "version-in-lower-case": b"http/1.1 200 ok\r\n" + _TYPE + _LENGTH,
    "version-2": b"HTTP/2 200\r\n" + _TYPE + _LENGTH,
    "no-reason": b"HTTP/1.1 200\r\n" + _TYPE + _LENGTH,
    "line-without-colon": _OK + b"this is no header\r\n" + _LENGTH,
    "line-without-name": _OK + b": no name\r\n" + _LENGTH,
    "name-with-a-blank": _OK + b"X y: z\r\n" + _LENGTH,
    "text-beyond-ascii": _OK + b"X-Title: caf\xe9\r\n" + _LENGTH,
    "interim-with-a-length": b"HTTP/1.1 100 Continue\r\nContent-Length: 5\r\n\r\n" + _OK + _LENGTH,
    "interim-in-chunks": b"HTTP/1.1 103 Early Hints\r\n" + _CODED + b"\r\n" + _OK + _LENGTH,
    "ten-interims": b"HTTP/1.1 103 Early Hints\r\n\r\n" * 10 + _OK + _LENGTH,
}

# Heads before the same page in one chunk and the last chunk; the connection stays open behind it.
_BEFORE_CHUNKS = {
    "chunked": _OK + _CODED,
    "chunked-in-mixed-case": _OK + _CODED.swapcase(),
    "chunked-beside-length": _OK + b"Content-Length: 5\r\n" + _CODED,
    "chunked-before-length": _OK + _CODED + _LENGTH,
    "chunked-then-gzip": _OK + b"Transfer-Encoding: chunked, gzip\r\n",
    "gzip-then-chunked": _OK + b"Transfer-Encoding: gzip, chunked\r\n",
    "chunked-twice": _OK + _CODED * 2,
    "chunked-listed-twice": _OK + b"Transfer-Encoding: chunked, chunked\r\n",
    "chunked-and-identity": _OK + _CODED + b"Transfer-Encoding: identity\r\n",
    "identity-and-chunked": _OK + b"Transfer-Encoding: identity\r\n" + _CODED,
    "chunked-blank-before-colon": _OK + b"Transfer-Encoding : chunked\r\n",
    "chunked-folded": _OK + b"Transfer-Encoding:\r\n chunked\r\n",
    "chunked-behind-a-vertical-tab": _OK + b"Transfer-Encoding: \x0bchunked\r\n",
    "chunked-behind-a-comma": _OK + b"Transfer-Encoding: ,chunked\r\n",
    "chunked-by-line-feeds": (_OK + _CODED).replace(b"\r\n", b"\n"),
    "chunked-http-1-0": b"HTTP/1.0 200 OK\r\n" + _TYPE + _CODED,
    "chunked-http-1-0-keep-alive": b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n" + _TYPE + _CODED,
    "chunked-http-1-0-both": b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n" + _TYPE + _LENGTH + _CODED,
    "chunked-line-without-colon": _OK + b"nor is this\r\n" + _CODED,
}

# Chunked bodies, as they are said around a page; the connection stays open behind them.
_CHUNKS = {
    "chunks-by-line-feeds": b"%x\n%s\n0\n\n",
    "chunks-by-both": b"%x\r\n%s\n0\r\n\n",
    "chunk-with-extension": b"%x;a=b\r\n%s\r\n0\r\n\r\n",
    "chunk-with-blanks": b"%x  \r\n%s\r\n0\r\n\r\n",
    "chunk-with-zeros": b"0000%x\r\n%s\r\n0000\r\n\r\n",
    "chunk-with-rubbish": b"%x!!\r\n%s\r\n0\r\n\r\n",
    "chunks-and-trailers": b"%x\r\n%s\r\n0\r\nX-Late: y\r\n\r\n",
    "chunks-and-a-length-behind": b"%x\r\n%s\r\n0\r\nContent-Length: 5\r\n\r\n",
}

# Lengths that are none, or more than one: nobody can tell where the page ends.
_NO_LENGTHS = {
    "lengths-disagree": b"Content-Length: 5\r\n" + _LENGTH,
    "lengths-disagree-in-a-list": b"Content-Length: 5, %d\r\n" % _SIZE,
    "length-negative": b"Content-Length: -5\r\n",
    "length-with-a-plus": b"Content-Length: +%d\r\n" % _SIZE,
    "length-in-hex": b"Content-Length: 0xa0\r\n",
    "length-with-a-point": b"Content-Length: %d.0\r\n" % _SIZE,
    "length-in-words": b"Content-Length: many\r\n",
    "length-empty": b"Content-Length:\r\n",
    "length-folded-in-two": b"Content-Length: 1\r\n 60\r\n",
    "length-of-two-numbers": b"Content-Length: 5 5\r\n",
    "length-beyond-ascii": b"Content-Length: \xb2\r\n",
    "length-with-a-zero-byte": b"Content-Length: 160\0\r\n",
    "length-with-a-bare-return": b"Content-Length: 1\r60\r\n",
}


def framings(mark: str = "") -> list[Framing]:
    """List them all; `mark` is in every page, so that those of another list are others."""
    return [
        *_open(mark),
        *_ending(mark),
        *(Framing(name, _OK + head + b"\r\n" + _page(name, mark), None) for name, head in _NO_LENGTHS.items()),
    ]


def _page(name: str, mark: str) -> bytes:
    text = page("/next", title=f"{name} {mark}")
    assert len(text) <= _SIZE
    return text + b" " * (_SIZE - len(text))


def _in_a_chunk(name: str, mark: str) -> bytes:
    return b"%x\r\n%s\r\n" % (_SIZE, _page(name, mark)) + _LAST


def _open(mark: str) -> list[Framing]:
    """List those behind which the connection stays open."""
    listed = []
    for name, head in _BEFORE_A_PAGE.items():
        end = b"\n" if head.endswith(b"\n") and b"\r" not in head else b"\r\n"
        listed.append(Framing(name, head + end + _page(name, mark), _page(name, mark)))
    for name, head in _BEFORE_CHUNKS.items():
        end = b"\n" if b"\r" not in head else b"\r\n"
        listed.append(Framing(name, head + end + _in_a_chunk(name, mark), _in_a_chunk(name, mark)))
    for name, form in _CHUNKS.items():
        body = form % (_SIZE, _page(name, mark))
        listed.append(Framing(name, _OK + _CODED + b"\r\n" + body, body))
    short, behind = "more-than-its-length", "answer-behind-its-length"
    late, after = "more-than-its-chunks", "answer-behind-its-chunks"
    listed.append(Framing(short, _OK + _LENGTH + b"\r\n" + _page(short, mark) + b"\r\n\r\n", _page(short, mark)))
    listed.append(Framing(behind, _OK + _LENGTH + b"\r\n" + _page(behind, mark) + BEHIND, _page(behind, mark)))
    listed.append(Framing(late, _OK + _CODED + b"\r\n" + _in_a_chunk(late, mark) + b"\r\n", _in_a_chunk(late, mark)))
    listed.append(Framing(after, _OK + _CODED + b"\r\n" + _in_a_chunk(after, mark) + BEHIND, _in_a_chunk(after, mark)))
    return listed


def _ending(mark: str) -> list[Framing]:
    """List those whose end is the end of the connection."""
    whole = {
        "until-close": b"",
        "length-beyond-numbers": b"Content-Length: 99999999999999999999999\r\n",
        "coding-quoted": b'Transfer-Encoding: "chunked"\r\n',
        "coding-like-chunked": b"Transfer-Encoding: xchunked\r\n",
        "coding-with-a-parameter": b"Transfer-Encoding: chunked;q=1\r\n",
        "coding-unknown-beside-length": b"Transfer-Encoding: foo\r\nContent-Length: 5\r\n",
    }
    listed = [
        Framing(name, _OK + head + b"\r\n" + _page(name, mark), _page(name, mark), closes=True) for name, head in whole.items()
    ]
    cut = "length-too-long"
    listed.append(Framing(cut, _OK + b"Content-Length: 5000\r\n\r\n" + _page(cut, mark), _page(cut, mark), True, "disconnect"))
    broken = {
        "chunks-without-end": (b"%x\r\n%s\r\n", "disconnect"),
        "chunks-that-are-none": (b"<!-- %x -->%s", "unspecified"),
        "chunk-negative": (b"-%x\r\n%s\r\n0\r\n\r\n", "unspecified"),
        "chunk-too-large": (b"fffffffffffffffff%x\r\n%s\r\n0\r\n\r\n", "unspecified"),
        "chunk-longer-than-said": (b"%x\r\n%s and more\r\n0\r\n\r\n", "unspecified"),
    }
    for name, (form, word) in broken.items():
        body = form % (_SIZE, _page(name, mark))
        listed.append(Framing(name, _OK + _CODED + b"\r\n" + body, body, closes=True, truncated=word))
    return listed
