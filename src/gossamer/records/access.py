"""Access: what a request to some host is sent with, and by which way; and texts that nobody is shown."""

from msgspec import Struct

from gossamer.records.visit import Cookie

MARK = "[secret]"  # what stands in records and messages instead of a secret


class Secret(str):
    """A text that does not show itself in messages and traces."""

    __slots__ = ()

    def __repr__(self) -> str:
        return repr(MARK)


class Proxy(Struct, frozen=True):
    """Who connects for us."""

    scheme: str  # http or socks5
    host: str
    port: int
    resolves: bool = False  # it is given names, not addresses
    user: str = ""
    password: Secret = Secret()

    @property
    def place(self) -> str:
        """Return host and port, for messages."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class Access(Struct, frozen=True, kw_only=True):
    """What the rules of requests say for an origin."""

    headers: tuple[tuple[str, str], ...] = ()  # that everybody may see
    secrets: tuple[tuple[str, Secret], ...] = ()  # headers that nobody is shown
    certificate: tuple[str, str] | None = None  # the files of a client certificate and its key
    proxy: Proxy | None = None
    keeps_cookies: bool = False
    cookies: tuple[Cookie, ...] = ()  # to begin with
