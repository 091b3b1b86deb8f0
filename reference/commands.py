"""Every command with its arguments and options, from the command line itself."""

import inspect
import re
from typing import Any

import typer
from typer.main import get_command

from gossamer.cli.commands import COMMANDS, application
from reference.table import code, table


def commands() -> str:
    """Write a part a command, in the order of the help."""
    known = get_command(application()).commands  # type: ignore[attr-defined]
    return "\n\n".join(_part(name, known[name]) for name in COMMANDS)


def _part(name: str, command: Any) -> str:
    context = typer.Context(command, info_name=f"gossamer {name}")
    records = [record for parameter in command.params if (record := parameter.get_help_record(context))]
    rows = [(code(re.sub(r" <(list\[)?\w+\]?>$", "", spelled)), said) for spelled, said in records]
    return f"### gossamer {name}\n\n{inspect.cleandoc(command.help or '')}\n\n{table(['option', 'what it does'], rows)}"
