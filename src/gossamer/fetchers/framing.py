"""What the head of an answer says, and where its body ends (RFC 9112 sections 2 to 7).

Nearly every head is plain: lines that end in CRLF, names without blanks, one length or one transfer coding. Most of its lines
came before, so a plain line is read once and remembered. Any other head is read line by line, as far as browsers read it: a
line that is no header is passed over and the page marked. Its bytes stay as they came, whatever is read in them.

The same fields that the page is judged by say where its body ends, and nothing else does. Where two readers of one head could
disagree about that end, the body is read as far as it can be, and the connection is not used again.
"""

import re
from typing import TypeVar

from msgspec import Struct

from gossamer.document.decode import CHUNKED_CODING, transfer_codings
from gossamer.document.head import fields_of, unfolded
from gossamer.fetchers.failure import ExchangeEnd
from gossamer.fetchers.message import Head

UNTIL_CLOSE = -1  # how far a body goes, when no length says so
CHUNKED = -2
MARK = "a line of the head is no header"

_REMEMBERED = 4_096  # lines
_MOST_LINES = 5_000  # of a head
_LINE = 200  # bytes; longer ones hardly come again
_END = re.compile(rb"\n\r?\n")
_PLAIN_STATUS = re.compile(rb"HTTP/1\.([01]) ([1-9][0-9]{2})(?: [^\0\r\n]*)?")
_PLAIN_FIELD = re.compile(rb"[!-9;-~]+:[\t -~]*")
_PLAIN_BUT_FOR_TEXT = re.compile(rb"([!-9;-~]+):[\t -~\x80-\xff]*\r")
_VERSION = re.compile(rb"HTTP/(?:1\.[01]|[23].*?)[ \t]([0-9]{3})", re.IGNORECASE)
_BOUNDING = frozenset({"content-length", "transfer-encoding", "connection", "location"})
_LONGEST = 18  # digits of a length that is a number to everybody

Field = tuple[str, str]
_Read = TypeVar("_Read")
_status_lines: dict[bytes, tuple[int, bool]] = {}  # status, and whether connections are kept by default
_field_lines: dict[bytes, Field] = {}


class ResponseHead(Struct, frozen=True):
    """A head, how far the body behind it goes, and whether the connection may serve again."""

    head: Head
    extent: int
    keeps: bool
    mark: str = ""  # what is odd about the head


class Refused(Struct, frozen=True):
    """Why a head is none; `begun`: its first line was one."""

    ending: ExchangeEnd
    text: str
    begun: bool = True


def end_of_head(received: bytes | bytearray, start: int = 0) -> int:
    """Return where the body begins; 0: the head is not whole. No end lies before `start`."""
    end = received.find(b"\r\n\r\n", start)
    if end >= 0 and received.find(b"\n\n", start, end) < 0 and received.find(b"\n\r\n", start, end + 2) < 0:
        return end + 4
    found = _END.search(received, start)
    return found.end() if found else 0


def read_head(raw: bytes) -> ResponseHead | Refused:
    """Read a whole head, its blank line included."""
    if not raw.endswith(b"\r\n\r\n"):
        return _read_odd(raw)
    lines = raw[:-4].split(b"\r\n")
    if len(lines) > _MOST_LINES:
        return Refused(ExchangeEnd.BROKEN, f"Too many response headers, {_MOST_LINES} is max")
    status = _status_lines.get(lines[0]) or _plain_status(lines[0])
    if status is None:
        return _read_odd(raw)
    fields: list[Field] = []
    bounding: list[Field] = []
    for line in lines[1:]:
        field = _field_lines.get(line) or _plain_field(line)
        if field is None:
            return _read_odd(raw)
        fields.append(field)
        if field[0] in _BOUNDING:
            bounding.append(field)
    return _bounded(raw, status[0], tuple(fields), bounding, keeps=status[1])


def _plain_status(line: bytes) -> tuple[int, bool] | None:
    match = _PLAIN_STATUS.fullmatch(line)
    if match is None:
        return None
    status = int(match[2]), match[1] == b"1"
    _remember(_status_lines, line, status)
    return status


def _plain_field(line: bytes) -> Field | None:
    if _PLAIN_FIELD.fullmatch(line) is None:
        return None
    name, _, value = line.decode().partition(":")
    field = name.lower(), value.strip()
    _remember(_field_lines, line, field)
    return field


def _remember(lines: dict[bytes, _Read], line: bytes, read: _Read) -> None:
    if len(line) <= _LINE:
        if len(lines) >= _REMEMBERED:
            lines.clear()
        lines[line] = read


