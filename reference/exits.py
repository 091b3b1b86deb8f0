"""Every exit code: what the crawl says of those of its own, and the errors that end with each."""

import inspect
import re
from collections.abc import Iterator

from gossamer.cli.crawl import crawl
from gossamer.errors import GossamerError
from reference.table import code, table


def exits() -> str:
    """Write a table of codes, then one of errors."""
    endings = re.findall(r"(\d+) ([^;.]+)[;.]", inspect.cleandoc(crawl.__doc__ or "").partition("Exit codes: ")[2])
    codes = {int(number): " ".join(words.split()) for number, words in endings}
    errors: list[type[GossamerError]] = [GossamerError, *_below(GossamerError)]
    for error in errors:
        codes.setdefault(error.exit_code, _about(error))
    rows = [(str(number), codes[number]) for number in sorted(codes)]
    told = [(code(error.__name__), str(error.exit_code), _about(error)) for error in errors]
    return f"{table(['code', 'meaning'], rows)}\n\n## Errors\n\n{table(['error', 'code', 'meaning'], told)}"


def _below(error: type[GossamerError]) -> Iterator[type[GossamerError]]:
    for one in error.__subclasses__():
        yield one
        yield from _below(one)


def _about(error: type[GossamerError]) -> str:
    words = inspect.cleandoc(error.__doc__ or "").rstrip(".")
    return words[:1].lower() + words[1:]
