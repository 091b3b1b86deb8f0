"""Our verdicts against protego's on generated files.

Left out of what is generated, because the two read it differently on purpose:

- `Allow: /index.html` allows `/` as well for protego; RFC 9309 knows no such rule.
- A `$` in the middle, or spelled `%24`, has two meanings at once for protego; here it is a dollar sign.
- `?` in a pattern is `%3F` for protego, and counts as three octets; here the two differ, as their meaning does.
- Any record ends a run of user-agent lines for protego; for RFC 9309 only allow and disallow do (section 2.2.4).
- `User-agent: her*` and names inside a user agent's comment mean something to protego; here a product token is one word.
- Of two Crawl-delays protego takes the last, we take the first of a group and the longest of several.
"""

import random

from protego import Protego

from gossamer.robots.rules import parse

FILES = 2_000
PATTERN = ("/", "a", "b", "ab", "*", ".x", "/a", "=", "%61", "%C3%A9", "é", "-")
PATH = ("?", *(piece for piece in PATTERN if piece != "*"))


def some(chance: random.Random, pieces: tuple[str, ...], most: int) -> str:
    """Put a few pieces together."""
    return "".join(chance.choices(pieces, k=chance.randint(0, most)))


def group(chance: random.Random) -> list[str]:
    """Write the names and the rules of a group."""
    names = [f"User-agent: {chance.choice(('heron', 'egret', '*'))}" for _ in range(chance.randint(1, 3))]
    rules = [
        f"{chance.choice(('Allow', 'Disallow', 'disallow', 'ALLOW '))}: "
        f"{chance.choice(('/', '/a', '*', ''))}{some(chance, PATTERN, 4)}{chance.choice(('', '', '$'))}"
        for _ in range(chance.randint(1, 6))
    ]
    return names + rules


def test_both_say_the_same() -> None:
    chance = random.Random(9309)
    verdicts = {True: 0, False: 0}
    for _ in range(FILES):
        lines = [line for _ in range(chance.randint(0, 4)) for line in group(chance)]
        file = chance.choice(("\n", "\r\n", "\r")).join(lines)
        ours, theirs = parse(file), Protego.parse(file)
        for _ in range(5):
            url, robot = f"https://site.test/{some(chance, PATH, 8)}", chance.choice(("heron", "Egret", "stork"))
            allowed, rule = ours.judge(url, robot)
            assert allowed == theirs.can_fetch(url, robot), f"{url} for {robot}, by {rule!r}, in\n{file}"
            verdicts[allowed] += 1
    assert min(verdicts.values()) > FILES // 2, "the files are not worth much: they hardly ever decide"
