"""What to say of a word that is none of a closed list: all there are, and the one that was probably meant."""

from collections.abc import Iterable
from difflib import get_close_matches


def remedy(word: str, known: Iterable[str]) -> str:
    """Return what there is instead of an unknown word."""
    names = [str(name) for name in known]
    near = get_close_matches(word.strip().lower(), names, n=1, cutoff=0.6)
    return (f"did you mean {near[0]}? " if near else "") + f"it must be one of {', '.join(names)}"
