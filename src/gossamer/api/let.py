"""Settings that nobody may loosen through the server, whatever their scope, unless it was started with `--let SETTING`.

They decide what a crawl may reach and where it writes: who may ask the server is not, for that, somebody who may read this
machine's files or its inner network.
"""

from collections.abc import Iterable

from gossamer.api.refusal import Refused
from gossamer.config.choice import remedy
from gossamer.config.load import describe
from gossamer.errors import UsageError

UNSAFE = (
    "fetch.allow_private",
    "fetch.insecure",
    "fetch.ca_file",
    "robots.obey",
    "frontier.uri",
    "scope.allow_file",
    "scope.block_file",
    "documents.scripts",
    "events.to",
)
SECTIONS = ("dns.", "storage.", "serve.")
RULES = "requests"  # rules of requests name files and proxies


def is_unsafe(setting: str) -> bool:
    """Tell whether a setting decides what a crawl may reach, or where it writes."""
    return setting in UNSAFE or setting.startswith(SECTIONS) or setting.partition(".")[0] == RULES


def check_settings(names: Iterable[str], let: frozenset[str]) -> None:
    """Refuse settings that may not be set through this server."""
    refused = sorted(name for name in names if is_unsafe(name) and name not in let)
    if refused:
        raise Refused(
            403, "setting", f"{', '.join(refused)} cannot be set through this server; it would have to be started with --let"
        )


def let_of(names: Iterable[str]) -> frozenset[str]:
    """Return what `--let` names; refuse what is no such setting."""
    known = [knob.key for knob in describe() if is_unsafe(knob.key)]
    for name in names:
        if name not in known:
            raise UsageError(f"--let {name!r} is no setting that is held back; {remedy(name, known)}")
    return frozenset(names)
