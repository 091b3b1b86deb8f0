"""The server as a program sees it: started as a process, asked over HTTP or over a bare socket, stopped by its pid."""

import http.client
import json
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen
from typing import Any
from urllib.parse import urlsplit

from crawling import start_gossamer
from readonly import start_on_read_only_media

PATIENCE = 20.0


@dataclass(frozen=True)
class Answered:
    """An answer with everything that was in it."""

    status: int
    headers: Mapping[str, str]  # by lower-case name; of several of one name the last
    content: bytes

    @property
    def body(self) -> Any:
        """What was answered, read as JSON where it is that; None: nothing."""
        if not self.content:
            return None
        return json.loads(self.content) if "json" in self.headers.get("content-type", "") else self.content.decode()


class Door:
    """A running server, as a program with a token sees it."""

    def __init__(self, url: str, token: str, process: "Popen[str]") -> None:
        self.url = url
        self.token = token
        self.process = process
        parts = urlsplit(url)
        assert parts.hostname is not None and parts.port is not None
        self.address, self.port = parts.hostname, parts.port

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float = PATIENCE,
    ) -> Answered:
        """Send a request; `token` "": none; bytes are sent as they are, everything else as JSON."""
        sent = dict(headers or {})
        given = self.token if token is None else token
        if given:
            sent.setdefault("Authorization", f"Bearer {given}")
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            sent.setdefault("Content-Type", "application/json")
        connection = http.client.HTTPConnection(self.address, self.port, timeout=timeout)
        try:
            connection.request(method, "/" + path.lstrip("/"), body, sent)
            answer = connection.getresponse()
            told = {name.lower(): value for name, value in answer.getheaders()}
            return Answered(answer.status, told, answer.read())
        finally:
            connection.close()

    def get(self, path: str, token: str | None = None, **more: Any) -> tuple[int, Any]:
        """Return status and body."""
        return self._told("GET", path, None, token, more)

    def post(self, path: str, body: Any = None, token: str | None = None, **more: Any) -> tuple[int, Any]:
        """Post a body; return status and body."""
        return self._told("POST", path, body, token, more)

    def put(self, path: str, body: Any = None, token: str | None = None, **more: Any) -> tuple[int, Any]:
        """Put a body; return status and body."""
        return self._told("PUT", path, body, token, more)

    def delete(self, path: str, token: str | None = None, **more: Any) -> tuple[int, Any]:
        """Delete; return status and body."""
        return self._told("DELETE", path, None, token, more)

    def _told(self, method: str, path: str, body: Any, token: str | None, more: dict[str, Any]) -> tuple[int, Any]:
        answer = self.ask(method, path, body, token=token, **more)
        return answer.status, answer.body

    @contextmanager
    def raw(self, timeout: float = PATIENCE) -> Iterator[socket.socket]:
        """Open a bare connection."""
        with socket.create_connection((self.address, self.port), timeout=timeout) as connection:
            yield connection

    @contextmanager
    def stream(self, path: str, headers: Mapping[str, str] | None = None, timeout: float = PATIENCE) -> Iterator["Events"]:
        """Open a live stream."""
        connection = http.client.HTTPConnection(self.address, self.port, timeout=timeout)
        sent = {"Authorization": f"Bearer {self.token}", **(headers or {})}
        sent = {name: value for name, value in sent.items() if value}
        try:
            connection.request("GET", "/" + path.lstrip("/"), headers=sent)
            answer = connection.getresponse()
            yield Events(answer)
        finally:
            connection.close()


class Events:
    """The events of a stream, one at a time; it ends when the server ends it."""

    def __init__(self, answer: http.client.HTTPResponse) -> None:
        self.status = answer.status
        self._answer = answer

    def line(self) -> str:
        """Return the next line."""
        return self._answer.readline().decode().rstrip("\n")

    def __iter__(self) -> Iterator[dict[str, str]]:
        event: dict[str, str] = {}
        while line := self._answer.readline():
            text = line.decode().rstrip("\n")
            if not text:
                if "data" in event:
                    yield event
                event = {}
                continue
            name, _, value = text.partition(":")
            event[name] = value.removeprefix(" ")


@contextmanager
def serving(place: Path, *options: object, read_only: Path | None = None) -> Iterator[Door]:
    """Serve a place for a while; `read_only`: a directory that the server cannot write."""
    words = ("serve", place, "--port", 0, "--json", *options)
    server = start_gossamer(*words) if read_only is None else start_on_read_only_media(read_only, *words)
    try:
        assert server.stdout is not None and server.stderr is not None
        line = server.stdout.readline()
        assert line, server.stderr.read()
        ready = json.loads(line)
        yield Door(ready["url"], ready["token"], server)
    finally:
        server.terminate()
        server.communicate(timeout=PATIENCE)