def _bounded(
    raw: bytes, status: int, fields: tuple[Field, ...], bounding: list[Field], *, keeps: bool
) -> ResponseHead | Refused:
    """Tell where the body ends, from the fields that say so; a connection of HTTP/1.1 is kept unless a field speaks against."""
    is_newer = keeps
    lengths: list[str] = []
    places: set[str] = set()
    codings: list[str] = []
    for name, value in bounding:
        if name == "content-length":
            lengths.append(value)
        elif name == "transfer-encoding":
            codings += transfer_codings(value)
        elif name == "connection":
            said = value.lower()
            keeps = (keeps or "keep-alive" in said) and "close" not in said
        elif value:
            places.add(value)
    if len(places) > 1:
        return Refused(ExchangeEnd.BROKEN, "Multiple Location headers")
    extent = _extent(status, codings, lengths)
    if extent is None:
        return Refused(ExchangeEnd.BROKEN, "Invalid Content-Length: value")
    if codings:
        keeps = keeps and is_newer and _is_clear(status, codings, lengths)
    head = Head(raw, status, fields, CHUNKED_CODING in codings)
    return ResponseHead(head, extent, keeps and extent != UNTIL_CLOSE)


def _is_clear(status: int, codings: list[str], lengths: list[str]) -> bool:
    """Tell whether everybody finds the end of a body with transfer codings at the same place: chunked comes last, and once."""
    return codings[-1] == CHUNKED_CODING and codings.count(CHUNKED_CODING) == 1 and not lengths and status not in (204, 304)


def _extent(status: int, codings: list[str], lengths: list[str]) -> int | None:
    """Return how far a body goes (RFC 9112 section 6.3); None: nobody can tell."""
    if status in (204, 304):
        return 0
    if len(lengths) == 1 and not codings and status != 101:  # nearly always
        return _length(lengths[0])
    read = {_length(value) for value in lengths}
    if None in read:
        return None
    if codings:  # a length beside a transfer coding counts for nothing
        return CHUNKED if CHUNKED_CODING in codings else UNTIL_CLOSE
    if not lengths or status == 101:
        return UNTIL_CLOSE
    return None if len(read - {UNTIL_CLOSE}) > 1 else max(length for length in read if length is not None)


def _length(value: str) -> int | None:
    """Read a length, or a list of one length; None: it is none. One beyond all numbers says nothing."""
    if not (value.isascii() and value.isdigit()):
        lengths = {length.strip(" \t") for length in value.split(",")}
        value = lengths.pop()
        if lengths or not (value.isascii() and value.isdigit()):
            return None
    return int(value) if len(value) <= _LONGEST else UNTIL_CLOSE


def _read_odd(raw: bytes) -> ResponseHead | Refused:
    """Read a head that is not plain, as far as browsers do."""
    joined = unfolded(raw)
    first, *others = joined.split(b"\n")[:-2]
    refused = _refusal(first.removesuffix(b"\r"))
    if refused is not None:
        return Refused(ExchangeEnd.BROKEN, refused, begun=False)
    match = _VERSION.match(first)
    if match is None:
        return _unsupported(first)
    if int(match[1]) < 100:
        return Refused(ExchangeEnd.NOT_HTTP, "Unsupported response code in HTTP response")
    is_plain = first.startswith(b"HTTP/1.") and first.endswith(b"\r") and raw.endswith(b"\r\n\r\n") and joined == raw
    mark = ""
    for line in others:
        text = _refusal(line.removesuffix(b"\r"))
        if text:
            return Refused(ExchangeEnd.BROKEN, text)
        if b":" not in line:
            mark = MARK
        is_plain = is_plain and _is_plain_but_for_text(line)
    fields = fields_of(joined)
    bounding = [field for field in fields if field[0] in _BOUNDING]
    answer = _bounded(raw, int(match[1]), fields, bounding, keeps=first[:8].upper() == b"HTTP/1.1")
    if isinstance(answer, Refused):
        return answer
    return ResponseHead(answer.head, answer.extent, answer.keeps and is_plain, mark)


def _is_plain_but_for_text(line: bytes) -> bool:
    """Tell whether only the text of a field is odd, of one that says nothing about the end of the body."""
    match = _PLAIN_BUT_FOR_TEXT.fullmatch(line)
    return match is not None and (line.isascii() or match[1].decode().lower() not in _BOUNDING)


def _refusal(line: bytes) -> str | None:
    """Say which byte no header may hold; None: there is none."""
    if b"\0" in line:
        return "NUL byte in header"
    return "Carriage return found in header" if b"\r" in line else None


def _unsupported(line: bytes) -> Refused:
    if not is_http(line):
        return Refused(ExchangeEnd.NOT_HTTP, "Received HTTP/0.9 when not allowed", begun=False)
    what = "HTTP/1 subversion" if line[5:6] == b"1" else "HTTP version"
    return Refused(ExchangeEnd.NOT_HTTP, f"Unsupported {what} in response", begun=False)


def is_http(beginning: bytes | bytearray) -> bool:
    """Tell whether the first bytes of an answer can be those of a head."""
    return b"http/".startswith(bytes(beginning[:5]).lower())
