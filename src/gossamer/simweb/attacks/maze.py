"""Mazes: pages made up as they are asked for, each with links to more, in every direction a URL can grow."""

import asyncio
from collections.abc import Callable, Iterable

from gossamer.simweb.attacks.attack import Attack, ExpectedEnd, Voice, page, saying, whole

DEEPEST = 15  # hops from a seed
MOST_SEGMENTS = 15
MOST_REPEATS = 3
WIDTH = 100
_LONG = "y" * 300


def attacks() -> list[Attack]:
    """List the attacks of this family."""
    return [_deep(), _folders(), _repeating(), _query()]


def boundless() -> list[Attack]:
    """List those that only a budget ends: every page leads to a hundred new ones."""
    return [
        Attack("maze-wide", _growing(lambda path: (f"{path}{number:02d}/" for number in range(WIDTH))), (ExpectedEnd("/"),))
    ]


def _growing(links: Callable[[str], Iterable[str]]) -> Voice:
    """Answer any path with a page of its own, which leads further."""

    async def voice(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str) -> None:
        await saying(whole(page(*links(path), title=path[-80:])))(reader, writer, path)

    return voice


def _deep() -> Attack:
    """Count up for ever."""

    def links(path: str) -> Iterable[str]:
        return [f"/{int(path[1:] or 0) + 1}"]

    followed = tuple(ExpectedEnd(f"/{number}") for number in range(1, DEEPEST + 1))
    return Attack(
        "maze-deep",
        _growing(links),
        (ExpectedEnd("/"), *followed, _refused(f"/{DEEPEST + 1}", "out_of_scope", "scope.max_depth")),
    )


def _folders() -> Attack:
    """Go two folders deeper with every page, and never repeat a name."""

    def links(path: str) -> Iterable[str]:
        level = path.count("/")
        return [f"{path}{level}a/{level}b/"]

    paths = ["/"]
    while paths[-1].count("/") - 1 <= MOST_SEGMENTS:
        paths += links(paths[-1])
    return Attack(
        "maze-folders", _growing(links), (*map(ExpectedEnd, paths[:-1]), _refused(paths[-1], "trap", "traps.max_segments"))
    )


def _repeating() -> Attack:
    """Be a broken relative link."""
    paths = ["/" + "again/" * times for times in range(MOST_REPEATS + 2)]
    refused = _refused(paths[-1], "trap", "traps.max_repeats")
    return Attack("maze-repeating", _growing(lambda path: [f"{path}again/"]), (*map(ExpectedEnd, paths[:-1]), refused))


def _query() -> Attack:
    """Carry everything that was ever clicked in the query."""

    def links(path: str) -> Iterable[str]:
        return [f"{path}{'&' if '?' in path else '?'}p{len(path)}={_LONG}"]

    paths = ["/"]
    while len(paths[-1]) < 2048:
        paths += links(paths[-1])
    return Attack(
        "maze-query", _growing(links), (*map(ExpectedEnd, paths[:-1]), _refused(paths[-1], "trap", "traps.max_length"))
    )


def _refused(path: str, outcome: str, rule: str) -> ExpectedEnd:
    return ExpectedEnd(path, outcome, rule=rule, status=0)
