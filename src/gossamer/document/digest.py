"""The payload digest: what makes two answers the same.

SHA-1 in base32, as WARC files write it, of the payload: the body with its transfer coding removed and its content coding
kept. How a server cut its answer into chunks is an accident of that minute; the payload is what it said.
See docs/decisions/0002-payload-digest.md. RFC 9110 section 6.4 calls it the content of the message.
"""

import hashlib

from gossamer.document.body import Body
from gossamer.document.decode import chunks, dechunk


def payload_digest(body: Body, chunked: bool) -> str:
    """Return "sha1:" and the base32 digest of the payload of a body as it came."""
    if body.in_memory:
        content = body.read()
        return digest_text(hashlib.sha1(dechunk(content) if chunked else content))
    hasher = hashlib.sha1()
    if not chunked:
        for piece in body.pieces():
            hasher.update(piece)
        return digest_text(hasher)
    with body.whole() as raw, memoryview(raw) as view:
        for start, end in chunks(raw):
            hasher.update(view[start:end])
    return digest_text(hasher)


# Base32 by ten bits at a time: a third of what `base64.b32encode` takes, three times a page.
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_PAIRS = [first + second for first in _LETTERS for second in _LETTERS]
_SHIFTS = range(150, -10, -10)


def digest_text(hasher: "hashlib._Hash") -> str:
    """Spell a SHA-1 the way WARC headers and the catalog do."""
    bits = int.from_bytes(hasher.digest(), "big")
    return "sha1:" + "".join([_PAIRS[bits >> shift & 1023] for shift in _SHIFTS])
