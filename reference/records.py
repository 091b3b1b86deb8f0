"""What travels: every record with its fields, every closed list with its words."""

import ast
from collections.abc import Iterator

from reference.source import Module, about, modules
from reference.table import code, table


def records() -> str:
    """Write a part a file, a table a record."""
    return "\n\n".join(_part(module) for module in modules("records") if module.name != "rules")


def _part(module: Module) -> str:
    return "\n\n".join([f"## {module.name}", module.about, *(_record(module, node) for node in module.classes)])


def _record(module: Module, node: ast.ClassDef) -> str:
    rows = list(_fields(module, node))
    head = ["word", "meaning"] if _is_list(node) else ["field", "type", "default", "meaning"]
    return f"### {node.name}\n\n{about(node)}" + (f"\n\n{table(head, rows)}" if rows else "")


def _is_list(node: ast.ClassDef) -> bool:
    return any(isinstance(base, ast.Name) and base.id.endswith("Enum") for base in node.bases)


def _fields(module: Module, node: ast.ClassDef) -> Iterator[tuple[str, ...]]:
    for line in node.body:
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            default = ast.unparse(line.value) if line.value else ""
            yield code(line.target.id), code(ast.unparse(line.annotation)), code(default), module.comment(line)
        elif isinstance(line, ast.Assign) and _is_list(node) and isinstance(line.value, ast.Constant):
            yield code(_word(line)), module.comment(line)


def _word(line: ast.Assign) -> str:
    """Return a word of a closed list: what it is written as, or its name, where that is a number."""
    value = line.value.value if isinstance(line.value, ast.Constant) else ""
    return value if isinstance(value, str) else ast.unparse(line.targets[0]).lower()
