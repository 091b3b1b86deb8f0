"""Asks name servers, through c-ares, and keeps the time to live of the records.

The system's servers and its hosts file are used unless servers are configured. Search domains never are: a crawler means the
name it was given. When c-ares cannot start at all, `getaddrinfo` in a thread answers instead, without a time to live.
"""

import asyncio
import re
import socket
from ipaddress import ip_address

import aiodns
import pycares

from gossamer.config.sections import Dns
from gossamer.dns.answer import DnsAnswer
from gossamer.errors import ConfigError

_SERVER = re.compile(r"(?:\[([^\]]*)\]|([^:\[\]]*))(?::([0-9]{1,5}))?|([^\[\]]*:[^\[\]]*:[^\[\]]*)")
_TRIES = 2
_NO_SORT = 1 << 7  # ARES_AI_NOSORT: sorting would open a socket to each address; whoever connects tries them all anyway
_FINAL = {
    pycares.errno.ARES_ENOTFOUND: "the name does not exist",
    pycares.errno.ARES_ENODATA: "the name has no address",
    pycares.errno.ARES_EBADNAME: "the name cannot be asked for",
}
_PASSING = {
    pycares.errno.ARES_ETIMEOUT: "no name server answered in time",
    pycares.errno.ARES_ESERVFAIL: "the name server failed",
    pycares.errno.ARES_EREFUSED: "the name server refused to answer",
    pycares.errno.ARES_ECONNREFUSED: "no name server could be reached",
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
        channel = self._open()
        if channel is None:
            return await _lookup_by_system(host)
        try:
            found = await channel.getaddrinfo(host, type=socket.SOCK_STREAM, flags=_NO_SORT)
        except aiodns.error.DNSError as error:
            return _failure(host, error.args[0])
        except UnicodeError:
            return _failure(host, pycares.errno.ARES_EBADNAME)
        addresses = tuple(dict.fromkeys(_text(node.addr[0]) for node in found.nodes))
        if not addresses:
            return _failure(host, pycares.errno.ARES_ENODATA)
        ttl = min([node.ttl for node in found.nodes] + [cname.ttl for cname in found.cnames])
        return DnsAnswer(addresses, float(ttl))

    async def aclose(self) -> None:
        """Give up the lookups under way."""
        if self._channel is not None:
            await self._channel.close()
            self._channel = None

    def _open(self) -> aiodns.DNSResolver | None:
        """Start c-ares when it is first needed; None: it cannot be started."""
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
        return _failure(host, pycares.errno.ARES_EBADNAME)
    except socket.gaierror as error:
        return DnsAnswer(error=f"no address for {host}: {error.strerror}", final=error.errno in _FINAL_OF_SYSTEM)
    return DnsAnswer(tuple(dict.fromkeys(str(place[0]) for *_, place in found)))


def _failure(host: str, code: int) -> DnsAnswer:
    reason = _FINAL.get(code) or _PASSING.get(code) or _text(pycares.errno.strerror(code))
    return DnsAnswer(error=f"no address for {host}: {reason}", final=code in _FINAL)


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
