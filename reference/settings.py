"""Every setting, by section."""

from typing import Any, get_args, get_origin

from gossamer.config.load import describe
from gossamer.config.sections import Settings
from reference.table import code, table


def settings() -> str:
    """Write a table a section."""
    return "\n\n".join(_section(name) for name in Settings.model_fields)


def _section(name: str) -> str:
    about = _kind(Settings.model_fields[name].annotation).__doc__
    knobs = [knob for knob in describe() if knob.key.startswith(f"{name}.")]
    rows = [(code(knob.key), knob.type, code(_written(knob.default)), knob.help) for knob in knobs]
    return f"## {name}\n\n{about}\n\n{table(['setting', 'type', 'default', 'what it does'], rows)}"


def _kind(annotation: Any) -> type:
    """Return the class of a section; of one that is a list of rules, of a rule."""
    kind: type = get_args(annotation)[0] if get_origin(annotation) is tuple else annotation
    return kind


def _written(value: object) -> str:
    """Return a default as it would be written in the environment or after `--set`."""
    if isinstance(value, tuple):
        return ",".join(map(_written, value))
    if isinstance(value, bool):
        return str(value).lower()
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
