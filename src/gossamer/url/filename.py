"""URLs as names of files: safe on every system, different for different URLs, and the same each time. Pure.

    https://example.org/docs/intro        example.org/docs/intro.txt
    https://example.org/docs/             example.org/docs/index.txt
    http://example.org:8080/docs/Intro    example.org+8080/docs/intro~erqbxsvonylqwoat.txt
    https://example.org/item?id=7         example.org/item_id_7~szsw4wmnqjhueeai.txt

A plain name stays as it is: lower-case letters, digits, `_`, `-` and single dots inside (of a folder no dots, so that none is
called like a file). Whatever is not plain, or means something to some system (`CON`), or is too long, is written with `_` for
what is not plain and the digest of itself behind a `~`, which no plain name has. So two URLs have one name only if two digests
of 80 bits are the same, on file systems that know no case as well. A path that is too long or too deep as a whole is one name.
"""

import re
from base64 import b32encode
from hashlib import sha256
from pathlib import PurePosixPath

from gossamer.url.parse import split

LONGEST_NAME = 80  # characters of a folder's or a file's own
LONGEST_PATH = 180  # of all of it: what old systems take, with some room for where the export is
INDEX = "index"  # what is at the end of a path that ends with a slash
OURS = frozenset({"export.json", "files.jsonl"})  # what an export calls its own files

_PLAIN = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*")
_OTHER = re.compile(r"[^a-z0-9_-]+")
_DEVICES = frozenset(
    {"con", "prn", "aux", "nul", "conin$", "conout$", "clock$"}
    | {f"{device}{number}" for device in ("com", "lpt") for number in range(10)}
)
_DIGEST = 16  # characters


def file_of(url: str, suffix: str) -> PurePosixPath:
    """Return the path of a URL's file below the folder of an export; `suffix` begins with a dot."""
    parts = split(url)
    host = folder_of(url)
    *folders, last = parts.path.removeprefix("/").split("/")
    name = INDEX if last == "" and parts.query is None else _named(_asked(last, parts.query), is_folder=False)
    path = PurePosixPath(host, *(_named(folder, is_folder=True) for folder in folders), f"{name}{suffix}")
    if len(str(path)) <= LONGEST_PATH:
        return path
    return PurePosixPath(host, f"{_digested(url)}{suffix}")


def folder_of(url: str) -> str:
    """Return the folder of a URL's host; another port than that of https is part of its name."""
    parts = split(url)
    name = parts.host if _PLAIN.fullmatch(parts.host) and _is_harmless(parts.host) else _digested(parts.host)
    if parts.scheme == "https":
        return name if parts.port is None else f"{name}+https+{parts.port}"
    if parts.scheme == "http":
        return f"{name}+{parts.port or 80}"
    return f"{name}+{parts.scheme}" + (f"+{parts.port}" if parts.port is not None else "")


def _asked(last: str, query: str | None) -> str:
    return last if query is None else f"{last}?{query}"


def _named(text: str, is_folder: bool) -> str:
    """Return a name as it is if it is plain; else what is plain of it, and its digest."""
    plain = _PLAIN.fullmatch(text) and _is_harmless(text) and not (is_folder and "." in text) and text != INDEX
    return text if plain else _digested(text)


def _is_harmless(text: str) -> bool:
    return len(text) <= LONGEST_NAME and text.partition(".")[0] not in _DEVICES and text not in OURS


def _digested(text: str) -> str:
    digest = b32encode(sha256(text.encode()).digest()).decode().lower()[:_DIGEST]
    return f"{_OTHER.sub('_', text.lower())[: LONGEST_NAME - _DIGEST - 1].strip('_')}~{digest}"
