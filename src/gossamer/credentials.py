"""What the rules of requests refer to, read and checked: passwords, tokens, header fields, cookies, certificates, proxies.

Everything is read when a crawl is opened, by every process that sends requests. No message shows what stands in a file.
"""

import os
import re
import stat
from base64 import b64encode
from pathlib import Path
from ssl import SSLError

from gossamer.config.headers import header_field
from gossamer.config.sections import RequestRule, Settings
from gossamer.errors import ConfigError
from gossamer.fetchers.secure import client_context, why_not
from gossamer.filters.access import AccessRule, AccessRules, Reach
from gossamer.policy.cookies import exported
from gossamer.records.access import Access, Proxy, Secret
from gossamer.records.visit import Cookie

LONGEST = 1024 * 1024  # bytes of a file
_PROXY = re.compile(
    r"(?P<scheme>https?|socks5h?)://(?:(?P<user>[^@:/]+)(?P<password>:[^@/]*)?@)?"
    r"(?P<host>\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+):(?P<port>[0-9]{1,5})/?"
)
NO_PROXY = "none"
HOSTS_TOLD = 3  # hosts of a rule in a message


def read_access(settings: Settings) -> AccessRules | None:
    """Return what the rules of requests say; None: there are none. Raises ConfigError for the first that cannot hold."""
    if not settings.requests:
        return None
    return AccessRules(
        [_rule(rule, f"the rule of requests for {', '.join(rule.hosts[:HOSTS_TOLD])}") for rule in settings.requests]
    )


def trusted_proxies(settings: Settings) -> list[str]:
    """Return the proxies that find the addresses of names themselves, where private ones are not refused."""
    proxied = [rule for rule in settings.requests if rule.proxy not in ("", NO_PROXY)]
    return list(dict.fromkeys(rule.proxy for rule in proxied if rule.proxy_resolves or rule.proxy.startswith("socks5h:")))


def _rule(rule: RequestRule, name: str) -> AccessRule:
    reach = Reach(rule.hosts, f"{name}: hosts", is_strict=False)
    secret_reach = Reach(rule.hosts, f"{name}: hosts", is_strict=True)
    access = Access(
        headers=tuple(map(header_field, rule.headers)),
        secrets=(*_login(rule, name), *_secret_fields(rule, name)),
        certificate=_certificate(rule, name),
        proxy=_proxy(rule, name) if rule.proxy not in ("", NO_PROXY) else None,
        keeps_cookies=rule.cookies,
        cookies=_cookies(rule, name),
    )
    if secret_reach.is_everywhere and (access.secrets or access.certificate):
        raise ConfigError(f"{name} would show its secrets to every host there is; name the hosts they are for")
    return AccessRule(reach, secret_reach, access, rule.proxy == NO_PROXY)


def _login(rule: RequestRule, name: str) -> list[tuple[str, Secret]]:
    if rule.user:
        password = _secret(name, "password", rule.password_file, rule.password_env)
        return [("Authorization", Secret(f"Basic {b64encode(f'{rule.user}:{password}'.encode()).decode()}"))]
    if rule.token_file or rule.token_env:
        token = _secret(name, "token", rule.token_file, rule.token_env)
        if not re.fullmatch(r"[!-~]+", token):
            raise ConfigError(f"{name}: the token has a character that no token may have")
        return [("Authorization", Secret(f"Bearer {token}"))]
    return []


def _secret_fields(rule: RequestRule, name: str) -> list[tuple[str, Secret]]:
    if not rule.headers_file:
        return []
    lines = [line for line in _text(name, "headers_file", rule.headers_file).splitlines() if line.strip()]
    try:
        return [(field, Secret(value)) for field, value in map(header_field, lines)]
    except ValueError as error:
        raise ConfigError(f"{name}: headers_file {rule.headers_file}: {error}") from None


def _cookies(rule: RequestRule, name: str) -> tuple[Cookie, ...]:
    if not rule.cookies_file:
        return ()
    try:
        return exported(_text(name, "cookies_file", rule.cookies_file))
    except ValueError as error:
        raise ConfigError(f"{name}: cookies_file {rule.cookies_file}: {error}") from None


def _certificate(rule: RequestRule, name: str) -> tuple[str, str] | None:
    if not rule.certificate:
        return None
    files = (rule.certificate, rule.key or rule.certificate)
    for field, file in zip(("certificate", "key"), files, strict=True):
        _text(name, field, file)
    try:
        client_context("", verifies=False, certificate=files)
    except (SSLError, ValueError) as error:
        why = why_not(error) if isinstance(error, SSLError) else str(error)
        raise ConfigError(
            f"{name}: {files[0]} and {files[1]} are no certificate and its key, without a passphrase ({why})"
        ) from None
    return files


def _proxy(rule: RequestRule, name: str) -> Proxy:
    match = _PROXY.fullmatch(rule.proxy)
    if match is None or not 0 < int(match["port"]) < 65536:
        raise ConfigError(f"{name}: proxy is no proxy; write http://HOST:PORT, socks5://HOST:PORT or socks5h://HOST:PORT")
    if match["password"] is not None:
        raise ConfigError(f"{name}: proxy has a password in it; write it into a file and name that as proxy_password_file")
    if match["scheme"] == "https":
        raise ConfigError(f"{name}: a proxy is not spoken to over TLS; write http://, https pages go through it all the same")
    has_password = bool(rule.proxy_password_file or rule.proxy_password_env)
    if has_password != bool(match["user"]):
        raise ConfigError(f"{name}: a proxy has a user (USER@HOST:PORT) and a password (proxy_password_file), or neither")
    password = _secret(name, "proxy_password", rule.proxy_password_file, rule.proxy_password_env) if has_password else Secret()
    if len(password.encode()) > 255:
        raise ConfigError(f"{name}: the password for the proxy is longer than 255 bytes")
    scheme = match["scheme"]
    return Proxy(
        scheme.removesuffix("h"),
        match["host"].strip("[]"),
        int(match["port"]),
        rule.proxy_resolves or scheme == "socks5h",
        match["user"] or "",
        password,
    )


def _secret(name: str, what: str, file: str, variable: str) -> Secret:
    """Return the first line of a file, or a variable."""
    if variable:
        text = os.environ.get(variable)
        if not text:
            raise ConfigError(f"{name}: the environment variable {variable} ({what}_env) is not set; set it, or name another")
    else:
        text = _text(name, f"{what}_file", file).removesuffix("\n").removesuffix("\r")
        if not text:
            raise ConfigError(f"{name}: {what}_file {file} is empty")
    if not text.isprintable():
        raise ConfigError(f"{name}: the {what} has a line end or another character that it may not have")
    return Secret(text)


def _text(name: str, field: str, file: str) -> str:
    try:
        path = Path(file)
        if not stat.S_ISREG(path.stat().st_mode) or path.stat().st_size > LONGEST:
            raise ConfigError(f"{name}: {field} {file} is no file, or a very long one")
        return path.read_text("utf-8")
    except OSError as error:
        raise ConfigError(f"{name}: {field} {file} cannot be read: {(error.strerror or str(error)).lower()}") from None
    except ValueError:
        raise ConfigError(f"{name}: {field} {file} is no text") from None
