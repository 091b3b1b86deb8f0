"""Settings that nobody may loosen through the server, whatever their scope, unless it was started with `--let SETTING`.

They decide what a crawl may reach and where it writes: who may ask the server is not, for that, somebody who may read this
machine's files or its inner network.
"""

from collections.abc import Iterable

from gossamer.api.refusal import RequestRefused
from gossamer.api.types import FieldProblem
from gossamer.config.choice import remedy
from gossamer.config.load import describe
from gossamer.config.unsafe import is_unsafe, unsafe
from gossamer.errors import UsageError


def check_settings(names: Iterable[str], let: frozenset[str]) -> None:
    """Refuse settings that may not be set through this server."""
    refused = unsafe(names, let)
    if refused:
        told = tuple(FieldProblem(f"body.settings.{name}", "it loosens safety") for name in refused)
        detail = f"{', '.join(refused)} cannot be set through this server; it would have to be started with --let"
        raise RequestRefused(403, "setting", detail, errors=told)


def let_of(names: Iterable[str]) -> frozenset[str]:
    """Return what `--let` names; refuse what is no such setting."""
    known = [knob.key for knob in describe() if is_unsafe(knob.key)]
    for name in names:
        if name not in known:
            raise UsageError(f"--let {name!r} is no setting that is held back; {remedy(name, known)}")
    return frozenset(names)
