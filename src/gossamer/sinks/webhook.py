"""Events to a URL, as JSON Lines in a POST. Acknowledged is a batch that was answered with 2xx.

Any other answer is a failure, and the batch is sent again: to skip it would lose it. A redirect is not followed, because it
could lead anywhere. Addresses are judged by the crawl's guard when connected, like those of pages, and certificates verified.

With a secret each request is signed, so that the receiver knows who sent it and when:
`Gossamer-Signature: t=<Unix seconds>, v1=<hex HMAC-SHA256 of the secret over t "." body>`.
"""

import asyncio
import hashlib
import hmac
import ssl
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from urllib.parse import quote, urlencode

from gossamer.config.sections import Fetch
from gossamer.errors import ConfigError, SinkError
from gossamer.joints.resolver import Resolver
from gossamer.records.event import Event
from gossamer.records.sinkuri import SinkUri
from gossamer.sinks.lines import json_lines

PATIENCE = 20.0  # seconds for a whole exchange
LONGEST_HEAD = 64 * 1024  # bytes of an answer's head


class WebhookSink:
    """Posts events to a URL."""

    def __init__(self, uri: SinkUri, secret: str, settings: Fetch, resolver: Resolver, guard: Callable[[str], str]) -> None:
        is_secure = uri.scheme.endswith("https")
        self._host, self._port = uri.host_and_port(443 if is_secure else 80)
        if not self._host or uri.user:
            raise ConfigError(f"{uri.shown} is no address of a webhook; write it like webhook+https://example.org/events")
        self._authority, self._secret = uri.authority, secret.encode()
        query = urlencode(uri.parameters)
        self._path = (quote(uri.path, safe="/%:@!$&'()*+,;=~") or "/") + (f"?{query}" if query else "")
        self._tls = ssl.create_default_context(cafile=settings.ca_file or None) if is_secure else None
        self._resolver, self._guard = resolver, guard
        if refusal := self._literal_refusal():
            raise ConfigError(f"{uri.shown} is not told of events: {refusal}")

    def _literal_refusal(self) -> str:
        """Return why the address that stands in the URI is refused; names are looked up when connected."""
        is_literal = ":" in self._host or self._host[-1:].isdigit()
        return self._guard(self._host) if is_literal else ""

    async def send(self, events: Sequence[Event]) -> None:
        """Post events; return when the answer says that they arrived."""
        body = json_lines(events)
        try:
            async with asyncio.timeout(PATIENCE):
                status = await self._exchange(self._head(body, int(time.time())) + body)
        except TimeoutError:
            raise SinkError(f"no answer within {PATIENCE:g} s") from None
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError) as error:
            raise SinkError(str(error) or type(error).__name__) from error
        if 300 <= status < 400:
            raise SinkError(f"it answered {status}, and redirects are not followed; name the address they lead to")
        if not 200 <= status < 300:
            raise SinkError(f"it answered {status}")

    def _head(self, body: bytes, now: int) -> bytes:
        lines = [
            f"POST {self._path} HTTP/1.1",
            f"Host: {self._authority}",
            "User-Agent: gossamer",
            "Content-Type: application/x-ndjson",
            f"Content-Length: {len(body)}",
            "Connection: close",
        ]
        if self._secret:
            signature = hmac.new(self._secret, b"%d." % now + body, hashlib.sha256).hexdigest()
            lines.append(f"Gossamer-Signature: t={now}, v1={signature}")
        return "".join(f"{line}\r\n" for line in (*lines, "")).encode()

    async def _exchange(self, request: bytes) -> int:
        """Send a request on a connection of its own; return the status of the answer, whose body nobody needs."""
        name = self._host if self._tls else None
        reader, writer = await asyncio.open_connection(
            await self._address(), self._port, ssl=self._tls, server_hostname=name, limit=LONGEST_HEAD
        )
        try:
            writer.write(request)
            with suppress(ConnectionError):  # it may have answered before it has read everything
                await writer.drain()
            while (status := _status(await reader.readuntil(b"\r\n\r\n"))) < 200:
                pass
            return status
        finally:
            writer.close()

    async def _address(self) -> str:
        """Return an address that may be contacted."""
        found = await self._resolver.resolve(self._host, time.time())
        if not found.addresses:
            raise OSError(found.error)
        refusals = [self._guard(address) for address in found.addresses]
        allowed = [address for address, refusal in zip(found.addresses, refusals, strict=True) if not refusal]
        if not allowed:
            raise OSError(refusals[0])
        return allowed[0]

    async def aclose(self) -> None:
        """Every exchange has closed its own connection."""


def _status(head: bytes) -> int:
    """Return the status of an answer."""
    words = head.split(None, 2)
    if len(words) < 2 or not words[0].startswith(b"HTTP/1.") or not words[1].isdigit():
        raise ValueError("the answer is no HTTP")
    return int(words[1])
