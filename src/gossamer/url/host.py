"""Hosts: which of them belong together, and which are addresses.

The registrable domain is the public suffix (https://publicsuffix.org/, the list inside the package, private section
included, so that two users of one hosting service are two sites) and one more label. Answers are cached: a crawl asks for the
same few hosts again and again.
"""

from functools import cache, lru_cache
from ipaddress import ip_address

from publicsuffixlist import PublicSuffixList


@lru_cache(maxsize=65536)
def registrable_domain(host: str) -> str:
    """Return the domain that somebody registered; an address, a single label and a public suffix are their own."""
    name = host.rstrip(".")
    if "." not in name or is_ip(name):
        return name
    return _suffixes().privatesuffix(name) or name


def is_local(host: str) -> bool:
    """Tell whether a name is this machine's own, whoever is asked (RFC 6761 section 6.3)."""
    return host.rstrip(".").rpartition(".")[2] == "localhost"


@lru_cache(maxsize=65536)
def is_public_suffix(host: str) -> bool:
    """Tell whether names below a host belong to people who know nothing of each other."""
    name = host.rstrip(".")
    return not is_ip(name) and bool(_suffixes().is_public(name))


@lru_cache(maxsize=65536)
def is_ip(host: str) -> bool:
    """Tell whether the host is an address; an IPv6 one may be in brackets."""
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()  # tens of milliseconds to read: only when somebody asks
