"""Addresses an operator wrote down: `host:address`, `*.domain:address` for every subdomain, `*:address` for every name.

The nearest rule wins: the name itself, then the longest domain. Several rules for one name add up.
"""

from collections.abc import Iterable
from ipaddress import ip_address

from gossamer.errors import ConfigError


class Overrides:
    """A table of names whose addresses nobody is asked for."""

    def __init__(self, rules: Iterable[str]) -> None:
        self._addresses: dict[str, tuple[str, ...]] = {}
        for rule in rules:
            host, colon, address = rule.partition(":")
            host = host.lower().rstrip(".")
            if not colon or not host or ("*" in host.removeprefix("*.") and host != "*"):
                raise ConfigError(f"{rule!r} is no override of a name; write it like example.org:192.0.2.1")
            self._addresses[host] = (*self._addresses.get(host, ()), _plain(address, rule))

    def find(self, host: str) -> tuple[str, ...]:
        """Return the addresses written down for a name; empty: none are."""
        if not self._addresses:
            return ()
        found = self._addresses.get(host)
        domain = host
        while found is None and domain:
            domain = domain.partition(".")[2]
            found = self._addresses.get(f"*.{domain}" if domain else "*")
        return found or ()


def _plain(address: str, rule: str) -> str:
    try:
        return str(ip_address(address.removeprefix("[").removesuffix("]")))
    except ValueError:
        raise ConfigError(f"{address!r} in {rule!r} is no address; write it like example.org:192.0.2.1") from None
