"""Asks name servers, through c-ares, and keeps the time to live of the records.

The system's servers and its hosts file are used unless servers are configured. Search domains never are: a crawler means the
name it was given. When c-ares cannot start at all, `getaddrinfo` in a thread answers instead, without a time to live.

c-ares is imported when the first name is asked for: that takes 20 ms, and a crawl of addresses never asks.
"""

import asyncio
import re
import socket
from ipaddress import ip_address
from typing import TYPE_CHECKING

from gossamer.config.sections import Dns
from gossamer.dns.answer import DnsAnswer
from gossamer.errors import ConfigError

if TYPE_CHECKING:
    import aiodns

_SERVER = re.compile(r"(?:\[([^\]]*)\]|([^:\[\]]*))(?::([0-9]{1,5}))?|([^\[\]]*:[^\[\]]*:[^\[\]]*)")
_TRIES = 2
_NO_SORT = 1 << 7  # ARES_AI_NOSORT: sorting would open a socket to each address; whoever connects tries them all anyway
_FINAL = {  # by the name that c-ares has for it
    "ARES_ENOTFOUND": "the name does not exist",
    "ARES_ENODATA": "the name has no address",
    "ARES_EBADNAME": "the name cannot be asked for",
}
_PASSING = {
    "ARES_ETIMEOUT": "no name server answered in time",
    "ARES_ESERVFAIL": "the name server failed",
    "ARES_EREFUSED": "the name server refused to answer",
    "ARES_ECONNREFUSED": "no name server could be reached",
}
_FINAL_OF_SYSTEM = {socket.EAI_NONAME, socket.EAI_NODATA}


class DnsResolver:
    """Looks names up, each time it is asked."""

    def __init__(self, settings: Dns) -> None:
        for server in settings.servers:
            _check_server(server)
        self._settings = settings
        self._channel: aiodns.DNSResolver | None = None
        self._without_cares = False

    async def lookup(self, host: str) -> DnsAnswer:
        """Ask for the addresses of a name, of both families."""
        import aiodns

        channel = self._open()
        if channel is None:
            return await _lookup_by_system(host)
        try:
            found = await channel.getaddrinfo(host, type=socket.SOCK_STREAM, flags=_NO_SORT)
        except aiodns.error.DNSError as error:
            return _failed(host, error.args[0])
        except UnicodeError:
            return _failure(host, "ARES_EBADNAME")
        addresses = tuple(dict.fromkeys(_text(node.addr[0]) for node in found.nodes))
        if not addresses:
            return _failure(host, "ARES_ENODATA")
        ttl = min([node.ttl for node in found.nodes] + [cname.ttl for cname in found.cnames])
        return DnsAnswer(addresses, float(ttl))

    async def aclose(self) -> None:
        """Give up the lookups under way."""
        if self._channel is not None:
            await self._channel.close()
            self._channel = None

    def _open(self) -> "aiodns.DNSResolver | None":
        """Start c-ares when it is first needed; None: it cannot be started."""
        import aiodns
        import pycares

        if self._channel is None and not self._without_cares:
            servers = self._settings.servers
            try:
                self._channel = aiodns.DNSResolver(
                    nameservers=servers or None,
                    loop=asyncio.get_running_loop(),
                    timeout=self._settings.timeout,
                    tries=_TRIES,
                    flags=pycares.ARES_FLAG_NOSEARCH,
                    # Neither `lookups` nor `resolvconf_path`: pycares hands c-ares memory that is free by then.
                )
            except pycares.AresError:
                self._without_cares = True
        return self._channel


async def _lookup_by_system(host: str) -> DnsAnswer:
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except UnicodeError:
        return _failure(host, "ARES_EBADNAME")
    except socket.gaierror as error:
        return DnsAnswer(error=f"no address for {host}: {error.strerror}", final=error.errno in _FINAL_OF_SYSTEM)
    return DnsAnswer(tuple(dict.fromkeys(str(place[0]) for *_, place in found)))


def _failed(host: str, code: int) -> DnsAnswer:
    import pycares

    return _failure(host, pycares.errno.errorcode.get(code, ""), _text(pycares.errno.strerror(code)))


def _failure(host: str, name: str, text: str = "") -> DnsAnswer:
    return DnsAnswer(error=f"no address for {host}: {_FINAL.get(name) or _PASSING.get(name) or text}", final=name in _FINAL)


def _text(address: str | bytes) -> str:
    return address.decode() if isinstance(address, bytes) else address


def _check_server(server: str) -> None:
    """Refuse what is neither an address nor an address with a port."""
    match = _SERVER.fullmatch(server)
    bracketed, plain, port, bare = match.groups() if match else (None, None, None, None)
    try:
        ip_address(bracketed or plain or bare or "")
        if not 0 < int(port or 53) < 65536:
            raise ValueError
    except ValueError:
        raise ConfigError(f"{server!r} is no name server; write it like 192.0.2.53 or 192.0.2.53:5353") from None
