"""What was learned about hosts, in pages, and an operator's word on it."""

from collections.abc import Sequence
from typing import Any

from gossamer.assemble import Stores
from gossamer.config.choice import remedy
from gossamer.config.sections import Traps
from gossamer.errors import UsageError
from gossamer.jobs.operations.cursors import cursor_of, limited, place_in
from gossamer.jobs.plain import plain
from gossamer.joints.slices import Slices
from gossamer.policy import growth, habit, parameters, soft404, templates, views
from gossamer.records.evidence import Growth, Habit, Parameter, Probe, Ruling, TemplateTally, View
from gossamer.records.host import HostMark, HostOrder

KINDS = {  # of what is learned
    "t": "template",
    "p": "parameter",
    "s": "probe",
    "g": "growth",
    "w": "words",
    "v": "view",
    "h": "habit",
}
HOSTS_AT_ONCE = 500  # looked at for one page


async def lessons(
    stores: Stores, name: str = "", kinds: Sequence[str] = (), in_force: bool = False, limit: int = 100, cursor: str = ""
) -> dict[str, Any]:
    """List what was learned of one host or all, by host; `in_force`: only what changes what becomes of URLs.

    A page may be short, even empty, and yet have a next one: so many hosts were looked at.
    """
    letters = _letters(kinds)
    question = ("lessons", name, sorted(letters), in_force)
    place, items, slices = place_in(cursor, question, str, str), list[dict[str, Any]](), Slices()
    limited(limit)
    at_host, at_row = last = place or ["", ""]
    names, more = await _hosts(stores, name, at_host, bool(at_row))
    for host in names:
        rows = sorted(await stores.lessons.everything(host), key=lambda row: (row[1], row[2]))
        for _, letter, title, record in rows:
            if letter not in letters or (host == at_host and f"{letter}{title}" <= at_row):
                continue
            effect = _effect(title, record, stores.settings.traps)
            if in_force and not _is_in_force(record, effect):
                continue
            if len(items) == limit:
                return {"items": items, "next": cursor_of(question, *last)}
            items.append({"host": host, "kind": KINDS[letter], "name": title, **plain(record), **effect})
            last = [host, f"{letter}{title}"]
        await slices.turn()
    return {"items": items, "next": cursor_of(question, names[-1], "") if more else None}


async def _hosts(stores: Stores, name: str, after: str, is_begun: bool) -> tuple[list[str], bool]:
    """Return the hosts that a page may be about, and whether there are more; one that was begun comes first."""
    if name:
        return [name], False
    begun = [after] if is_begun else []
    mark = HostMark(0.0, after) if after else None
    page = await stores.frontier.list_hosts(HostOrder.NAME, mark, HOSTS_AT_ONCE, stores.clock.now())
    found = [*begun, *[status.host for status in page.hosts]]
    return found, page.next is not None and bool(found)


def _letters(kinds: Sequence[str]) -> frozenset[str]:
    letters = {word: letter for letter, word in KINDS.items()}
    for kind in kinds:
        if kind not in letters:
            raise UsageError(f"there is no kind of lessons {kind!r}; {remedy(kind, list(letters))}")
    return frozenset(letters[kind] for kind in kinds) or frozenset(KINDS)


def _effect(title: str, record: Any, settings: Traps) -> dict[str, Any]:
    match record:
        case TemplateTally():
            return {"one_in": templates.one_in(title, record, settings)}
        case Parameter():
            return {"cosmetic": parameters.is_cosmetic(record, settings)}
        case View():
            return {"last": views.is_view(title, record, settings.view_evidence)}
        case Probe():
            return {"soft": soft404.is_soft(record)}
        case Growth():
            return {"sinks": growth.is_held(record)}
        case Habit():
            return {"in_force": habit.is_in_force(record), "examples": list(habit.examples(record))}
        case _:
            return {}


def _is_in_force(record: Any, effect: dict[str, Any]) -> bool:
    """Tell whether a record changes what becomes of URLs, or an operator said something about it."""
    if getattr(record, "ruling", Ruling.NONE) is not Ruling.NONE:
        return True
    if "one_in" in effect:
        return bool(effect["one_in"] != 1)
    if isinstance(record, Growth):
        return bool(effect["sinks"] or record.slowed)
    return any(effect.get(word) for word in ("cosmetic", "last", "soft", "in_force"))


async def rule(stores: Stores, host: str, kind: str, name: str, ruling: str) -> bool:
    """Put a word above the evidence: allow, block, or nothing."""
    (letter,) = _letters([kind])
    _check_name(kind, name)
    return await stores.lessons.rule(host, letter, name, Ruling(ruling))


def _check_name(kind: str, name: str) -> None:
    """Refuse a name that nothing of that kind can have."""
    if kind == "words":
        raise UsageError("the words of a host are counted, not judged: there is nothing to overrule")
    if kind == "habit" and name != habit.NAME:
        raise UsageError(f"the habit of a host is called {habit.NAME!r}, not {name!r}")
    if kind == "growth" and name:
        raise UsageError(f"the growth of a host has no name, so it is not {name!r}")
    if kind not in ("habit", "growth") and not name:
        raise UsageError(f"a {kind} has a name; `gossamer traps` lists them")


async def ruling_before(stores: Stores, host: str, kind: str, name: str, ruling: str) -> str | None:
    """Return the word that stands above some evidence."""
    rows = await stores.lessons.everything(host)
    found = [record.ruling for _, letter, title, record in rows if KINDS[letter] == kind and title == name]
    return str(found[0]) if found else None
