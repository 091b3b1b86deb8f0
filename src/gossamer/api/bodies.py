"""The body of a request: read whole before anybody looks at it, within a length and a time, and it is what it says it is."""

import asyncio
from collections.abc import Sequence

import msgspec
from litestar.types import Receive

from gossamer.api.refusal import RequestRefused

MOST = 1024 * 1024  # bytes of a body
MOST_URLS = 16 * MOST  # bytes of one that is a list of URLs
JSON = "application/json"


class BodyGone(Exception):
    """Whoever sent the body has hung up in the middle of it."""


async def read_body(headers: dict[bytes, bytes], receive: Receive, most: int, patience: float) -> bytes:
    """Return the body; one that is too long is refused before it is read where it says so, and while it is read otherwise."""
    told = headers.get(b"content-length", b"0")
    if told.isdigit() and int(told) > most:
        raise _too_long(most)
    parts, length = [], 0
    try:
        async with asyncio.timeout(patience):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    raise BodyGone
                length += len(message["body"])
                if length > most:
                    raise _too_long(most)
                parts.append(message["body"])
                if not message["more_body"]:
                    return b"".join(parts)
    except TimeoutError:
        raise RequestRefused(408, "slow", f"the body has not arrived within {patience:g} s") from None


def check_type(headers: dict[bytes, bytes], body: bytes, taken: Sequence[str]) -> None:
    """Refuse a body of another type than is taken, and JSON that is none."""
    given = headers.get(b"content-type", b"").decode("latin-1").partition(";")[0].strip().lower()
    if given not in taken:
        raise RequestRefused(415, "media-type", f"the body is {given or 'of no type'}; send {' or '.join(taken)}")
    if given != JSON:
        return
    try:
        body.decode()
        msgspec.json.decode(body, type=msgspec.Raw)
    except UnicodeDecodeError:
        raise RequestRefused(400, "not-json", "the body is not UTF-8") from None
    except msgspec.DecodeError as error:
        raise RequestRefused(400, "not-json", f"the body is no JSON: {error}") from None
    except RecursionError:
        raise RequestRefused(400, "not-json", "the body is nested too deeply") from None


def _too_long(most: int) -> RequestRefused:
    return RequestRefused(413, "too-long", f"the body has more than {most:,} bytes")
