"""Configuration from where people write it: TOML files, then the environment, then flags; the later one wins.

A key has the same name everywhere: `max_body` in the table `[fetch]`, `GOSSAMER_FETCH__MAX_BODY` in the environment,
`fetch.max_body` as a flag. Nothing is guessed: an unknown key is refused with the nearest known one, a bad value with what is
allowed, and both say where they were written. Plain pydantic and tomllib do it; there is no settings framework underneath.

Wherever a number is expected, text with a unit may stand (`quantities.py`): a size for whole numbers, a duration for seconds. A
list in the environment is separated by commas, or written as a TOML array when its items hold commas.

Invariant: `dump` writes what `load` reads back to the same settings.
"""

import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, Literal, NamedTuple, get_args, get_origin

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from gossamer.config.choice import remedy
from gossamer.config.quantities import seconds, size
from gossamer.config.rules import NAME as RULES
from gossamer.config.rules import dump_rules, read_rules
from gossamer.config.sections import RequestRule, Section, Settings
from gossamer.config.toml import toml
from gossamer.errors import ConfigError, UsageError
from gossamer.faults import VARIABLE as FAULTS

PREFIX = "GOSSAMER_"
DURATION_EXAMPLES = "30s, 100ms, 1h30m or 7 days"
SIZE_EXAMPLES = "512k, 20MB or 1.5GiB"
SWITCHES = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
BOUNDS = {
    "greater_than_equal": ("at least", "ge"),
    "greater_than": ("more than", "gt"),
    "less_than_equal": ("at most", "le"),
    "less_than": ("less than", "lt"),
}


class Knob(NamedTuple):
    """One key as a person sees it."""

    key: str  # section.name
    type: str
    default: object
    help: str


class WrittenValue(NamedTuple):
    """A value and where it was written, for messages."""

    value: object
    origin: str


def load(
    files: Sequence[Path] = (),
    flags: Mapping[str, object] = {},
    environ: Mapping[str, str] = os.environ,
) -> Settings:
    """Read the files in order, then GOSSAMER_* variables, then dotted flags (None: not given); raise ConfigError."""
    written: dict[str, WrittenValue] = {}
    rules: tuple[RequestRule, ...] = ()
    for path in files:
        tables = _tables_of(path)
        rules = read_rules(tables.pop(RULES), path) if RULES in tables else rules
        written.update(_from_tables(tables, path))
    written.update(_from_environment(environ))
    written.update({key: WrittenValue(value, "on the command line") for key, value in flags.items() if value is not None})
    chosen: dict[str, dict[str, object]] = {}
    for key, (value, origin) in written.items():
        section, name = _known(key, origin)
        chosen.setdefault(section, {})[name] = _convert(key, value)
    try:
        return Settings.model_validate({**chosen, RULES: rules}, strict=True)
    except ValidationError as error:
        raise ConfigError(_complain(error.errors()[0], written)) from None


def dump(settings: Settings, only_changed: bool = False, directory: Path | None = None) -> str:
    """Write settings as TOML with each key's help above it; a key that is not set is a comment.

    Files that rules of requests name are written relative to `directory` when they are below it.
    """
    lines: list[str] = []
    for section, knobs in _sections().items():
        current: Section = getattr(settings, section)
        chosen = [knob for knob in knobs if not only_changed or _value(current, knob) != knob.default]
        if chosen:
            lines += ([""] if lines else []) + [f"[{section}]"]
        for knob in chosen:
            name, value = knob.key.partition(".")[2], _value(current, knob)
            lines += [f"# {knob.help}", f"# {name} is not set" if value is None else f"{name} = {toml(value)}"]
    if not only_changed:
        lines += ["", f"# Rules for requests to some hosts; each begins with a line [[{RULES}]]:"]
        lines += [
            line for knob in _rule_knobs() for line in (f"# {knob.help}", f"#   {knob.key.partition('.')[2]}: {knob.type}")
        ]
    for line in dump_rules(settings.requests, directory):
        lines += ["", line] if lines and line.startswith("[[") else [line]
    return "\n".join(lines) + "\n" if lines else ""


