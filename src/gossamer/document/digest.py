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


# Base32 in five steps: each moves half of the groups of five bits up, until every group stands in a byte of its own. It takes a
# sixth of what `base64.b32encode` does, three times a page.
_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".ljust(256)
_LOWER = {
    groups: sum((1 << 5 * groups) - 1 << 16 * groups * lane for lane in range(16 // groups)) for groups in (16, 8, 4, 2, 1)
}
_STEPS = [(3 * groups, mask << 8 * groups, mask) for groups, mask in _LOWER.items()]


def digest_text(hasher: "hashlib._Hash") -> str:
    """Spell a SHA-1 the way WARC headers and the catalog do."""
    bits = int.from_bytes(hasher.digest(), "big")
    for shift, upper, lower in _STEPS:
        bits = bits << shift & upper | bits & lower
    return "sha1:" + bits.to_bytes(32, "big").translate(_LETTERS).decode()
