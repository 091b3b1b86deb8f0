"""SimHash of a text: 64 bits of which few change when few words do. The door to `_simhash.c`, and to `vectors.py` without it.

Words are runs of letters and digits, case folded, told apart by their first 64 characters; a character of a script that is
written without spaces (Han, kana, Thai, Lao, Burmese, Khmer) is a word of its own (`scripts.py`). Every three words in a row
are a shingle, and so is a text of one or two words. Each distinct shingle counts once: counted as often as they come, the cells
of a table or a menu would outvote the text.

Both ways give the same numbers, which are part of what is on disk.
Standard: Charikar, Similarity Estimation Techniques from Rounding Algorithms (2002); the sketch is a bottom-k sketch.
"""

from collections.abc import Callable
from typing import cast

from gossamer.compiled import optional
from gossamer.records.likeness import Likeness

Reckon = Callable[[str], tuple[int, int, tuple[int, ...]]]  # SimHash, words, sketch


def usual_way() -> Reckon:
    """Return the compiled way, or what there is without it."""
    if compiled := optional("gossamer.dedupe._simhash"):
        return cast(Reckon, compiled.reckon)
    from gossamer.dedupe import vectors

    return vectors.reckon


_usual = usual_way()


def likeness_of(text: str, reckon: Reckon = _usual) -> Likeness:
    """Return what a text is like."""
    try:
        return Likeness(*reckon(text))
    except UnicodeEncodeError:  # half a surrogate pair
        return Likeness(*reckon(text.encode("utf-8", "replace").decode()))
