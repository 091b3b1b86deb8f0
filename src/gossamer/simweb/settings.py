"""What a synthetic web is grown from.

Two webs with equal settings and equal ports are equal in every byte. A benchmark asks for `plain=True`: nothing but pages
that answer 200, on hosts that answer at once and allow everything.
"""

from dataclasses import dataclass
from typing import Literal

Coding = Literal["identity", "gzip", "br"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SimwebSettings:
    """The knobs of a synthetic web; sizes are bytes, durations seconds."""

    seed: int = 1
    hosts: int = 50
    pages: int = 2000  # ordinary pages, host roots included; a web that is not plain adds a few special cases a host
    min_bytes: int = 5_000
    max_bytes: int = 150_000  # equal to min_bytes: every page has that size
    port: int = 0  # 0: any free one
    addresses: int = 1  # 127.0.0.1 and so many minus one after it; hosts are spread over them
    plain: bool = False
    coding: Coding = "identity"  # of the pages of a plain web; any other web mixes them
    cache_bytes: int = 64 * 1024 * 1024  # rendered answers kept by the server
    warm: bool = False  # render as many of them as the cache holds before the server listens
    dns_ttl: int = 60
    wait: float = 0.0  # before every answer
    stamped: bool = False  # the ledger has the time at which the kernel took a request; needs asyncio's own loop

    def __post_init__(self) -> None:
        if self.hosts < 1 or self.pages < self.hosts:
            raise ValueError(f"{self.pages} pages cannot fill {self.hosts} hosts; ask for at least one host and one page each")
        if not 2_000 <= self.min_bytes <= self.max_bytes:
            raise ValueError(
                f"pages of {self.min_bytes} to {self.max_bytes} bytes cannot be; ask for 2000 or more, least first"
            )
        if not 1 <= self.addresses <= 254:
            raise ValueError(f"{self.addresses} addresses cannot be had; ask for 1 to 254")
