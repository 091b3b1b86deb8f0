"""Everything that is printed: lines, tables, JSON, progress. The only module that prints.

Colours and live progress only on a terminal; plain lines otherwise. Results go to standard output, everything about the
work to standard error. Text from the web is printed with its control characters escaped.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from math import inf
from shutil import get_terminal_size
from typing import Any

import msgspec

from gossamer.jobs.plain import plain
from gossamer.records import reason

ONE_LINE = str.maketrans("\n\t", "  ")


def line(text: str = "") -> None:
    """Print a line of a result."""
    print(clean(text))


def note(text: str) -> None:
    """Print a line about the work."""
    print(clean(text), file=sys.stderr, flush=True)


def fail(text: str) -> None:
    """Print an error: one sentence."""
    prefix = "\x1b[31mgossamer:\x1b[0m" if sys.stderr.isatty() else "gossamer:"
    print(prefix, clean(text), file=sys.stderr, flush=True)


def json(value: Any) -> None:
    """Print an object as one line of JSON; records in it are objects, too."""
    sys.stdout.write(msgspec.json.encode(plain(value)).decode() + "\n")
    sys.stdout.flush()


def raw(content: bytes) -> None:
    """Write bytes as they are."""
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def told(facts: dict[str, Any], prefix: str = "") -> str:
    """Return the sentence of a reason that came as plain values; an empty text: there is none."""
    return reason.told(facts[f"{prefix}rule"], facts[f"{prefix}reason"])


def links_cut(counts: dict[str, int]) -> str:
    """Say how many links of how many pages were cut."""
    links, pages = counts["links"], counts["pages"]
    return f"{links:,} links of {pages:,} {'page' if pages == 1 else 'pages'} were cut (documents.max_links)"


def build(compiled: Sequence[str], pure: Sequence[str]) -> str:
    """Say which modules are in C and which run in Python."""
    if not pure:
        return f"all {len(compiled):,} modules in C are compiled"
    told = f"{len(compiled):,} of {len(compiled) + len(pure):,} modules in C are compiled"
    return f"{told}; these run in Python, more slowly: {', '.join(pure)}"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], whole: str = "", spare: Sequence[str] = ()) -> None:
    """Print a table: with heads on a terminal, where the URLs of the column `whole` stay whole (`columns.py`); otherwise with
    tabs, and nothing is left out."""
    if not sys.stdout.isatty():
        for row in rows:
            print("\t".join(clean(cell) for cell in row))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console, cells = Console(), [[clean(cell).translate(ONE_LINE) for cell in row] for row in rows]
    if whole:
        from gossamer.cli.columns import laid_out

        for number, text in enumerate(laid_out(headings, cells, console.width, whole, spare)):
            console.print(Text(text, style="" if number else "bold"), soft_wrap=True)
        return
    drawn = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        drawn.add_column(heading, overflow="fold")
    for row in cells:
        drawn.add_row(*map(Text, row))
    console.print(drawn)


def heading(text: str) -> None:
    """Print the heading of a part of a result, bold on a terminal."""
    print(f"\x1b[1m{clean(text)}\x1b[0m" if sys.stdout.isatty() else clean(text))


def fitted(text: str) -> None:
    """Print a line of a result that stays one line on a terminal: what is too wide is cut out of its middle."""
    whole = clean(text).translate(ONE_LINE)
    print(shorten(whole, get_terminal_size().columns) if sys.stdout.isatty() else whole)


def rows(facts: Iterable[tuple[str, str]]) -> None:
    """Print what there is to say under short labels, a line each; a line without a label goes on with the one before."""
    told = list(facts)
    width = max((len(label) for label, _ in told), default=0)
    for label, value in told:
        line(f"  {label:{width}}  {value}")


@contextmanager
def counter(what: str, quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """Count work on a terminal; say nothing elsewhere."""
    if quiet or not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TextColumn("{task.completed:,.0f}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done: progress.advance(task, done)


@contextmanager
def bar(what: str, quiet: bool = False, sizes: bool = True) -> Iterator[Callable[[int, int], None]]:
    """Show how much of some bytes, or of what else is counted, is done on a terminal; say nothing elsewhere."""
    if quiet or not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    counted = DownloadColumn() if sizes else MofNCompleteColumn()
    columns = (TextColumn("{task.description}"), BarColumn(), counted, TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, advance=done, total=total)


def shorten(text: str, width: int) -> str:
    """Cut characters out of the middle of a text that is too wide for its place on a terminal."""
    from gossamer.cli.columns import shorten

    return shorten(text, width)


def clean(text: str) -> str:
    """Escape control characters, so that a page's title cannot play with the terminal."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in "\n\t" else f"\\x{ord(char):02x}" for char in text)


def size(count: float) -> str:
    """Write a number of bytes for people."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"


def exact_size(count: int) -> str:
    """Write a number of bytes the way an option takes it, without rounding."""
    for unit, factor in (("GB", 1000**3), ("MB", 1000**2), ("kB", 1000)):
        if count and count % factor == 0:
            return f"{count // factor}{unit}"
    return str(count)


def duration(seconds: float) -> str:
    """Write a duration for people."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02} min"


def moment(seconds: float | None) -> str:
    """Write a time for people, in UTC."""
    if not seconds or seconds == inf:
        return "-"
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")
