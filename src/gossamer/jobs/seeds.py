"""Seeds: texts from the command line, a file or standard input, told apart from what is no URL."""

import re
from codecs import BOM_UTF8
from collections.abc import Iterable

from msgspec import Struct

from gossamer.errors import UrlError, UsageError
from gossamer.registry import keys
from gossamer.url.parse import Url, login_of, parse, shown

BARE = re.compile(  # a host without a scheme, perhaps with a port and a path
    r"(?P<host>localhost|[\w-]+(?:\.[\w-]+)+|\[[0-9a-fA-F:.]+\])(?::(?P<port>\d+))?(?:[/?#]|$)", re.IGNORECASE
)
LOCAL = re.compile(r"localhost|[\d.]+|\[.*", re.IGNORECASE)  # no certificate is made out to these
HTTPS = (None, "443")  # the ports


class Seeds(Struct, frozen=True):
    """The seeds that are URLs, and a sentence about each that was left out."""

    urls: tuple[Url, ...]
    invalid: tuple[str, ...]
    logins: dict[tuple[str, str], list[str]] = {}  # users and passwords that stood in seeds, and the origins they are for


def read_seeds(sources: Iterable[tuple[str, str | bytes]], skip_invalid: bool) -> Seeds:
    """Parse seeds, each with where it stands; without `skip_invalid` the first that is no URL is an error.

    Bytes that are no text are left out either way: nobody meant them as a URL, and the other lines are none the worse for them.
    """
    urls: dict[str, Url] = {}
    logins: dict[tuple[str, str], list[str]] = {}
    invalid = []
    for where, written in sources:
        try:
            text = _whole(written if isinstance(written, str) else written.decode())
            url, login = _parse(text), login_of(text)
        except UnicodeDecodeError as error:
            invalid.append(f"{where}: byte {error.start + 1} of it is no UTF-8")
            continue
        except UrlError as error:
            if not skip_invalid:
                raise UsageError(f"{where}: {error}; mend it, or pass --skip-invalid to crawl the others") from None
            invalid.append(f"{where}: {error}")
            continue
        urls[url.wire] = url
        if login is not None and url.host:
            logins.setdefault(login, []).append(url.origin)
    if not urls:
        raise UsageError("there is no seed to begin with; name a URL or a file with --seeds")
    return Seeds(tuple(urls.values()), tuple(invalid), logins)


def read_seed(text: str) -> Seeds:
    """Parse a single URL as a seed; raise UrlError when it is none."""
    text = _whole(text)
    url, login = _parse(text), login_of(text)
    return Seeds((url,), (), {login: [url.origin]} if login is not None and url.host else {})


def _whole(text: str) -> str:
    """Add the scheme. A bare `example.org/path` is taken as https; `localhost:8000`, like any host with a port, as http."""
    bare = BARE.match(text)
    if bare is None:
        return text
    is_plain = bare["port"] not in HTTPS or (bare["port"] is None and LOCAL.fullmatch(bare["host"]))
    return f"{'http' if is_plain else 'https'}://{text}"


def _parse(text: str) -> Url:
    url = parse(text)
    if not url.host and url.scheme != "file":
        raise UrlError(f"{shown(text)} names no host, so there is nothing to fetch")
    fetchable = keys("fetcher")
    if url.scheme not in fetchable:
        raise UrlError(f"nothing fetches {url.scheme} URLs; begin with one of {', '.join(fetchable)}")
    return url


def lines_of(name: str, lines: Iterable[bytes]) -> Iterable[tuple[str, bytes]]:
    """Return the seeds of a list, one a line with `#` comments, and where each stands."""
    for number, line in enumerate(lines, start=1):
        text = line.removeprefix(BOM_UTF8).strip()
        if text and not text.startswith(b"#"):
            yield f"{name} line {number}", text
