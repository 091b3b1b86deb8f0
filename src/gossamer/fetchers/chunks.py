"""Where a chunked body ends (RFC 9112 section 7.1): its sizes are followed, its bytes are left as they are.

Nobody can make it slow: of a line that is not whole only the beginning is kept, and the smallest chunks, which cost the most,
are passed over many at a time.
"""

import re
from enum import Enum

from gossamer.fetchers.failure import Ended, ExchangeEnd

GOES_ON = -1
_SIZE = re.compile(rb"[0-9a-fA-F]*")
_LONGEST_SIZE = 16
_LARGEST = 2**63
_BEGINNING = 20  # bytes of a line that tell what it is
_LINE = re.compile(rb"[0-9a-fA-F]+[ \t]*+(?:;[\t -~\x80-\xff]*+)?\r\n")
_MALFORMED: Ended = ExchangeEnd.BROKEN, "Malformed encoding found in chunked-encoding"


def _small(rest_of_line: bytes, end_of_line: bytes) -> bytes:
    """Match chunks of up to 15 bytes; not possessive as a whole: before Python 3.11.5 that loses a repetition it tried."""
    sizes = [b"%x" % size for size in range(1, 16)]
    alike = [
        rb"[%s%s]%s%s(?s:.{%d})%s" % (digit, digit.upper(), rest_of_line, end_of_line, int(digit, 16), end_of_line)
        for digit in sizes
    ]
    return rb"(?:0{0,9}(?:%s))+" % b"|".join(alike)


_SMALL = re.compile(_small(rb"[ \t]*+(?:;[\t -~\x80-\xff]*+)?", rb"\r\n"))
_SMALL_AND_ODD = re.compile(_small(rb"(?:[^0-9a-fA-F\r\n][^\r\n]*+)?", rb"\r?\n"))
_TRAILERS = re.compile(rb"(?:[^:\r\n]++:[^\r\n]*+\r?\n)+")


class _Expected(Enum):
    SIZE = 0
    END_OF_LINE = 1  # behind a chunk
    TRAILER = 2


class Chunks:
    """Follows one body through the pieces it comes in."""

    def __init__(self) -> None:
        self.error: Ended | None = None  # why this is no chunked body
        self.is_odd = False  # not everybody would find its end at the same place
        self.count = 0  # of chunks, roughly: of the smallest as many as may be
        self._expected = _Expected.SIZE
        self._left = 0  # bytes of the present chunk that are still to come
        self._line = b""  # the beginning of a line that is not whole

    def take(self, piece: bytes) -> int:
        """Return where in this piece the body ends; GOES_ON: it does not, or it is broken."""
        before = len(self._line)
        piece = self._line + piece if before else piece
        self._line = b""
        position = 0
        while self.error is None:
            if self._left > len(piece) - position:
                self._left -= len(piece) - position
                return GOES_ON
            position = self._pass_over(piece, position + self._left)
            self._left = 0
            end = piece.find(b"\n", position) + 1
            line = piece[position : end or len(piece)]
            if not end:
                self._begin(line)
                return GOES_ON
            if self._expected is _Expected.TRAILER and line in (b"\r\n", b"\n"):
                self.is_odd = self.is_odd or line == b"\n"
                return end - before
            self._read(line)
            position = end
        return GOES_ON

    def _pass_over(self, piece: bytes, position: int) -> int:
        """Return where the next chunk or trailer begins that is worth a closer look."""
        if self._expected is _Expected.END_OF_LINE:
            return position
        if self._expected is _Expected.TRAILER:
            several = _TRAILERS.match(piece, position)
        elif self.is_odd:
            several = _SMALL_AND_ODD.match(piece, position)
        else:
            several = _SMALL.match(piece, position)
            if several is None and (several := _SMALL_AND_ODD.match(piece, position)):
                self.is_odd = True
        if several is None:
            return position
        self.count += piece.count(b"\n", position, several.end()) // 2
        return several.end()

    def _begin(self, line: bytes) -> None:
        """Keep as much of a line that is not whole as tells what it is."""
        if self._expected is _Expected.SIZE:
            self._size(line)
        elif line not in (b"", b"\r") and (line[:1] == b"\r" or self._expected is _Expected.END_OF_LINE):
            self.error = _MALFORMED
        self._line = line if len(line) <= _BEGINNING else line[:_BEGINNING] + (b":" if b":" in line else b"")

    def _read(self, line: bytes) -> None:
        """Read a whole line."""
        if self._expected is _Expected.SIZE:
            self._left = self._size(line)
            self.is_odd = self.is_odd or _LINE.fullmatch(line) is None
            self._expected = _Expected.END_OF_LINE if self._left else _Expected.TRAILER
            self.count += 1
        elif self._expected is _Expected.END_OF_LINE:
            if line not in (b"\r\n", b"\n"):
                self.error = _MALFORMED
            self.is_odd = self.is_odd or line == b"\n"
            self._expected = _Expected.SIZE
        elif line[:1] == b"\r":
            self.error = _MALFORMED
        elif b":" not in line:
            self.error = ExchangeEnd.BROKEN, "Header without colon"

    def _size(self, line: bytes) -> int:
        """Read a size, or the beginning of one."""
        match = _SIZE.match(line)
        digits = match[0] if match else b""
        if line and not digits:
            self.error = ExchangeEnd.BROKEN, f"chunk hex-length char not a hex digit: {line[0]:#x}"
        elif len(digits) > _LONGEST_SIZE:
            self.error = ExchangeEnd.BROKEN, f"chunk hex-length longer than {_LONGEST_SIZE + 1}"
        elif digits and int(digits, 16) >= _LARGEST:
            self.error = ExchangeEnd.BROKEN, f"invalid chunk size: {digits.decode()!r}"
        return int(digits or b"0", 16)
