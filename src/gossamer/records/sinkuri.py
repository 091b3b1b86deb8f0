"""The URI of a sink: who is told, how, and with what; never with a secret in it.

A URI is kept in the settings of a crawl and shown to people. So a password in it is refused: `secret_file` names a file that
holds it, `secret_env` an environment variable. `with` asks for the content of pages. All else is for the sink to read.
"""

from collections.abc import Iterable
from urllib.parse import SplitResult, parse_qsl, quote, urlencode, urlsplit

from msgspec import Struct

from gossamer.config.choice import remedy
from gossamer.errors import ConfigError

CONTENTS = ("text", "links")  # that may be asked for
SHOWN = frozenset({"stream"})  # parameters that people may see: a webhook may have a key of its own among the others
EXAMPLES = "stdout:, webhook+https://example.org/events, redis://localhost/?stream=NAME, nats://localhost/SUBJECT or kafka://localhost/TOPIC"


class SinkUri(Struct, frozen=True, kw_only=True):
    """The URI of a sink, taken apart."""

    scheme: str
    user: str = ""
    authority: str = ""  # host and port, or several of them
    path: str = ""
    parameters: tuple[tuple[str, str], ...] = ()  # for the sink to read
    contents: tuple[str, ...] = ()
    secret_file: str = ""
    secret_env: str = ""

    @property
    def name(self) -> str:
        """Return what tells one consumer from another: the same one may be told more or less, or have a new secret."""
        query = urlencode(sorted(self.parameters))
        return self._place + (f"?{query}" if query else "")

    @property
    def shown(self) -> str:
        """Return what people are shown."""
        parts = [f"{key}={value}" if key in SHOWN else f"{key}=..." for key, value in self.parameters]
        return self._place + (f"?{'&'.join(parts)}" if parts else "")

    @property
    def _place(self) -> str:
        if not self.authority:
            return f"{self.scheme}:{self.path}"
        return f"{self.scheme}://{quote(self.user) + '@' if self.user else ''}{self.authority}{self.path}"

    def host_and_port(self, usual: int) -> tuple[str, int]:
        """Return the one host that is named, and its port."""
        parts = urlsplit(f"//{self.authority}")
        try:
            return parts.hostname or "", parts.port or usual
        except ValueError:
            raise ConfigError(f"{self.shown} names no host and port; write it like {self.scheme}://localhost:{usual}") from None

    def parameter(self, key: str, usual: str = "") -> str:
        """Return a parameter, or what it usually is."""
        return dict(self.parameters).get(key, usual)

    def allow(self, *known: str) -> None:
        """Refuse parameters that this kind of sink does not have."""
        for key, _ in self.parameters:
            if key not in known:
                raise ConfigError(f"{self.shown} has no parameter {key}; {remedy(key, (*known, *OURS))}")


OURS = ("with", "secret_file", "secret_env")


def sink_uri(text: str, schemes: Iterable[str]) -> SinkUri:
    """Take the URI of a sink apart; what is none, or has a secret in it, is refused."""
    try:
        parts = urlsplit(text)
        given = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    except ValueError:
        raise ConfigError(f"a sink of events is no URI; write it like {EXAMPLES}") from None
    if parts.scheme not in (known := list(schemes)):
        raise ConfigError(f"there is no sink {parts.scheme or text!r}; {remedy(parts.scheme, known)}")
    ours = {key: value for key, value in given if key in OURS}
    uri = SinkUri(
        scheme=parts.scheme,
        user=parts.username or "",
        authority=parts.netloc.rpartition("@")[2],
        path=parts.path,
        parameters=tuple((key, value) for key, value in given if key not in OURS),
        contents=_contents(ours.get("with", "")),
        secret_file=ours.get("secret_file", ""),
        secret_env=ours.get("secret_env", ""),
    )
    _refuse_secret(uri, parts)
    return uri


def _contents(wanted: str) -> tuple[str, ...]:
    words = tuple(word for word in wanted.replace("|", ",").split(",") if word)
    for word in words:
        if word not in CONTENTS:
            raise ConfigError(f"no sink is told {word!r} of pages; {remedy(word, CONTENTS)}")
    return words


def _refuse_secret(uri: SinkUri, parts: SplitResult) -> None:
    if parts.password is not None:
        raise ConfigError(
            f"the password of {uri.shown} would stand in the crawl's settings; "
            "write it to a file and add ?secret_file=PATH, or name an environment variable with ?secret_env=NAME"
        )
    if uri.secret_file and uri.secret_env:
        raise ConfigError(f"{uri.shown} has both secret_file and secret_env; leave one out")
    if parts.fragment:
        raise ConfigError(f"{uri.shown} ends with #..., which means nothing here; leave it out")
