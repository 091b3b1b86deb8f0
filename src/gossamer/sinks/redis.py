"""Events into a Redis stream, or one of Valkey: `redis://[USER@]HOST[:PORT][/DATABASE]?stream=NAME`; `rediss` is with TLS.

An event is an entry with the fields `id`, `kind`, `host` and `event` (JSON). A batch is one transaction: all of it or nothing.
Acknowledged is what the server has executed; whether that outlives its power loss is for its `appendfsync` to say.
"""

from collections.abc import Callable, Sequence
from typing import Any

from redis.asyncio import Redis, SSLConnection
from redis.asyncio.connection import Connection, ConnectionPool
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from gossamer.config.sections import Fetch
from gossamer.errors import ConfigError, SinkError
from gossamer.joints.resolver import Resolver
from gossamer.records.event import Event
from gossamer.records.sinkuri import SinkUri
from gossamer.sinks.lines import json_line

PATIENCE = 10.0  # seconds for one answer
STREAM = "gossamer:events"


class RedisSink:
    """Adds events to a stream."""

    def __init__(self, uri: SinkUri, secret: str, settings: Fetch, resolver: Resolver, guard: Callable[[str], str]) -> None:
        uri.allow("stream")
        host, port = uri.host_and_port(6379)
        database = uri.path.strip("/") or "0"
        if not host or not database.isdigit():
            raise ConfigError(f"{uri.shown} is no Redis; write it like redis://localhost:6379/0?stream=NAME")
        self._stream = uri.parameter("stream", STREAM)
        secure: dict[str, Any] = {"ssl_ca_certs": settings.ca_file or None} if uri.scheme == "rediss" else {}
        self._redis = Redis(
            connection_pool=ConnectionPool(
                connection_class=SSLConnection if uri.scheme == "rediss" else Connection,
                host=host,
                port=port,
                db=int(database),
                username=uri.user or None,
                password=secret or None,
                socket_timeout=PATIENCE,
                socket_connect_timeout=PATIENCE,
                retry=Retry(NoBackoff(), 0),  # whoever sends tries again
                **secure,
            )
        )

    async def send(self, events: Sequence[Event]) -> None:
        """Add events to the stream; return when the server has them all."""
        try:
            async with self._redis.pipeline(transaction=True) as batch:
                for event in events:
                    fields = {"id": event.id, "kind": event.kind, "host": event.host, "event": json_line(event)}
                    batch.xadd(self._stream, fields)  # type: ignore[arg-type]
                await batch.execute()
        except (RedisError, OSError) as error:
            raise SinkError(str(error) or type(error).__name__) from error

    async def aclose(self) -> None:
        """Close the connections."""
        await self._redis.aclose()
        await self._redis.connection_pool.disconnect()
