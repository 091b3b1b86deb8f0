"""Submit a crawl to a home: its directory is made aside and appears whole, with what is wanted of it, or not at all."""

import os
import re
import shutil
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

from msgspec import Struct

from gossamer.config.load import load
from gossamer.durability import sync_directory
from gossamer.errors import CrawlReadOnly, DiskFull, NameTaken, UrlError, UsageError
from gossamer.jobs.begin import begin
from gossamer.jobs.directory import FULL, CrawlDirectory
from gossamer.jobs.job import JobWish, write_wish
from gossamer.jobs.seeds import read_seed
from gossamer.url.parse import Url, shown

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
ASIDE, REMOVED = ".new-", ".removed-"  # how the names of directories begin that are being made, or removed
YOUNG = 600.0  # seconds for which such a directory is left alone
REMOTE = ("http", "https", "ftp")  # what is fetched from somebody else; a file is our own disk


class BadSeed(Struct, frozen=True):
    """A seed that was not taken."""

    index: int
    url: str
    reason: str


def checked_name(name: str) -> str:
    """Return the name of a job; refuse one that cannot be."""
    if not NAME.fullmatch(name):
        raise UsageError(f"{shown(name)[:100]!r} is no name of a job; use small letters, digits and hyphens, 63 at most")
    return name


def name_of(url: Url, taken: Sequence[str]) -> str:
    """Return a name that is free, after the host of a seed."""
    plain = re.sub(r"[^a-z0-9]+", "-", url.host.lower()).strip("-")[:50] or "crawl"
    known = set(taken)
    return next(each for each in (plain, *(f"{plain}-{number}" for number in range(2, len(known) + 3))) if each not in known)


def read_urls(urls: Sequence[str]) -> tuple[list[Url], list[BadSeed]]:
    """Read seeds from strangers: those that are good, each once, and those that are not."""
    good: dict[str, Url] = {}
    bad = []
    for index, text in enumerate(urls):
        try:
            found = read_seed(text.strip())
            url = found.urls[0]
            if found.logins:
                raise UrlError("has a password in it; write a rule of requests for that host instead")
            if url.scheme not in REMOTE:
                raise UrlError(f"{url.scheme} URLs are no seeds here; begin with one of {', '.join(REMOTE)}")
            good[url.wire] = url
        except UrlError as error:
            bad.append(BadSeed(index, text, str(error)))
    return list(good.values()), bad


def submit(home: Path, name: str, seeds: Sequence[Url], settings: Mapping[str, object], wish: JobWish) -> Path:
    """Make a crawl of that name; it is there, durably, when this returns. Raises `NameTaken`."""
    target = home / checked_name(name)
    if os.path.lexists(target):
        raise NameTaken(f"there is something called {name} here already; choose another name")
    aside = home / f"{ASIDE}{token_hex(8)}"
    try:
        with begin(aside, load((), settings), seeds, wish.asked):
            write_wish(aside, wish)
        os.rename(aside, target)  # onto a directory with something in it: refused
        sync_directory(home)
    except OSError as error:
        if os.path.lexists(target):
            raise NameTaken(f"there is something called {name} here already; choose another name") from None
        if error.errno in FULL:
            raise DiskFull(f"no space is left for a crawl in {home}; free some") from error
        raise CrawlReadOnly(f"cannot make a crawl in {home}: {(error.strerror or str(error)).lower()}") from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return target


def remove(home: Path, directory: CrawlDirectory) -> None:
    """Remove a crawl that nobody runs: its name is free, durably, when this returns. Raises `CrawlInUse`."""
    with directory.lock():
        away = home / f"{REMOVED}{token_hex(8)}"
        os.rename(directory.path, away)
        sync_directory(home)
        shutil.rmtree(away, ignore_errors=True)


def clear_away(home: Path) -> None:
    """Remove what was being made, or removed, when a server was killed; for the one server that starts crawls.

    What is only minutes old may be in the making by another server.
    """
    for each in (*home.glob(f"{ASIDE}*"), *home.glob(f"{REMOVED}*")):
        with suppress(OSError):
            if time.time() - each.lstat().st_mtime > YOUNG and not each.is_symlink():
                shutil.rmtree(each, ignore_errors=True)
