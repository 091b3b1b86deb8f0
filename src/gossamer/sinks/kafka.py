"""Events into a topic of Kafka: `kafka://[USER@]HOST[:PORT][,HOST...]/TOPIC`; `kafka+ssl` is with TLS.

The key of a message is its host, so that events of a host are in one partition and in order. The producer is idempotent and
wants all replicas to have a message. With a user it logs in by SASL: `mechanism` is PLAIN unless the URI says otherwise.

The library works on threads of its own; here it is only asked, every few milliseconds, how far it is.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from gossamer.config.sections import Fetch
from gossamer.errors import ConfigError, SinkError
from gossamer.joints.resolver import Resolver
from gossamer.records.event import Event
from gossamer.records.sinkuri import SinkUri
from gossamer.sinks.lines import json_line

PATIENCE = 10.0  # seconds until a message that is not delivered has failed
LOOK = 0.01  # seconds between two looks
_silent = logging.Logger("kafka", logging.CRITICAL + 1)  # what goes wrong is told by `send`


class KafkaSink:
    """Produces events into a topic."""

    def __init__(self, uri: SinkUri, secret: str, settings: Fetch, resolver: Resolver, guard: Callable[[str], str]) -> None:
        uri.allow("mechanism")
        self._topic = uri.path.strip("/")
        if not uri.authority or not self._topic or "/" in self._topic:
            raise ConfigError(f"{uri.shown} names no topic of a Kafka; write it like kafka://localhost:9092/TOPIC")
        is_secure = uri.scheme == "kafka+ssl"
        self._settings: dict[str, Any] = {
            "bootstrap.servers": uri.authority,
            "enable.idempotence": True,
            "delivery.timeout.ms": int(PATIENCE * 1000),
            "linger.ms": 5,
            "security.protocol": ("sasl_" if uri.user else "") + ("ssl" if is_secure else "plaintext"),
            "error_cb": self._hear,
            "logger": _silent,
        }
        if uri.user:
            mechanism = uri.parameter("mechanism", "PLAIN")
            self._settings |= {"sasl.mechanism": mechanism, "sasl.username": uri.user, "sasl.password": secret}
        if is_secure and settings.ca_file:
            self._settings["ssl.ca.location"] = settings.ca_file
        self._producer: Producer | None = None
        self._heard = ""  # of the library: a message that is late does not say why

    def _hear(self, error: KafkaError) -> None:
        self._heard = error.str()

    async def send(self, events: Sequence[Event]) -> None:
        """Produce events; return when all replicas have them."""
        try:
            if self._producer is None:
                self._producer = Producer(self._settings)
            failed = await self._produce(self._producer, events)
        except (KafkaException, BufferError) as error:
            failed = str(error)
        if failed:
            await self.aclose()  # a producer that has failed for good does not recover
            raise SinkError(f"{failed}{f' ({self._heard})' if self._heard else ''}")
        self._heard = ""

    async def _produce(self, producer: Producer, events: Sequence[Event]) -> str:
        """Return why one of the events was not delivered; an empty text: all were."""
        told: list[str] = []

        def delivered(error: KafkaError | None, message: Message) -> None:
            told.append("" if error is None else error.str())

        for event in events:
            producer.produce(self._topic, json_line(event), event.host or None, on_delivery=delivered)
        while len(told) < len(events):
            producer.poll(0)
            await asyncio.sleep(LOOK)
        return next((error for error in told if error), "")

    async def aclose(self) -> None:
        """Let the producer go; what it still holds is sent again by the next one."""
        if self._producer is not None:
            producer, self._producer = self._producer, None
            producer.purge()
            await asyncio.to_thread(producer.flush, 0)
