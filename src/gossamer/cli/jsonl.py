"""JSON lines in, JSON lines out, for the batch modes: one answer a question, in order, an error never ends the batch."""

from collections.abc import Callable
from typing import Any, BinaryIO

import msgspec

from gossamer.cli import output
from gossamer.errors import GossamerError


def answer_lines(lines: BinaryIO, answer: Callable[[dict[str, Any]], object]) -> None:
    """Answer every line; a line that cannot be answered gets `{"error": …}`."""
    for line in lines:
        if not line.strip():
            continue
        try:
            output.json(answer(msgspec.json.decode(line)))
        except GossamerError as error:
            output.json({"error": str(error)})
        except (msgspec.DecodeError, KeyError, TypeError, AttributeError, ValueError) as error:
            output.json({"error": f"not understood: {type(error).__name__}: {error}"})
