"""Loading readers: the only place where a script's own code begins to run, in a child.

What is wrong with a script is said in one sentence that names file and line.
"""

import inspect
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any

from msgspec import Struct

from gossamer.errors import GossamerError, ScriptError
from gossamer.readers.scripts.marks import MARKS
from gossamer.readers.scripts.travel import ReaderRule, ReaderSource

_MODULE = "gossamer_script_{}"  # what a script is called while it runs: not __main__
_MEND = "mend it and start again"


class ScriptReader(Struct, frozen=True):
    """A reader, ready to be called."""

    rule: ReaderRule
    function: Callable[..., Any]
    file: str  # that its frames in a trace have


def load(sources: Iterable[ReaderSource]) -> list[ScriptReader]:
    """Run scripts and import plugins; return their readers, in the order of the sources and of the text."""
    return [reader for source in sources for reader in (_of_script(source) if source.path else _of_plugin(source.point))]


def _of_script(source: ReaderSource) -> list[ScriptReader]:
    path = Path(source.path)
    module = ModuleType(_MODULE.format(path.stem))
    module.__file__ = source.path
    sys.modules[module.__name__] = module
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))  # last, so that nothing beside a script takes the place of what we import
    try:
        exec(compile(source.text, source.path, "exec"), vars(module))
    except SyntaxError as error:
        raise ScriptError(f"{path.name}, line {error.lineno}: {error.msg}; {_MEND}") from None
    except BaseException as error:  # noqa: BLE001 - whatever a script does while it is loaded, it is told and ends nothing
        raise ScriptError(f"{_place(path, error)}: {_told(error)}; {_MEND}") from None
    found = list(_marked(module, path))
    if not found:
        raise ScriptError(f"{path.name} has no reader; mark a function with @reads(...) of gossamer.script")
    return found


def _marked(module: ModuleType, path: Path) -> Iterator[ScriptReader]:
    for function in list(vars(module).values()):
        if callable(function) and not inspect.isclass(function) and hasattr(function, MARKS):
            yield _reader(function, path.name, str(path))


def _of_plugin(point: str) -> list[ScriptReader]:
    module, _, place = point.partition(":")
    try:
        function = attrgetter(place)(import_module(module))
    except BaseException as error:  # noqa: BLE001 - the same for a plugin
        raise ScriptError(f"the reader plugin {point} cannot be imported: {_told(error)}; mend or remove it") from None
    if not hasattr(function, MARKS):
        raise ScriptError(f"the reader plugin {point} is not marked with @reads(...) of gossamer.script; mend or remove it")
    return [_reader(function, point, inspect.getsourcefile(function) or "")]


def _reader(function: Any, source: str, file: str) -> ScriptReader:
    code = getattr(inspect.unwrap(function), "__code__", None)
    line = code.co_firstlineno if code is not None else 0
    name = getattr(function, "__name__", type(function).__name__)
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise ScriptError(f"{source}, line {line}: {name} is async; a reader is a plain function that yields")
    return ScriptReader(ReaderRule(name, source, line, getattr(function, MARKS)), function, file)


def _place(path: Path, error: BaseException) -> str:
    line = line_in(str(path), error)
    return f"{path.name}, line {line}" if line else path.name


def line_in(file: str, error: BaseException) -> int:
    """Return the innermost line of a file that an exception came through; 0: none."""
    frames = traceback.extract_tb(error.__traceback__)
    return next((frame.lineno or 0 for frame in reversed(frames) if frame.filename == file), 0)


def _told(error: BaseException) -> str:
    return str(error) if isinstance(error, GossamerError) else f"{type(error).__name__}: {error}"
