"""Which addresses may be contacted: public ones, and those an operator allows by name.

Pure. The table is our own because `ipaddress.is_global` lets through ways to say a private address with more letters: an
IPv4 address inside an IPv6 one is judged as the IPv4 address it leads to. What is no plain address (a zone, an octal or
hexadecimal spelling, a name) is refused: whoever connects knows the address in its plain form.

Follows the IANA special-purpose address registries (RFC 6890) and RFC 6052, 3056, 4380, 4291.
"""

from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address

_SPECIAL = tuple(
    (ip_network(network), word)
    for network, word in (
        ("0.0.0.0/8", "unspecified"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "carrier-grade NAT"),
        ("127.0.0.0/8", "loopback"),
        ("169.254.0.0/16", "link-local"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "reserved for protocols"),
        ("192.0.2.0/24", "documentation"),
        ("192.88.99.0/24", "6to4 relay"),
        ("192.168.0.0/16", "private"),
        ("198.18.0.0/15", "benchmarking"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
        ("::/128", "unspecified"),
        ("::1/128", "loopback"),
        ("64:ff9b:1::/48", "local NAT64"),
        ("100::/64", "discard"),
        ("2001::/23", "reserved for protocols"),
        ("2001:db8::/32", "documentation"),
        ("3fff::/20", "documentation"),
        ("fc00::/7", "private"),
        ("fe80::/10", "link-local"),
        ("fec0::/10", "site-local"),
        ("ff00::/8", "multicast"),
        # Of IPv6 only 2000::/3 was ever given out; these four are all the rest.
        ("::/3", "reserved"),
        ("4000::/2", "reserved"),
        ("8000::/2", "reserved"),
        ("c000::/2", "reserved"),
    )
)
# Where an IPv6 address holds the IPv4 address it leads to: bits below it. Teredo is told apart in `_deciding`.
_EMBEDDING = tuple(
    (IPv6Network(network), below)
    for network, below in (
        ("::ffff:0:0/96", 0),  # mapped
        ("::ffff:0:0:0/96", 0),  # translated
        ("64:ff9b::/96", 0),  # NAT64
        ("2002::/16", 80),  # 6to4
        ("::/96", 0),  # compatible
    )
)
_TEREDO = IPv6Network("2001::/32")
_LOW = 0xFFFF_FFFF


class AddressGuard:
    """Says which addresses may not be contacted, and why."""

    def __init__(self, allow_private: Iterable[str] = ()) -> None:
        self._allowed = tuple(ip_network(text, strict=False) for text in allow_private)
        self.refusal = lru_cache(maxsize=8192)(self._refusal)

    def _refusal(self, address: str) -> str:
        """Return why an address may not be contacted; empty: it may."""
        try:
            parsed = ip_address(address)
        except ValueError:
            return f"{address!r} is no plain address"
        if isinstance(parsed, IPv6Address) and parsed.scope_id is not None:
            return f"{address} names a zone of this machine"
        if self._allows(parsed):
            return ""
        for deciding in _deciding(parsed):
            special = next(((network, word) for network, word in _SPECIAL if deciding in network), None)
            if special is not None and not self._allows(deciding):
                return f"{address} is not public ({special[1]}); --allow-private {special[0]} allows it"
        return ""

    def _allows(self, address: Address) -> bool:
        return any(address in network for network in self._allowed)


def _deciding(address: Address) -> tuple[Address, ...]:
    """Return the addresses by which one is judged: those it leads to, else itself."""
    if isinstance(address, IPv4Address) or address in (IPv6Address("::"), IPv6Address("::1")):
        return (address,)
    number = int(address)
    if address in _TEREDO:
        return IPv4Address(number >> 64 & _LOW), IPv4Address(~number & _LOW)
    return next(((IPv4Address(number >> below & _LOW),) for network, below in _EMBEDDING if address in network), (address,))


_PUBLIC_ONLY = AddressGuard()


def is_public(address: str) -> bool:
    """Tell whether an address is one of the public internet."""
    return not _PUBLIC_ONLY.refusal(address)
