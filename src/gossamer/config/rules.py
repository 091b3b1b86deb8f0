"""The rules of requests, `[[requests]]`, as people write them: a list of tables, each for some hosts.

A path in a rule is relative to the file that the rule stands in: so a crawl that has files of its own can be moved.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from gossamer.config.choice import remedy
from gossamer.config.sections import RequestRule
from gossamer.config.toml import toml
from gossamer.errors import ConfigError

NAME = "requests"
PATHS = ("headers_file", "password_file", "token_file", "cookies_file", "certificate", "key", "proxy_password_file")


def read_rules(written: object, path: Path) -> tuple[RequestRule, ...]:
    """Read the rules of a file; raise ConfigError, which names the rule by its number."""
    if not isinstance(written, list):
        raise ConfigError(f"{NAME} in {path} is no list of rules; begin each with a line [[{NAME}]]")
    return tuple(
        make_rule(table, f"rule {number} of [[{NAME}]] in {path}", path.parent) for number, table in enumerate(written, 1)
    )


def make_rule(table: object, name: str, directory: Path = Path()) -> RequestRule:
    """Make one rule of what somebody wrote."""
    if not isinstance(table, dict):
        raise ConfigError(f"{name} is no table; write its fields, such as hosts")
    fields = {field: _convert(field, value) for field, value in table.items()}
    named = {field: text for field in PATHS if isinstance(text := fields.get(field), str) and text}
    fields |= {field: str(directory.absolute() / Path(text).expanduser()) for field, text in named.items()}
    try:
        return RequestRule.model_validate(fields, strict=True)
    except ValidationError as error:
        raise ConfigError(f"{name}: {_complain(error.errors()[0])}") from None


def dump_rules(rules: Iterable[RequestRule], directory: Path | None = None) -> Iterator[str]:
    """Write rules as TOML, line by line; paths below a directory are relative to it."""
    for rule in rules:
        yield f"[[{NAME}]]"
        for name, field in RequestRule.model_fields.items():
            value = getattr(rule, name)
            if name in PATHS and directory is not None and value and Path(value).is_relative_to(directory.absolute()):
                value = str(Path(value).relative_to(directory.absolute()))
            if field.is_required() or value != field.default:
                yield f"{name} = {toml(value)}"


def _convert(field: str, value: object) -> object:
    if isinstance(value, list):
        return tuple(value)
    if field == "hosts" and isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return (value,) if field == "headers" and isinstance(value, str) else value


def _complain(error: ErrorDetails) -> str:
    field = ".".join(map(str, error["loc"][:1]))
    kind = error["type"]
    if kind == "extra_forbidden":
        return f"there is no field {field!r}; {remedy(field, RequestRule.model_fields)}"
    if kind == "missing":
        return "it names no hosts; add hosts, such as *.example.org"
    if kind == "value_error":
        sentence = str(error.get("ctx", {})["error"])
        return f"{field}: {sentence}" if field else sentence
    wanted = {"bool": "true or false", "tuple": "a list of text"}
    return f"{field} must be {wanted.get(kind.partition('_')[0], 'text')}"
