"""Where a part can be swapped: every joint with what is called of it and what each call promises."""

import ast

from reference.source import Module, about, modules


def joints() -> str:
    """Write a part a file, the methods of each protocol."""
    return "\n\n".join(_part(module) for module in modules("joints"))


def _part(module: Module) -> str:
    return "\n\n".join([f"## {module.name}", module.about, *map(_protocol, module.classes)])


def _protocol(node: ast.ClassDef) -> str:
    methods = [line for line in node.body if isinstance(line, ast.FunctionDef | ast.AsyncFunctionDef)]
    inherited = [ast.unparse(base) for base in node.bases if ast.unparse(base) != "Protocol"]
    also = f" Has all of {', '.join(f'`{name}`' for name in inherited)} as well." if inherited else ""
    return "\n\n".join([f"### {node.name}", about(node) + also, *map(_method, methods)])


def _method(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    waits = "async " if isinstance(node, ast.AsyncFunctionDef) else ""
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"```python\n{waits}def {node.name}({ast.unparse(node.args)}){result}\n```\n\n{about(node)}"
