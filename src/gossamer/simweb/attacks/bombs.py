"""Bombs: a megabyte or less on the wire, a gigabyte when unpacked, in every coding and in layers.

They are put together from the repeating block that each format has for a run of equal bytes, so that making them costs no
gigabyte. Formats: RFC 1951 and 1952 (deflate, gzip), RFC 7932 (brotli), RFC 8878 (zstd).
"""

import gzip
import struct
import zlib

import brotlicffi

from gossamer.simweb.attacks.attack import Attack, ExpectedEnd, Voice, page, routing, saying, whole

SIZE = 1024 * 1024 * 1024
_BLOCK = 1024 * 1024
_RUN = b" " * _BLOCK
_ZSTD_BLOCK = 128 * 1024


def deflate_bomb() -> bytes:
    """Return a raw deflate stream of a gigabyte of blanks."""
    stream = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    block = stream.compress(_RUN) + stream.flush(zlib.Z_FULL_FLUSH)  # refers to nothing before it
    return block * (SIZE // _BLOCK) + b"\x03\x00"


def gzip_bomb() -> bytes:
    """Return a gzip file of a gigabyte of blanks, its checksum right."""
    checksum = 0
    for _ in range(SIZE // _BLOCK):
        checksum = zlib.crc32(_RUN, checksum)
    return b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff" + deflate_bomb() + struct.pack("<II", checksum, SIZE)


def brotli_bomb(window: int = 22) -> bytes:
    """Return a brotli stream of a gigabyte of blanks, with a window of so many bits."""
    stream = brotlicffi.Compressor(quality=5, lgwin=window)
    parts = [bytes(stream.process(_RUN) + stream.flush()) for _ in range(3)]
    again = parts[2]  # from the second on, each says "more of the same"
    return parts[0] + parts[1] + again * (SIZE // _BLOCK - 2) + b"\x03"


def zstd_bomb() -> bytes:
    """Return a zstd frame of a gigabyte of blanks: blocks of the kind "one byte, so many times"."""
    window = b"\x38"  # 128 KiB, which is also the longest block
    run, last = ((_ZSTD_BLOCK << 3 | 1 << 1 | end).to_bytes(3, "little") + b" " for end in (0, 1))
    return b"\x28\xb5\x2f\xfd\x00" + window + run * (SIZE // _ZSTD_BLOCK - 1) + last


def attacks() -> list[Attack]:
    """List the attacks of this family."""
    packed = gzip_bomb()
    twice = gzip.compress(packed, 9)
    bodies = {
        "gzip": packed,
        "deflate": deflate_bomb(),
        "br": brotli_bomb(),
        "zstd": zstd_bomb(),
        "gzip, gzip": twice,
        "br, gzip, gzip": gzip.compress(gzip.compress(brotli_bomb(), 9), 9),
        "gzip, gzip, gzip, gzip": gzip.compress(gzip.compress(twice, 9), 9),
    }
    too_big = (ExpectedEnd("/", "too_big"),)
    made = [
        Attack(f"bomb-{coding.replace(', ', '-')}", saying(whole(body, f"Content-Encoding: {coding}")), too_big)
        for coding, body in bodies.items()
    ]
    members = gzip.compress(b"") * 100_000  # each of them is nothing, and has to be opened
    wide = whole(brotli_bomb(24), "Content-Encoding: br")  # sixteen megabytes come at once
    return [
        *made,
        Attack("bomb-br-wide", saying(wide), too_big),
        Attack("bomb-members", saying(whole(members + packed, "Content-Encoding: gzip")), (ExpectedEnd("/"),)),
        *(_file(name, path, opening, packed) for name, (path, opening) in _FILES.items()),
    ]


_URLSET = b'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
_FILES = {  # what a file begins with that is a bomb further on
    "bomb-sitemap": ("/sitemap.xml.gz", _URLSET),
    "bomb-location": ("/sitemap.xml.gz", _URLSET + b"<url><loc>http://bomb-location.attack.sim/"),
    "bomb-lines": ("/sitemap.txt.gz", b"http://10.3.0.1/\n"),
    "bomb-page": ("/page.gz", b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><title>page</title><p>'),
}


def _file(name: str, path: str, opening: bytes, packed: bytes) -> Attack:
    """Offer the bomb as a compressed file, which carries no content coding."""
    routes: dict[str, bytes | Voice] = {
        "/": whole(page(path, title=name)),
        path: whole(gzip.compress(opening) + packed, mime="application/gzip"),
    }
    return Attack(name, routing(routes), tuple(map(ExpectedEnd, routes)))
