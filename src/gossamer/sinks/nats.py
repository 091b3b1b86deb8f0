"""Events into a stream of NATS JetStream: `nats://[USER@]HOST[:PORT]/SUBJECT`; a secret without a user is a token.

The stream that has the subject is the operator's to make, because its limits are. Each event is published when the one before
it is stored, so that order is kept whatever fails. Its id is the `Nats-Msg-Id`: the server drops repeats within its window.
"""

from collections.abc import Callable, Sequence

import nats
from nats.aio.client import Client
from nats.errors import Error
from nats.js import JetStreamContext
from nats.js.errors import NoStreamResponseError

from gossamer.config.sections import Fetch
from gossamer.errors import ConfigError, SinkError
from gossamer.joints.resolver import Resolver
from gossamer.records.event import Event
from gossamer.records.sinkuri import SinkUri
from gossamer.sinks.lines import json_line

PATIENCE = 10.0  # seconds for one answer


class NatsSink:
    """Publishes events on a subject that a stream listens to."""

    def __init__(self, uri: SinkUri, secret: str, settings: Fetch, resolver: Resolver, guard: Callable[[str], str]) -> None:
        uri.allow()
        self._subject = uri.path.strip("/")
        if not uri.authority or not self._subject or any(char in self._subject for char in "*> /"):
            raise ConfigError(f"{uri.shown} names no subject of a NATS server; write it like nats://localhost:4222/SUBJECT")
        self._server = f"nats://{uri.authority}"
        self._login = {"user": uri.user, "password": secret} if uri.user else {"token": secret} if secret else {}
        self._client: Client | None = None
        self._heard = ""  # of the library: that nobody is there does not say why

    async def send(self, events: Sequence[Event]) -> None:
        """Publish events one after the other; return when the stream has stored the last one."""
        self._heard = ""
        try:
            stream = await self._connected()
            for event in events:
                await stream.publish(self._subject, json_line(event), headers={"Nats-Msg-Id": event.id})
        except NoStreamResponseError as error:
            raise SinkError("no JetStream stream has this subject; make one") from error
        except (Error, OSError) as error:
            await self.aclose()
            raise SinkError(self._heard or str(error) or type(error).__name__) from error

    async def _hear(self, error: Exception) -> None:
        self._heard = str(error)

    async def _connected(self) -> JetStreamContext:
        if self._client is None or not self._client.is_connected:
            await self.aclose()
            self._client = await nats.connect(
                self._server,
                allow_reconnect=False,  # whoever sends tries again
                max_reconnect_attempts=1,  # of the first connection, which would be tried for minutes
                reconnect_time_wait=0,
                connect_timeout=PATIENCE,
                error_cb=self._hear,
                **self._login,
            )
        return self._client.jetstream(timeout=PATIENCE)

    async def aclose(self) -> None:
        """Close the connection."""
        if self._client is not None:
            client, self._client = self._client, None
            await client.close()
