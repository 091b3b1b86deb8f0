from collections.abc import Callable

from gossamer.records.entry import LinkKind

Value = tuple[LinkKind, bool]

def scan(
    markup: bytes,  # UTF-8
    pages: dict[str, Value],
    images: dict[str, None],
    kinds: tuple[Value, Value, Value, Value, Value, Value],
    tell: Callable[[str, dict[str, str | None]], None],
    decode: Callable[[str, bool], str],
    limit: int,
    wants_text: bool,
    /,
) -> tuple[int, str, str | None]: ...  # what was not read, what a reader sees, the title