def describe() -> list[Knob]:
    """List every key with its type, default and help, in order; those of a rule of requests last."""
    return [*(knob for knobs in _sections().values() for knob in knobs), *_rule_knobs()]


# --- the keys --------------------------------------------------------------------------------------------------------


@cache
def _sections() -> dict[str, list[Knob]]:
    return {section: list(_knobs(section)) for section in Settings.model_fields if section != RULES}


def _knobs(section: str) -> Iterator[Knob]:
    defaults: Section = getattr(Settings(), section)
    for name, field in type(defaults).model_fields.items():
        yield Knob(f"{section}.{name}", _type_words(field.annotation), getattr(defaults, name), field.description or "")


def _rule_knobs() -> Iterator[Knob]:
    for name, field in RequestRule.model_fields.items():
        default = () if field.is_required() else field.default
        yield Knob(f"{RULES}.{name}", _type_words(field.annotation), default, field.description or "")


@cache
def _annotations() -> dict[str, Any]:
    settings = Settings()
    return {
        f"{section}.{name}": field.annotation
        for section in _sections()
        for name, field in type(getattr(settings, section)).model_fields.items()
    }


def _known(key: str, origin: str) -> tuple[str, str]:
    if key.partition(".")[0] == RULES:
        raise ConfigError(f"{key} {origin} is part of a rule; write it into a file for --config, below a line [[{RULES}]]")
    if key in Settings.model_fields:
        raise ConfigError(f"{key} {origin} is a section; write its keys, such as {_sections()[key][0].key}")
    if key not in _annotations():
        raise ConfigError(f"unknown key {key} {origin}; {_advice(key, _annotations())}")
    section, _, name = key.partition(".")
    return section, name


def _advice(word: str, known: Iterable[str]) -> str:
    by_name: dict[str, list[str]] = {}
    for key in known:
        by_name.setdefault(key.rpartition(".")[2], []).append(key)
    section, _, name = word.rpartition(".")
    near = [key for close in get_close_matches(name, by_name, n=1, cutoff=0.7) for key in by_name[close]]
    near = [key for key in near if key.startswith(f"{section}.")] or near
    return f"did you mean {' or '.join(near)}?" if near else "`gossamer config` lists all keys"


def _value(section: Section, knob: Knob) -> object:
    return getattr(section, knob.key.partition(".")[2])


def _type_words(annotation: Any) -> str:
    if get_origin(annotation) is Literal:
        return " | ".join(get_args(annotation))
    if get_origin(annotation) is UnionType:
        return f"{_type_words(get_args(annotation)[0])} or none"
    if get_origin(annotation) is tuple:
        items = get_args(annotation)
        return f"list of {_type_words(items[0])}" if items[-1] is ... else f"list of {len(items)} {_type_words(items[0])}s"
    return {int: "whole number", float: "number", bool: "true or false", str: "text"}[annotation]


# --- where they are written ------------------------------------------------------------------------------------------


