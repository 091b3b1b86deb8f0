"""What people type about requests becomes rules: options of the command line, and users and passwords in seeds.

They are for the seeds' hosts, but for the proxy, which is for all. A password that was typed goes into a file of the crawl that
only its owner can read: so a crawl goes on after a crash, and nothing else of it holds a secret (docs/decisions/0043).
"""

from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from gossamer.config.headers import header_field
from gossamer.config.rules import make_rule
from gossamer.config.sections import RequestRule, Settings
from gossamer.errors import UsageError
from gossamer.jobs.seeds import Seeds
from gossamer.seal import write_whole
from gossamer.url.parse import Url

SECRETS = "secrets"  # the folder of such files in a crawl's directory


class TypedRequests(Struct, frozen=True, kw_only=True):
    """Options about requests."""

    headers: tuple[str, ...] = ()
    user: str = ""
    password_file: str = ""
    cookies: str = ""
    cookie_jar: bool = False
    proxy: str = ""


def through_proxy(settings: Settings, proxy: str | None) -> Settings:
    """Return settings of a run that goes through a proxy, whatever its rules say of one; none was typed: as they are."""
    if not proxy:
        return settings
    return settings.model_copy(update={"requests": (_proxy_rule(proxy), *settings.requests)})


@contextmanager
def typed_meanwhile(typed: TypedRequests, seeds: Seeds, settings: Settings) -> Iterator[Settings]:
    """Give settings with the rules of what was typed, for a request outside any crawl; secret files are gone afterwards."""
    with TemporaryDirectory(prefix="gossamer-") as place:
        rules, secrets = typed_rules(typed, seeds, Path(place))
        write_secrets(Path(place), {name: text.encode() for name, text in secrets.items()})
        yield settings.model_copy(update={"requests": rules + settings.requests})


def write_secrets(directory: Path, secrets: Mapping[str, bytes]) -> None:
    """Write files that only their owner can read."""
    if secrets:
        (directory / SECRETS).mkdir(mode=0o700, exist_ok=True)
    for name, content in secrets.items():
        write_whole(directory / SECRETS / name, content, mode=0o600)


def typed_rules(typed: TypedRequests, seeds: Seeds, directory: Path) -> tuple[tuple[RequestRule, ...], dict[str, str]]:
    """Return the rules of what was typed, and the texts of the secret files they name, which stand in that directory."""
    origins, secrets = _origins(seeds.urls), _Secrets(directory)
    rules: list[RequestRule] = []
    for login, places in seeds.logins.items():
        rules.append(_rule("a seed", hosts=tuple(dict.fromkeys(places)), headers_file=secrets.add(login)))
    if typed.user or typed.password_file:
        rules.append(_rule("--user", hosts=origins, **_login(typed, secrets)))
    rules += _header_rules(typed.headers, seeds.urls, origins)
    if typed.cookies or typed.cookie_jar:
        rules.append(_rule("--cookies", hosts=_hosts(seeds.urls), cookies=True, cookies_file=typed.cookies))
    if typed.proxy:
        rules.append(_proxy_rule(typed.proxy))
    return tuple(rules), secrets.texts


class _Secrets:
    """Secret files to be written."""

    def __init__(self, directory: Path) -> None:
        self.texts: dict[str, str] = {}
        self._folder = directory / SECRETS

    def add(self, login: tuple[str, str]) -> str:
        """Take in a user and a password; return the file that has them."""
        name = str(len(self.texts) + 1)
        self.texts[name] = f"Authorization: Basic {b64encode(':'.join(login).encode()).decode()}\n"
        return str(self._folder / name)


def _login(typed: TypedRequests, secrets: _Secrets) -> dict[str, str]:
    user, colon, password = typed.user.partition(":")
    if not user or bool(colon) == bool(typed.password_file):
        raise UsageError("--user is NAME:PASSWORD, or NAME with --password-file FILE")
    if typed.password_file:
        return {"user": user, "password_file": typed.password_file}
    return {"headers_file": secrets.add((user, password))}


def _header_rules(headers: Iterable[str], seeds: Iterable[Url], origins: tuple[str, ...]) -> Iterator[RequestRule]:
    plain = []
    for text in headers:
        if text.startswith("@"):
            yield _rule("--header", hosts=origins, headers_file=text[1:])
            continue
        try:
            name, _ = header_field(text)
        except ValueError as error:
            raise UsageError(f"--header: {error}") from None
        if name.lower() == "authorization":
            raise UsageError("--header: Authorization is a secret; write it into a file and give that as --header @FILE")
        plain.append(text)
    if plain:
        yield _rule("--header", hosts=_hosts(seeds), headers=tuple(plain))


def _proxy_rule(proxy: str) -> RequestRule:
    return _rule("--proxy", hosts=("*",), proxy=proxy)


def _rule(name: str, **fields: object) -> RequestRule:
    return make_rule({field: value for field, value in fields.items() if value}, name)


def _origins(seeds: Iterable[Url]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(seed.origin for seed in seeds if seed.host)) or ("*",)


def _hosts(seeds: Iterable[Url]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"[{seed.host}]" if ":" in seed.host else seed.host for seed in seeds if seed.host)) or ("*",)
