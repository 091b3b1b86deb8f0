"""Where a chunked body ends (RFC 9112 section 7.1): its sizes are followed, its bytes are left as they are."""

import re

import pycurl

from gossamer.fetchers.framing import WEIRD
from gossamer.fetchers.lenient import REFUSED

GOES_ON = -1
_SIZE = re.compile(rb"[0-9a-fA-F]{1,16}")
_LONGEST_LINE = 64 * 1024
_LARGEST = 2**63


class Chunks:
    """Follows one body through the pieces it comes in."""

    def __init__(self) -> None:
        self.error: tuple[int, str] | None = None  # why this is no chunked body, as libcurl puts it
        self._left = 0  # bytes of the present chunk that are still to come
        self._line = b""  # the beginning of a line
        self._step = self._size

    def take(self, piece: bytes) -> int:
        """Return where in this piece the body ends; GOES_ON: it does not, or it is broken."""
        before = len(self._line)
        piece = self._line + piece
        self._line = b""
        position = 0
        while self.error is None:
            if self._left > len(piece) - position:
                self._left -= len(piece) - position
                return GOES_ON
            position += self._left
            self._left = 0
            end = piece.find(b"\n", position) + 1
            line = piece[position : end or len(piece)]
            if self._step(line, bool(end)):
                return end - before
            if not end:
                self._line = line
                return GOES_ON
            position = end
        return GOES_ON

    def _size(self, line: bytes, whole: bool) -> bool:
        """Take the line that says how long the next chunk is."""
        match = _SIZE.match(line)
        if match is None or len(line) > _LONGEST_LINE:
            if line:
                self.error = pycurl.E_RECV_ERROR, f"chunk hex-length char not a hex digit: {line[0]:#x}"
        elif line[match.end() : match.end() + 1].isalnum() and _SIZE.match(line, match.end()):
            self.error = pycurl.E_RECV_ERROR, "chunk hex-length longer than 17"
        elif whole:
            size = int(match[0], 16)
            if size >= _LARGEST:
                self.error = pycurl.E_RECV_ERROR, f"invalid chunk size: {match[0].decode()!r}"
            self._left = size
            self._step = self._gap if size else self._trailer
        return False

    def _gap(self, line: bytes, whole: bool) -> bool:
        """Take the end of line behind a chunk."""
        if line not in ((b"\r\n", b"\n") if whole else (b"\r", b"")):
            self.error = pycurl.E_RECV_ERROR, "Malformed encoding found in chunked-encoding"
        self._step = self._size if whole else self._gap
        return False

    def _trailer(self, line: bytes, whole: bool) -> bool:
        """Take a line behind the last chunk; True: it is the blank one, and all is said."""
        if whole and line in (b"\r\n", b"\n"):
            return True
        if line[:1] == b"\r" and len(line) > 1:
            self.error = pycurl.E_RECV_ERROR, "Malformed encoding found in chunked-encoding"
        elif whole and b":" not in line:
            self.error = WEIRD, REFUSED
        elif len(line) > _LONGEST_LINE:
            self.error = pycurl.E_RECV_ERROR, "a line behind the last chunk is too long"
        return False
