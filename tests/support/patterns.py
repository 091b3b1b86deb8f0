"""Every regular expression of the program, and whether it takes linear time whatever it is given.

Found in two ways, so that none escapes: patterns that modules and classes hold when they are imported, and the calls of `re`
in the sources. A call whose pattern is only known at run time must be excused by name (`test_linear_patterns.py`).

Hostile inputs are made from a pattern's own parts: what begins a repetition, what it repeats over and over, and an end that
fits nowhere. Time is that of this thread, the least of some tries; what takes eight times as long for four times as much
and long enough to be no noise, is above linear.
"""

import ast
import importlib
import pkgutil
import random
import re
import re._parser as sre  # type: ignore[import-not-found]
import string
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import gossamer

ROOT = Path(gossamer.__file__).parent
ASKED = ("match", "fullmatch", "search", "finditer")
SCANNED = {"sub": "finditer", "subn": "finditer", "split": "finditer", "findall": "finditer"}
SIZES = (512, 2048, 8192)
SMALL = (12, 16, 20, 24, 28, 32, 40, 48, 64, 80, 96, 128, 192)  # what doubles with every character is noticed before it hangs
LARGE = 32768  # for whom there is a suspicion
TOO_LONG = 0.008  # seconds, of this thread
SUSPICIOUS = 0.001
_REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)
_MANY = 16  # times and more a part may be repeated, to be worth pumping
_ENDS = ("", "\0", "!", "\n", "x", "\u2028")
_SAMPLES = " \t\n\ra0-_.,:;/<>=\"'&%?#()[]!~\0\u00e9"


@dataclass(frozen=True)
class Found:
    """A pattern, where it stands and how it is asked."""

    place: str
    pattern: re.Pattern[Any]
    asked: frozenset[str]


# --- finding -----------------------------------------------------------------------------------------------------------


def modules() -> Iterator[ModuleType]:
    """Import every module of the package that is Python."""
    for info in pkgutil.walk_packages([str(ROOT)], "gossamer."):
        if not info.name.endswith("__main__"):
            yield importlib.import_module(info.name)


def held(value: object, depth: int = 3) -> Iterator[re.Pattern[Any]]:
    """Give the patterns that a value is or holds."""
    if isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, (list, tuple, set, frozenset)):
        for item in value:
            yield from held(item, depth - 1)
    elif depth and isinstance(value, dict):
        for item in (*value.keys(), *value.values()):
            yield from held(item, depth - 1)
    elif depth and isinstance(value, type) and value.__module__.startswith("gossamer."):
        for item in vars(value).values():
            yield from held(item, depth - 1)


def is_re(node: ast.expr) -> bool:
    """Tell whether an expression is a function of `re` that takes a pattern."""
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "re"
        and node.attr in {"compile", "match", "fullmatch", "search", "finditer", *SCANNED}
    )


def methods_called(tree: ast.Module) -> dict[str, set[str]]:
    """Say by the name of a variable how a module asks it, or what loops over it give; handed on, it may be asked anyhow."""
    called: dict[str, set[str]] = {}
    known = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in (*ASKED, *SCANNED):
            receivers = (node.value.body, node.value.orelse) if isinstance(node.value, ast.IfExp) else (node.value,)
            for receiver in receivers:
                known.add(id(receiver))
                called.setdefault(_named(receiver), set()).add(SCANNED.get(node.attr, node.attr))
    for node in ast.walk(tree):
        if isinstance(node, (ast.For, ast.comprehension)) and isinstance(node.iter, ast.Name):
            known.add(id(node.iter))
            targets = (each.id for each in ast.walk(node.target) if isinstance(each, ast.Name))
            called.setdefault(node.iter.id, set()).update(*(called.get(target, set()) for target in targets))
    for node in ast.walk(tree):
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load) and id(node) not in known:
            called[_named(node)] = set(ASKED)
    return called


