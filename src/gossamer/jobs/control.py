"""Ask a crawl something, whether it runs or not.

A stopped crawl is opened, asked and closed; one that cannot be written may be asked what changes nothing. A running one holds
its lock, and answers over a Unix socket in its directory: a JSON line in, a JSON line out. Who may write the directory may
steer the crawl.
"""

import asyncio
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import msgspec

from gossamer.assemble import Crawl, open_stores
from gossamer.clock import SystemClock
from gossamer.errors import CrawlInUse, GossamerError, UsageError
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.look import held_to_look
from gossamer.jobs.operate import LOOKING, carry_out
from gossamer.jobs.words import peer, user

TIMEOUT = 30.0


def ask(directory: CrawlDirectory, operation: str, **arguments: Any) -> Any:
    """Run an operation on a crawl and return its answer."""
    holding = held_to_look(directory) if operation in LOOKING else directory.lock()
    try:
        with holding as copies:
            return asyncio.run(_ask_stopped(directory, copies, operation, arguments))
    except CrawlInUse as in_use:
        return _ask_running(directory, operation, arguments, in_use)


async def _ask_stopped(directory: CrawlDirectory, copies: Path | None, operation: str, arguments: dict[str, Any]) -> Any:
    async with open_stores(directory.path, directory.settings(), directory.seeds(), SystemClock(), copies) as stores:
        return await carry_out(stores, operation, arguments, user())


def _ask_running(directory: CrawlDirectory, operation: str, arguments: dict[str, Any], in_use: CrawlInUse) -> Any:
    question = msgspec.json.encode({"operation": operation, "arguments": arguments}) + b"\n"
    try:
        with _short(directory.socket) as address, socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(TIMEOUT)
            connection.connect(address)
            connection.sendall(question)
            with connection.makefile("rb") as answers:
                line = answers.readline()
    except OSError:
        raise in_use from None
    answer = msgspec.json.decode(line) if line else {"error": "the crawl ended while it was asked; ask again"}
    if "error" in answer:
        raise UsageError(answer["error"])
    return answer["answer"]


@asynccontextmanager
async def serve_control(directory: CrawlDirectory, crawl: Crawl) -> AsyncIterator[None]:
    """Answer questions about a running crawl."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            line = await reader.readline()
            who = peer(writer.get_extra_info("socket"))
            writer.write(msgspec.json.encode(await _answer(crawl, line, who)) + b"\n")
            await writer.drain()
        except (ConnectionError, ValueError):
            pass  # who asked is gone, or sent more than a line may hold
        finally:
            writer.close()

    directory.socket.unlink(missing_ok=True)
    with _short(directory.socket) as address:
        server = await asyncio.start_unix_server(answer, address)
    try:
        yield
    finally:
        server.close()
        directory.socket.unlink(missing_ok=True)


async def _answer(crawl: Crawl, line: bytes, who: str) -> dict[str, Any]:
    try:
        question = msgspec.json.decode(line)
        operation, arguments = question["operation"], question["arguments"]
        if operation == "status":
            arguments["running"] = True
        return {"answer": await carry_out(crawl.stores, operation, arguments, who, crawl)}
    except GossamerError as error:
        return {"error": str(error)}
    except (msgspec.DecodeError, UnicodeDecodeError, KeyError, TypeError) as error:
        return {"error": f"not understood: {error}"}


@contextmanager
def _short(path: Path) -> Any:
    """Name a socket by its directory's descriptor: addresses of Unix sockets hold about a hundred characters."""
    descriptor = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{descriptor}/{path.name}"
    finally:
        os.close(descriptor)
