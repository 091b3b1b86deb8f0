"""The house: what a reader relies on to find a thing by its name."""

import ast
from collections import defaultdict
from pathlib import Path

import gossamer

PACKAGE = Path(gossamer.__file__).parent


def test_no_class_name_is_used_twice_in_the_package() -> None:
    places = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{path.relative_to(PACKAGE)}:{node.lineno}")
    assert places
    assert {name: where for name, where in places.items() if len(where) > 1} == {}
