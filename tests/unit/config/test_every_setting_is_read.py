"""A setting that no code reads is a promise that nobody keeps.

The source is read, not run: whatever is of a section's type (a parameter that says so, an attribute such a parameter was kept
in, a section of the settings) is followed to the fields that are asked of it. A section that is handed on as a whole
(`model_dump`) counts as read.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import gossamer
from gossamer.config.sections import Section, Settings

SOURCE = Path(gossamer.__file__).parent
SECTIONS = {name: type(getattr(Settings(), name)).__name__ for name in Settings.model_fields if name != "requests"}
SECTIONS["requests"] = "RequestRule"  # a list of them
FIELDS = {kind.__name__: set(kind.model_fields) for kind in Section.__subclasses__() if kind is not Settings}
WHOLE = "Settings"
Read = tuple[str, str]  # class of a section, field


class Reader(ast.NodeVisitor):
    """Follows settings through one module."""

    def __init__(self, module: ast.Module) -> None:
        self.read: set[Read] = set()
        self._names = dict(imported(module))  # what this module calls a section's class
        self._scopes: list[dict[str, str]] = [{}]
        self._attributes: dict[str, str] = {}
        while True:  # an attribute may be used above the line that sets it
            known = len(self._attributes)
            self.visit(module)
            if len(self._attributes) == known:
                return

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        outer, self._attributes = self._attributes, dict(self._attributes)
        for line in node.body:  # a record's own fields
            if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
                self._note(line.target.id, self._annotated(line.annotation))
        while True:
            known = len(self._attributes)
            self.generic_visit(node)
            if len(self._attributes) == known:
                break
        self._attributes = outer

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        given = (*node.args.args, *node.args.kwonlyargs)
        kinds = {one.arg: kind for one in given if (kind := self._annotated(one.annotation))}
        self._scopes.append(self._scopes[-1] | kinds)
        self.generic_visit(node)
        self._scopes.pop()

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            targets = target.elts if isinstance(target, ast.Tuple) else [target]
            values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            if len(targets) == len(values):
                for one, value in zip(targets, values, strict=True):
                    self._bind(one, self._kind(value))
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if ast.unparse(node.func) == "super().__init__":  # where it is kept under its own name
            for given in node.args:
                if isinstance(given, ast.Name):
                    self._note(f"_{given.id}", self._kind(given))
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        kind = self._kind(node.value)
        if isinstance(node.ctx, ast.Load) and kind in FIELDS:
            fields = FIELDS[kind] if node.attr == "model_dump" else {node.attr} & FIELDS[kind]
            self.read |= {(kind, field) for field in fields}
        self.generic_visit(node)

    def _bind(self, target: ast.expr, kind: str) -> None:
        if isinstance(target, ast.Name) and kind:
            self._scopes[-1][target.id] = kind
        elif isinstance(target, ast.Attribute):
            self._note(target.attr, kind)

    def _note(self, attribute: str, kind: str) -> None:
        if kind:
            self._attributes[attribute] = kind

    def _annotated(self, annotation: ast.expr | None) -> str:
        """Return the section that an annotation names."""
        if annotation is None:
            return ""
        return self._names.get(ast.unparse(annotation).strip("'\""), "")

    def _kind(self, node: ast.expr) -> str:
        """Return of which section an expression is."""
        match node:
            case ast.Name(id=name):
                return self._scopes[-1].get(name, "")
            case ast.Attribute(value=value, attr=name):
                if self._kind(value) == WHOLE:
                    return SECTIONS.get(name, "")
                return self._attributes.get(name, WHOLE if name == "settings" else "")
            case ast.Call(func=ast.Attribute(attr="settings" | "model_copy" as name, value=value)):
                return WHOLE if name == "settings" else self._kind(value)
            case ast.Call(func=ast.Name(id="load")):
                return WHOLE
        return ""


def imported(module: ast.Module) -> Iterator[tuple[str, str]]:
    """Return what a module calls each section's class, and which one it is."""
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom) and node.module == "gossamer.config.sections":
            yield from ((alias.asname or alias.name, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module == "gossamer.config":
            yield from ((f"{alias.name}.{kind}", kind) for alias in node.names for kind in FIELDS)


def unread(source: Path) -> list[str]:
    """Return the settings that no module asks for."""
    modules = [path for path in source.rglob("*.py") if path.parts[len(source.parts)] not in ("config", "simweb", "testing")]
    read = {one for path in modules for one in Reader(ast.parse(path.read_text())).read}
    return [f"{name}.{field}" for name, kind in SECTIONS.items() for field in FIELDS[kind] if (kind, field) not in read]


def test_every_setting_is_read_by_some_code() -> None:
    assert unread(SOURCE) == []


def test_a_setting_that_nothing_reads_is_found(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text(
        "from gossamer.config.sections import Documents, Settings\n"
        "class Reading:\n"
        "    def use(self):\n"
        "        return self._settings.deadline\n"
        "    def __init__(self, settings: Settings, other) -> None:\n"
        "        self._settings = settings.documents\n"
        "        self.follow, self.sitemaps = settings.documents.follow, other.sitemaps\n"
    )
    missing = unread(tmp_path)
    assert {"documents.max_links", "documents.sitemaps"} <= set(missing)
    assert not {"documents.deadline", "documents.follow"} & set(missing)