def _tables_of(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ConfigError(f"cannot read the configuration {path}: {(error.strerror or str(error)).lower()}") from None
    except ValueError as error:  # no TOML, or no UTF-8
        raise ConfigError(f"the configuration {path} is no TOML: {error}") from None


def _from_tables(tables: Mapping[str, Any], path: Path) -> dict[str, WrittenValue]:
    found: dict[str, WrittenValue] = {}
    origin = f"in {path}"
    for section, table in tables.items():
        if isinstance(table, dict):
            if section not in Settings.model_fields:
                raise ConfigError(f"unknown section {section} {origin}; {_advice(section, Settings.model_fields)}")
            found |= {f"{section}.{name}": WrittenValue(value, origin) for name, value in table.items()}
        else:
            found[section] = WrittenValue(table, origin)
    return found


def _from_environment(environ: Mapping[str, str]) -> dict[str, WrittenValue]:
    keys = {PREFIX + key.upper().replace(".", "__"): key for key in _annotations()}
    found: dict[str, WrittenValue] = {}
    for name, text in environ.items():
        if name in keys:
            found[keys[name]] = WrittenValue(text, f"in the environment variable {name}")
        elif name.startswith(PREFIX) and name != FAULTS:
            raise ConfigError(f"unknown environment variable {name}; {_advice(name, keys)}")
    return found


# --- values ----------------------------------------------------------------------------------------------------------


def _convert(key: str, value: object) -> object:
    """Turn lists to tuples and text to what the key's type wants; what does not fit is left for the validation to refuse."""
    annotation = _annotations()[key]
    if isinstance(value, list):
        return tuple(value)
    if not isinstance(value, str):
        return value
    text = value.strip().lower()
    if get_origin(annotation) is UnionType:
        annotation = get_args(annotation)[0]
        if text == "none":
            return None
    if get_origin(annotation) is tuple:
        items = _items(value)
        return tuple(_or_else(size(item), item) for item in items) if get_args(annotation)[0] is int else tuple(items)
    if annotation is bool:
        return SWITCHES.get(text, value)
    if annotation is int:
        return _or_else(size(value), value)
    return _or_else(seconds(value), value) if annotation is float else value


def _or_else(found: object, text: str) -> object:
    return text if found is None else found


def duration(text: str, option: str, plain: float = 1) -> float:
    """Return the seconds that somebody wrote for an option, a number alone in units of `plain` seconds."""
    found = seconds(text, plain)
    if found is None or found < 0:
        raise UsageError(f"{option} {text!r} is no duration; write one like {DURATION_EXAMPLES}")
    return found


def byte_count(text: str, option: str, plain: int = 1) -> int:
    """Return the bytes that somebody wrote for an option, a number alone in units of `plain` bytes."""
    found = size(text, plain)
    if found is None or found < 0:
        raise UsageError(f"{option} {text!r} is no size; write one like {SIZE_EXAMPLES}")
    return found


def _items(text: str) -> list[str]:
    if text.lstrip().startswith("["):
        try:
            array = tomllib.loads(f"array = {text}")["array"]
        except tomllib.TOMLDecodeError:
            pass  # a regular expression may begin with a bracket, too
        else:
            return [str(item) for item in array]
    return [item.strip() for item in text.split(",") if item.strip()]


def _complain(error: ErrorDetails, written: Mapping[str, WrittenValue]) -> str:
    if not error["loc"]:  # two sections that do not go together
        return str(error["ctx"]["error"])
    key = ".".join(str(part) for part in error["loc"][:2])
    value, origin = written.get(key, WrittenValue(error["input"], "by default"))  # which another key may not go with
    kind, context = error["type"], error.get("ctx", {})
    if kind in BOUNDS:
        words, bound = BOUNDS[kind]
        allowed = f"it must be {words} {context[bound]}"
    elif kind == "value_error":
        allowed = str(context["error"])
    elif get_origin(annotation := _annotations()[key]) is Literal and isinstance(value, str):
        allowed = remedy(value, get_args(annotation))
    else:
        allowed = f"it must be {_allowed(annotation)}"
    return f"{key} is {value!r} {origin}; {allowed}"


def _allowed(annotation: Any) -> str:
    words = _type_words(annotation)
    if get_origin(annotation) is Literal:
        return "one of " + words.replace(" |", ",")
    if words.startswith("number"):
        return f"a {words}, in seconds or with a unit, such as {DURATION_EXAMPLES}"
    return (
        f"a {words}, such as 100 or 10MB or 1.5GiB"
        if words.startswith("whole")
        else words
        if annotation is bool
        else f"a {words}"
    )
