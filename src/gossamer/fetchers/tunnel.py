"""Tunnels through a proxy: it connects for us, and what then goes through is as if we had connected ourselves.

Only plain http through an HTTP proxy that resolves names is no tunnel: many such proxies allow none but to port 443, so the
request names the whole URL, and the proxy asks for it itself.

The proxy is given the address that our guard let through, not the name, unless the operator says that it resolves names. All
of its own answer is read before the tunnel is used, and nothing else may have come with it: so no word of the proxy becomes
part of an answer. Follows RFC 9110 section 9.3.6 (CONNECT), RFC 1928 (SOCKS5) and RFC 1929 (its passwords).
"""

import asyncio
import re
import socket
from ipaddress import ip_address

from gossamer.fetchers.message import Target, login_of
from gossamer.records.access import Proxy

_LONGEST_NAME = 253
_LONGEST_HEAD = 16 * 1024  # bytes of a proxy's answer
_STATUS = re.compile(rb"HTTP/1\.[01] ([0-9]{3})(?: |\r)")
_SOCKS_ANSWERS = {
    1: "it failed",
    2: "its rules forbid it",
    3: "the network is out of reach",
    4: "the host is out of reach",
    5: "the connection was refused",
    6: "it took too long",
    7: "it cannot do that",
    8: "it does not know this kind of address",
}


class ProxyError(OSError):
    """The proxy cannot be reached or does not connect for us; `strerror` says why."""

    def __init__(self, proxy: Proxy, why: str) -> None:
        super().__init__(0, f"the proxy {proxy.place}: {why}")


class Tunnel:
    """The way to one server through a proxy, which has these addresses."""

    def __init__(self, proxy: Proxy, addresses: tuple[str, ...], target: Target, finds_address: bool) -> None:
        self.proxy = proxy
        self.addresses = addresses
        self.finds_address = finds_address  # the proxy does, of the host
        self.is_asked = finds_address and target.is_plain and proxy.scheme == "http"  # the proxy is, for the URL itself
        self._host = target.host
        self._port = target.port

    async def open(self, loop: asyncio.AbstractEventLoop, opened: socket.socket, near: str, far: str) -> None:
        """Connect a socket to the proxy at `near`, and have it connect to `far`; empty: to the host, whose address it finds."""
        if not far and len(self._host) > _LONGEST_NAME:
            raise ProxyError(self.proxy, "it is not asked for a name that is too long to be one")
        try:
            await loop.sock_connect(opened, (near, self.proxy.port))
            if self.is_asked:
                return
            if self.proxy.scheme == "http":
                await self._ask_http(loop, opened, far or self._host)
            else:
                await self._ask_socks(loop, opened, far or self._host)
        except ProxyError:
            raise
        except EOFError:
            raise ProxyError(self.proxy, "it closed the connection") from None
        except OSError as error:
            raise ProxyError(self.proxy, (error.strerror or "no connection").lower()) from error

    async def _ask_http(self, loop: asyncio.AbstractEventLoop, opened: socket.socket, far: str) -> None:
        place = f"[{far}]:{self._port}" if ":" in far else f"{far}:{self._port}"
        login = "".join(f"{name}: {value}\r\n" for name, value in login_of(self.proxy))
        await loop.sock_sendall(opened, f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n{login}\r\n".encode())
        said = b""
        while (end := said.find(b"\r\n\r\n")) < 0:
            if len(said) > _LONGEST_HEAD:
                raise ProxyError(self.proxy, "its answer is too long")
            said += await _some(loop, opened, 4096)
        status = _STATUS.match(said)
        if status is None:
            raise ProxyError(self.proxy, "its answer is not HTTP")
        if not status[1].startswith(b"2"):
            raise ProxyError(self.proxy, f"it answered {status[1].decode()} instead of connecting")
        if len(said) > end + 4:
            raise ProxyError(self.proxy, "something was said before anybody was asked")

    async def _ask_socks(self, loop: asyncio.AbstractEventLoop, opened: socket.socket, far: str) -> None:
        user, password = self.proxy.user.encode(), self.proxy.password.encode()
        method = 2 if user else 0
        await loop.sock_sendall(opened, bytes((5, 1, method)))
        if await _exactly(loop, opened, 2) != bytes((5, method)):
            raise ProxyError(self.proxy, "it is no SOCKS5 proxy, or wants another login than this one")
        if user:
            await loop.sock_sendall(opened, b"\x01" + bytes((len(user),)) + user + bytes((len(password),)) + password)
            if (await _exactly(loop, opened, 2))[1]:
                raise ProxyError(self.proxy, "it does not take this user and password")
        await loop.sock_sendall(opened, b"\x05\x01\x00" + _socks_place(far) + self._port.to_bytes(2, "big"))
        version, answer, _, kind = await _exactly(loop, opened, 4)
        if version != 5 or answer:
            raise ProxyError(self.proxy, _SOCKS_ANSWERS.get(answer, "its answer makes no sense"))
        length = {1: 4, 4: 16}.get(kind) or (await _exactly(loop, opened, 1))[0]
        await _exactly(loop, opened, length + 2)


def _socks_place(far: str) -> bytes:
    try:
        packed = ip_address(far).packed
    except ValueError:
        name = far.encode("ascii")
        return b"\x03" + bytes((len(name),)) + name
    return (b"\x01" if len(packed) == 4 else b"\x04") + packed


async def _exactly(loop: asyncio.AbstractEventLoop, opened: socket.socket, length: int) -> bytes:
    said = b""
    while len(said) < length:
        said += await _some(loop, opened, length - len(said))
    return said


async def _some(loop: asyncio.AbstractEventLoop, opened: socket.socket, most: int) -> bytes:
    piece = await loop.sock_recv(opened, most)
    if not piece:
        raise EOFError
    return piece
