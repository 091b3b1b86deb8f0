"""Both ways to read a page: every promise about HTML is kept by each of them. Without a compiler there is only the tree."""

from importlib.util import find_spec

from gossamer.processors import tree
from gossamer.processors.html import Way

WAYS: dict[str, Way] = {"tree": tree}
if find_spec("gossamer.processors._scan") is not None:
    from gossamer.processors import scan

    WAYS["scan"] = scan