def _named(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


@cache
def sources() -> dict[str, ast.Module]:
    """Return the sources of the package."""
    return {str(path.relative_to(ROOT)): ast.parse(path.read_text()) for path in sorted(ROOT.rglob("*.py"))}


def in_modules() -> Iterator[Found]:
    """Give the patterns that modules and classes hold."""
    called = {file: methods_called(tree) for file, tree in sources().items()}
    everywhere: dict[str, set[str]] = {}
    for names in called.values():
        for name, asked in names.items():
            everywhere.setdefault(name, set()).update(asked)
    seen: set[int] = set()
    for module in modules():
        file = str(Path(module.__file__ or "").relative_to(ROOT))
        for name, value in list(vars(module).items()):
            for pattern in held(value):
                asked = called[file].get(name, set()) if name.startswith("_") else everywhere.get(name, set())
                if id(pattern) not in seen or not asked:
                    seen.add(id(pattern))
                    yield Found(f"{module.__name__}.{name}", pattern, frozenset(asked or ASKED))


def in_sources() -> Iterator[tuple[str, Found | None]]:
    """Give the calls of `re` in the sources, each with its pattern; None: that is only known at run time."""
    for file, tree in sources().items():
        inside = {
            id(node) for each in ast.walk(tree) if isinstance(each, (ast.FunctionDef, ast.Lambda)) for node in ast.walk(each)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and is_re(node.func):
                place = f"{file}:{node.lineno}"
                yield place, _read_call(node, place) if id(node) in inside else _held_call(tree, node, file, place)


def _read_call(node: ast.Call, place: str) -> Found | None:
    """Compile the pattern of a call in a function."""
    first, method = node.args[0], node.func.attr  # type: ignore[attr-defined]
    if not isinstance(first, ast.Constant):
        return None
    flags = next((keyword.value for keyword in node.keywords if keyword.arg == "flags"), None)
    compiled = eval(ast.unparse(flags), {"re": re}) if flags is not None else 0
    asked = ASKED if method == "compile" else (SCANNED.get(method, method),)
    return Found(place, re.compile(first.value, compiled), frozenset(asked))


def _held_call(tree: ast.Module, call: ast.Call, file: str, place: str) -> Found | None:
    """Find what a call at the top of a module, or of a class, left behind there."""
    module = importlib.import_module(f"gossamer.{file.removesuffix('.py').replace('/', '.')}")
    for statement in tree.body:
        if any(node is call for node in ast.walk(statement)):
            targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", statement)]
            names = [node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]
            names += [statement.name] if isinstance(statement, ast.ClassDef) else []
            for pattern in (found for name in names for found in held(getattr(module, name, None))):
                return Found(place, pattern, frozenset())  # asked under the name of its variable
    return None


# --- inputs ------------------------------------------------------------------------------------------------------------


def _characters(items: list[Any], chance: random.Random) -> str:
    """Return a character of a set."""
    if items and items[0][0] is sre.NEGATE:
        taken = re.compile("[^" + "".join(_spelled(item) for item in items[1:]) + "]", re.DOTALL)
        fitting = [letter for letter in _SAMPLES + string.printable if taken.match(letter)]
        return chance.choice(fitting or ["\u4e00"])
    kind, value = chance.choice(items)
    if kind is sre.LITERAL:
        return chr(value)
    if kind is sre.RANGE:
        return chr(chance.randint(*value))
    return _category(value, chance)


def _spelled(item: tuple[Any, Any]) -> str:
    kind, value = item
    if kind is sre.LITERAL:
        return re.escape(chr(value))
    if kind is sre.RANGE:
        return f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
    return _CATEGORIES[str(value)]


_CATEGORIES = {
    "CATEGORY_SPACE": r"\s",
    "CATEGORY_NOT_SPACE": r"\S",
    "CATEGORY_DIGIT": r"\d",
    "CATEGORY_NOT_DIGIT": r"\D",
    "CATEGORY_WORD": r"\w",
    "CATEGORY_NOT_WORD": r"\W",
}


def _category(value: Any, chance: random.Random) -> str:
    fitting = re.compile(_CATEGORIES[str(value)])
    return chance.choice([letter for letter in _SAMPLES if fitting.match(letter)])


def sample(parsed: Iterable[tuple[Any, Any]], chance: random.Random, groups: dict[int, str], most: int = 2) -> str:
    """Return a text that the parts of a pattern match, nearly always."""
    text = ""
    for kind, value in parsed:
        if kind is sre.LITERAL:
            text += chr(value)
        elif kind is sre.NOT_LITERAL:
            text += chance.choice([letter for letter in _SAMPLES if ord(letter) != value])
        elif kind is sre.ANY:
            text += chance.choice(_SAMPLES)
        elif kind is sre.IN:
            text += _characters(value, chance)
        elif kind is sre.BRANCH:
            text += sample(chance.choice(value[1]), chance, groups, most)
        elif kind is sre.SUBPATTERN:
            groups[value[0]] = inner = sample(value[3], chance, groups, most)
            text += inner
        elif kind is sre.ATOMIC_GROUP:
            text += sample(value, chance, groups, most)
        elif kind is sre.GROUPREF:
            text += groups.get(value, "")
        elif kind in _REPEATS:
            low, high, inner = value
            times = chance.randint(low, max(low, min(int(high), low + most)))
            text += "".join(sample(inner, chance, groups, most) for _ in range(times))
    return text


def pumps(parsed: Iterable[tuple[Any, Any]], before: list[Any]) -> Iterator[tuple[list[Any], Any]]:
    """Give every part that may be repeated often, with the parts that lead to it."""
    parts = list(parsed)
    for number, (kind, value) in enumerate(parts):
        led = before + parts[:number]
        if kind in _REPEATS:
            if int(value[1]) >= _MANY:
                yield led, value[2]
                if len(value[2]) == 1 and value[2][0][0] is sre.BRANCH:
                    yield from ((led, branch) for branch in value[2][0][1][1])
            yield from pumps(value[2], led)
        elif kind is sre.SUBPATTERN:
            yield from pumps(value[3], led)
        elif kind is sre.ATOMIC_GROUP:
            yield from pumps(value, led)
        elif kind is sre.ASSERT:
            yield from pumps(value[1], led)
        elif kind is sre.BRANCH:
            for branch in value[1]:
                yield from pumps(branch, led)


def parse(pattern: re.Pattern[Any]) -> Any:
    """Return the parts of a pattern."""
    text = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    return sre.parse(text, pattern.flags & ~re.UNICODE)


def shapes(pattern: re.Pattern[Any], chance: random.Random, tries: int = 4) -> Iterator[tuple[str, str, str]]:
    """Give hostile texts as beginning, what is repeated, and end."""
    parsed = parse(pattern)
    made: dict[tuple[str, str], None] = {("", letter): None for letter in _SAMPLES}
    for led, inner in pumps(parsed, []):
        for least in range(tries):
            groups: dict[int, str] = {}
            prefix = sample(led, chance, groups, 0 if least % 2 else 2)
            unit = sample(inner, chance, groups, 0 if least % 2 else 2)
            last = sample(parsed, chance, {}, 1)
            for shape in (
                (prefix, unit),
                ("", prefix + unit),
                ("", prefix),
                (prefix, unit + unit[:1]),
                (last, unit),
                ("", last),
            ):
                made[shape] = None
    for number, (prefix, unit) in enumerate(shape for shape in made if shape[1]):
        for end in (_ENDS[0], _ENDS[1 + number % (len(_ENDS) - 1)]):
            yield prefix, unit, end


# --- measuring ---------------------------------------------------------------------------------------------------------


def seconds(pattern: re.Pattern[Any], asked: str, text: Any) -> float:
    """Return how long it takes to ask."""
    ask = getattr(pattern, asked)
    begun = time.thread_time()
    if asked == "finditer":
        for _ in ask(text):
            pass
    else:
        ask(text)
    return time.thread_time() - begun


def above_linear(pattern: re.Pattern[Any], asked: Iterable[str], tries: int = 4) -> str:
    """Return a question that takes more than linear time, in words; nothing: none was found."""
    sizes = SMALL + SIZES if is_nested(parse(pattern)) else SIZES
    for shape in shapes(pattern, random.Random(repr(pattern.pattern)), tries):
        for method in asked:
            took, size = _grown(pattern, method, shape, sizes)
            if took:
                prefix, unit, end = shape
                return f"{method} of {prefix!r} + {unit!r} * {size // len(unit)} + {end!r} takes {took * 1000:.0f} ms"
    return ""


def _grown(pattern: re.Pattern[Any], method: str, shape: tuple[str, str, str], sizes: Iterable[int]) -> tuple[float, int]:
    """Ask about ever longer texts; return how long it took when that was too long for the size, else 0."""
    before, last, to_come = 0.0, 1, list(sizes)
    while to_come:
        size = to_come.pop(0)
        text = _text(shape, size, isinstance(pattern.pattern, bytes))
        took, fair = seconds(pattern, method, text), 2 * size / last * before
        if took > SUSPICIOUS and took > fair:
            took = min(took, *(seconds(pattern, method, text) for _ in range(2)))
        if took > TOO_LONG and took > fair:
            return took, size
        if not to_come and size < LARGE and took > SUSPICIOUS and took > 0.7 * fair:
            to_come = [LARGE]
        before, last = took, size
    return 0.0, 0


def _text(shape: tuple[str, str, str], size: int, as_bytes: bool) -> Any:
    prefix, unit, end = shape
    text = prefix + unit * (size // len(unit) + 1) + end
    return text.encode("latin-1", "replace") if as_bytes else text


def is_nested(parsed: Iterable[tuple[Any, Any]], inside: bool = False) -> bool:
    """Tell whether a repetition has another, or a choice, inside: only then can time double with every character."""
    for kind, value in parsed:
        repeats = kind in _REPEATS and int(value[1]) > 1
        if inside and (repeats or kind is sre.BRANCH):
            return True
        parts = [value[2]] if kind in _REPEATS else [value[3]] if kind is sre.SUBPATTERN else []
        parts = value[1] if kind is sre.BRANCH else [value] if kind is sre.ATOMIC_GROUP else parts
        if any(is_nested(part, inside or repeats) for part in parts):
            return True
    return False
