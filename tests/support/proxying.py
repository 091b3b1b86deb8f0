"""A proxy of our own that says what it is told to, and writes down where it was sent; it speaks CONNECT and SOCKS5."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass
class PlainProxy:
    """Connects to this machine, whatever the name; `says` instead of its own answer, if there is something to say."""

    says: bytes | None = None
    port: int = 0
    sent_to: list[str] = field(default_factory=list)  # host:port, as it was asked
    heads: list[bytes] = field(default_factory=list)  # of CONNECT requests
    logins: list[bytes] = field(default_factory=list)  # of SOCKS
    connections: int = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection."""
        self.connections += 1
        try:
            first = await reader.readexactly(1)
            if self.says is not None:
                await self._say(self.says, first, reader, writer)
            elif first == b"\x05":
                await self._socks(reader, writer)
            else:
                await self._connect(first, reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _say(self, words: bytes, first: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(64) if first == b"\x05" else await reader.readuntil(b"\r\n\r\n")
        writer.write(words)
        await writer.drain()
        if words:
            await reader.read()

    async def _connect(self, first: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.heads.append(first + await reader.readuntil(b"\r\n\r\n"))
        place = self.heads[-1].split()[1].decode()
        if first == b"G":
            return await self._ask(place, reader, writer)
        self.sent_to.append(place)
        await self._pass(int(place.rpartition(":")[2]), b"HTTP/1.1 200 Connection established\r\n\r\n", reader, writer)

    async def _ask(self, url: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Ask for a URL, and for those that follow on the same connection."""
        place, _, path = url.removeprefix("http://").partition("/")
        self.sent_to.append(url)
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", int(place.rpartition(":")[2]))
        far_writer.write(f"GET /{path} HTTP/1.1\r\nHost: {place}\r\n\r\n".encode())
        head = await far_reader.readuntil(b"\r\n\r\n")
        writer.write(head + await far_reader.readexactly(5))
        far_writer.close()
        await self._connect(await reader.readexactly(1), reader, writer)

    async def _socks(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        methods = await reader.readexactly((await reader.readexactly(1))[0])
        writer.write(b"\x05" + methods[:1])
        if methods[:1] == b"\x02":
            user = await reader.readexactly((await reader.readexactly(2))[1])
            self.logins.append(user + b":" + await reader.readexactly((await reader.readexactly(1))[0]))
            writer.write(b"\x01\x00")
        kind = (await reader.readexactly(4))[3]
        if kind == 3:
            host = (await reader.readexactly((await reader.readexactly(1))[0])).decode()
        else:
            host = ".".join(map(str, await reader.readexactly({1: 4, 4: 16}[kind])))
        port = int.from_bytes(await reader.readexactly(2), "big")
        self.sent_to.append(f"{host}:{port}")
        await self._pass(port, b"\x05\x00\x00\x01\x7f\x00\x00\x01\x00\x00", reader, writer)

    async def _pass(self, port: int, granted: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(granted)
        await asyncio.gather(_copy(reader, far_writer), _copy(far_reader, writer))


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while piece := await reader.read(65536):
            writer.write(piece)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()


@asynccontextmanager
async def proxy_running(says: bytes | None = None) -> AsyncIterator[PlainProxy]:
    """Run a proxy for a while."""
    proxy = PlainProxy(says)
    tasks: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(proxy.serve(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
