"""Who shows a secret: all that a crawl wrote, and all that its commands print."""

import gzip
import json
from pathlib import Path

from crawling import run_gossamer


def shown_secrets(directory: Path, printed: list[str], *secrets: str, asked: bool = False) -> list[tuple[str, str]]:
    """Return every place where a secret stands: a file of the crawl (archives unpacked), what was printed.

    `asked`: also what other commands say of the crawl.
    """
    places = {str(path.relative_to(directory)): content(path) for path in directory.rglob("*") if path.is_file()}
    places |= {f"printed {number}": text.encode() for number, text in enumerate(printed)}
    for words in commands(directory) if asked else ():
        result = run_gossamer(*words)
        places[" ".join(map(str, words))] = f"{result.stdout}{result.stderr}".encode()
    assert any(name.endswith(".warc.gz") for name in places)
    return [(place, secret) for place, text in places.items() for secret in secrets if secret.encode() in text]


def commands(directory: Path) -> list[list[object]]:
    """Return commands that tell much of a crawl."""
    first = json.loads(run_gossamer("pages", directory, "--json").stdout.splitlines()[0])["url"]
    return [
        ["config", directory],
        ["config", directory, "--json"],
        ["config", directory, "--toml"],
        ["status", directory, "--json"],
        ["explain", directory, first, "--json"],
        ["explain", directory, first],
        ["show", directory, first],
        ["pages", directory, "--json"],
        ["hosts", directory],
        ["verify", directory],
    ]


def records(directory: Path, kind: bytes) -> list[bytes]:
    """Return the records of one kind in the archive of a crawl."""
    found = [
        record
        for path in sorted(directory.rglob("*.warc.gz"))
        for record in content(path).split(b"WARC/1.1\r\n")
        if b"WARC-Type: " + kind + b"\r\n" in record
    ]
    assert found
    return found


def content(path: Path) -> bytes:
    """Return the bytes of a file, unpacked if they are packed."""
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
