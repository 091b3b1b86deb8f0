"""An item: what a reader of an operator's script found on a page; and a problem: what went wrong while it looked.

They travel with a visit as a `Harvest` and become rows of the catalog in the transaction of its page. A row's number only
grows and is never given twice, so whoever knows the last number it has had asks for what came after.
"""

from msgspec import Struct


class Item(Struct, frozen=True, array_like=True):
    """One thing that a reader yielded."""

    reader: str  # its function's name
    content: bytes  # a JSON object


class ReaderProblem(Struct, frozen=True, array_like=True):
    """Why something that a reader should have found is missing."""

    reader: str
    error: str  # one line
    where: str = ""  # file and line of the script, such as shop.py:7
    trace: str = ""


class Harvest(Struct, frozen=True, array_like=True):
    """What all readers of one page came to: it takes the place of what they came to the last time."""

    items: tuple[Item, ...] = ()
    problems: tuple[ReaderProblem, ...] = ()


class KeptItem(Struct, frozen=True, kw_only=True):
    """An item as a row of the catalog."""

    number: int
    url: str  # of its page
    host: str
    fetched_at: float  # when the version of the page was fetched that it is from
    reader: str
    content: bytes  # a JSON object


class KeptProblem(Struct, frozen=True, kw_only=True):
    """A problem as a row of the catalog."""

    number: int
    url: str
    host: str
    fetched_at: float
    reader: str
    error: str
    where: str
    trace: str
