"""Classes as their source has them: what a field is for stands behind it as a comment, which nothing else knows."""

import ast
import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import gossamer

PACKAGE = Path(gossamer.__file__).parent


@dataclass(frozen=True)
class Module:
    """A file: what it says of itself, its classes, and the comments behind its lines."""

    name: str
    about: str
    classes: list[ast.ClassDef]
    comments: dict[int, str]

    def comment(self, node: ast.stmt) -> str:
        """Return what stands behind a statement."""
        return self.comments.get(node.end_lineno or 0, "")


def modules(package: str) -> Iterator[Module]:
    """Yield the files of a package that have classes."""
    for path in sorted((PACKAGE / package).glob("*.py")):
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]
        if classes:
            yield Module(path.stem, ast.get_docstring(tree) or "", classes, dict(_comments(text)))


def about(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Return what something says of itself."""
    return ast.get_docstring(node) or ""


def _comments(text: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not token.string.startswith("# ---"):
            yield token.start[0], token.string.removeprefix("#").partition("noqa")[0].strip()


def words(package: str, name: str) -> dict[str, str]:
    """Return the words of a closed list, each with the comment behind it."""
    for module in modules(package):
        for node in module.classes:
            if node.name == name:
                lines = [line for line in node.body if isinstance(line, ast.Assign) and isinstance(line.value, ast.Constant)]
                return {line.value.value: module.comment(line) for line in lines}  # type: ignore[attr-defined]
    raise KeyError(name)
