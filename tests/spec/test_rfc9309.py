"""RFC 9309, section by section, in examples of our own: file, robot, path, and whether it may be fetched."""

import pytest

from gossamer.robots.rules import parse


def table(*rows: tuple[str, str, dict[str, bool]]) -> list[object]:
    """Spread rows of (file, robot, {path: allowed}) into one case a path."""
    return [
        pytest.param(file, robot, path, allowed, id=f"{number}-{path}")
        for number, (file, robot, paths) in enumerate(rows)
        for path, allowed in paths.items()
    ]


def check(file: str, robot: str, path: str, allowed: bool) -> None:
    got, rule = parse(file).judge(f"https://site.test{path}", robot)
    assert got is allowed, f"decided by {rule!r}"


WITH_PRIVATE = "User-agent: *\nDisallow: /private\n"
TWO_ROBOTS = "User-agent: heron\nDisallow: /pond\n\nUser-agent: *\nDisallow: /\n"

GROUPS = table(
    # 2.2.1 the robot's own group, and that of * only when it has none
    (TWO_ROBOTS, "heron", {"/pond": False, "/meadow": True}),
    (TWO_ROBOTS, "HERON", {"/pond": False, "/meadow": True}),
    (TWO_ROBOTS, "Heron/2.1 (+https://heron.test)", {"/pond": False, "/meadow": True}),
    (TWO_ROBOTS, "egret", {"/pond": False, "/meadow": False}),
    (TWO_ROBOTS, "heronry", {"/meadow": False}),  # a token matches as a whole
    (TWO_ROBOTS, "grey-heron", {"/meadow": False}),
    ("User-agent: Heron/1.0\nDisallow: /a\n", "heron", {"/a": False}),
    ("User-agent: heron and friends\nDisallow: /a\n", "heron", {"/a": False}),
    ("User-agent: heron-2_x\nDisallow: /a\n", "heron-2_x", {"/a": False}),
    # several names above one group
    ("User-agent: heron\nUser-agent: egret\nDisallow: /a\n", "heron", {"/a": False}),
    ("User-agent: heron\nUser-agent: egret\nDisallow: /a\n", "egret", {"/a": False}),
    ("User-agent: heron\nUser-agent: egret\nDisallow: /a\n", "stork", {"/a": True}),
    # groups of the same name are one
    ("User-agent: heron\nDisallow: /a\n\nUser-agent: heron\nDisallow: /b\n", "heron", {"/a": False, "/b": False, "/c": True}),
    ("User-agent: *\nDisallow: /a\nUser-agent: heron\nDisallow: /b\nUser-agent: *\nDisallow: /c\n", "x",
     {"/a": False, "/b": True, "/c": False}),
    ("User-agent: heron\nDisallow: /a\nUser-agent: *\nUser-agent: HERON\nAllow: /a/b\n", "heron",
     {"/a/b": True, "/a/c": False}),
    # * is no part of a named group
    ("User-agent: *\nDisallow: /a\nUser-agent: heron\nDisallow: /b\n", "heron", {"/a": True, "/b": False}),
    ("User-agent: heron\nDisallow:\n\nUser-agent: *\nDisallow: /\n", "heron", {"/a": True}),
    ("User-agent: *\nDisallow: /\n\nUser-agent: heron\n", "heron", {"/a": True}),  # a group without rules is a group
    # nothing speaks of the robot
    ("User-agent: egret\nDisallow: /\n", "heron", {"/a": True}),
    ("", "heron", {"/": True, "/a": True}),
    # rules before the first group bind nobody
    ("Disallow: /\nUser-agent: *\nDisallow: /a\n", "heron", {"/a": False, "/b": True}),
    # a user-agent line without a name begins a group of nobody
    ("User-agent: *\nDisallow: /a\nUser-agent:\nDisallow: /b\n", "heron", {"/a": False, "/b": True}),
)  # fmt: skip

LINES = table(
    # 2.2 line ends, white space, comments, case of the keywords
    ("User-agent: *\r\nDisallow: /a\r\n", "h", {"/a": False}),
    ("User-agent: *\rDisallow: /a\r", "h", {"/a": False}),
    ("User-agent: *\r\n\r\n\r\nDisallow: /a", "h", {"/a": False}),
    ("\ufeffUser-agent: *\nDisallow: /a\n", "h", {"/a": False}),
    ("  User-agent :\t*  \n\tDisallow\t:  /a  \n", "h", {"/a": False, "/a b": False}),
    ("USER-AGENT:*\ndISALLOW:/a\n", "h", {"/a": False}),
    ("# all\nUser-agent: * # everybody\nDisallow: /a # not this\n#Disallow: /b\n", "h",
     {"/a": False, "/b": True, "/a%20": False}),
    ("User-agent: *\nDisallow: /a#b\n", "h", {"/a": False, "/ax": False}),
    # an empty line ends nothing
    ("User-agent: *\n\nDisallow: /a\n\nDisallow: /b\n", "h", {"/a": False, "/b": False}),
    ("User-agent: heron\n\nUser-agent: egret\n\nDisallow: /a\n", "heron", {"/a": False}),
    # 2.2.4 other records do not interfere
    ("User-agent: heron\nSitemap: https://s.test/x\nUser-agent: egret\nDisallow: /a\n", "heron", {"/a": False}),
    ("User-agent: heron\nCrawl-delay: 3\nUser-agent: egret\nDisallow: /a\n", "heron", {"/a": False}),
    ("User-agent: heron\nNoise: 1\nUser-agent: egret\nDisallow: /a\n", "heron", {"/a": False}),
    ("Sitemap: https://s.test/x\nUser-agent: *\nDisallow: /a\nHost: s.test\nDisallow: /b\n", "h", {"/a": False, "/b": False}),
    # junk
    ("<html><body>Not found</body></html>", "h", {"/a": True}),
    ("User-agent: *\n\x00\x01\x02\n:::\nDisallow\n: /b\nDisallow: /a\n", "h", {"/a": False, "/b": True}),
    # mistakes that are read as what they mean
    ("useragent: *\ndisalow: /a\nDissallow: /b\n", "h", {"/a": False, "/b": False, "/c": True}),
    ("User-agent *\nDisallow /a\n", "h", {"/a": False, "/b": True}),
)  # fmt: skip

MATCHING = table(
    # 2.2.2 a path is matched from its beginning, and with case
    (WITH_PRIVATE, "h", {"/private": False, "/private/x": False, "/privateer": False, "/x/private": True, "/Private": True}),
    ("User-agent: *\nDisallow: /private/\n", "h", {"/private": True, "/private/": False, "/private/x?y": False}),
    ("User-agent: *\nDisallow: /\n", "h", {"": False, "/": False, "/x": False, "?q": False}),
    ("User-agent: *\nDisallow:\n", "h", {"/": True, "/x": True}),
    ("User-agent: *\nDisallow: private\n", "h", {"/private": True}),
    ("User-agent: *\nDisallow: https://site.test/private\n", "h", {"/private": True}),
    ("User-agent: *\nDisallow: /a?b\n", "h", {"/a": True, "/a?b": False, "/a?bc": False, "/a?c": True, "/a%3Fb": True}),
    ("User-agent: *\nDisallow: /a\n", "h", {"/b#/a": True, "/a#b": False}),
    ("User-agent: *\nDisallow: /*z\nDisallow: /x$\n", "h", {"/b#z": True, "/x#b": False}),
    # the longest match wins, in whatever order
    ("User-agent: *\nAllow: /a/b\nDisallow: /a\n", "h", {"/a": False, "/a/b": True, "/a/bc": True, "/a/c": False}),
    ("User-agent: *\nDisallow: /a\nAllow: /a/b\n", "h", {"/a": False, "/a/b": True, "/a/bc": True, "/a/c": False}),
    ("User-agent: *\nAllow: /a\nDisallow: /a/b\nAllow: /a/b/c\n", "h", {"/a/x": True, "/a/b": False, "/a/b/c": True}),
    ("User-agent: *\nDisallow: /\nAllow: /$\n", "h", {"/": True, "/a": False, "": True}),
    ("User-agent: *\nAllow: /p\nDisallow: /\n", "h", {"/page": True, "/q": False}),
    ("User-agent: *\nAllow: /page.\nDisallow: /*.htm\n", "h", {"/page.htm": True, "/x.htm": False}),
    ("User-agent: *\nAllow: /page\nDisallow: /*.htm\n", "h", {"/page.htm": False}),
    # of equals the one that allows
    ("User-agent: *\nDisallow: /a\nAllow: /a\n", "h", {"/a": True}),
    ("User-agent: *\nAllow: /a\nDisallow: /a\n", "h", {"/a": True}),
    ("User-agent: *\nDisallow: /*b\nAllow: /ab\n", "h", {"/ab": True}),
    # /robots.txt itself
    ("User-agent: *\nDisallow: /\n", "h",
     {"/robots.txt": True, "/robots.txt?x": True, "/robots.txtx": False, "/a/robots.txt": False}),
)  # fmt: skip

ENCODING = table(
    # 2.2.2 the table of encoded paths
    ("User-agent: *\nDisallow: /bird/nest?kind=reed\n", "h", {"/bird/nest?kind=reed": False}),
    ("User-agent: *\nDisallow: /go?to=https://a.test\n", "h",
     {"/go?to=https://a.test": False, "/go?to=https%3A%2F%2Fa.test": False}),
    ("User-agent: *\nDisallow: /go?to=https%3A%2F%2Fa.test\n", "h", {"/go?to=https://a.test/x": False}),
    ("User-agent: *\nDisallow: /vogel/é\n", "h",
     {"/vogel/é": False, "/vogel/%C3%A9": False, "/vogel/%c3%a9": False, "/vogel/e": True}),
    ("User-agent: *\nDisallow: /vogel/%C3%A9\n", "h", {"/vogel/é": False, "/vogel/%c3%a9": False}),
    ("User-agent: *\nDisallow: /%6eest\n", "h", {"/nest": False, "/%6Eest": False, "/n%65st": False}),
    ("User-agent: *\nDisallow: /nest\n", "h", {"/%6Eest": False}),
    ("User-agent: *\nDisallow: /a%2Fb\n", "h", {"/a%2fb": False, "/a/b": True}),
    ("User-agent: *\nDisallow: /a/b\n", "h", {"/a%2Fb": True}),
    ("User-agent: *\nDisallow: /a%3cd.html\n", "h", {"/a%3Cd.html": False, "/a<d.html": False}),
    ("User-agent: *\nDisallow: /a b\n", "h", {"/a%20b": False}),
    ("User-agent: *\nDisallow: /100%\n", "h", {"/100%": False, "/100%25": False}),
    ("User-agent: *\nDisallow: /*to=http%3A%2F%2F\n", "h", {"/go?to=http://x": False, "/go?to=http%3a%2f%2fx": False}),
    ("User-agent: *\nDisallow: /*to=http://\n", "h", {"/go?to=http://x": False, "/go?to=http%3a%2f%2fx": False}),
)  # fmt: skip

SPECIAL = table(
    # 2.2.3 # $ *
    ("User-agent: *\nDisallow: /*.gif$\n", "h",
     {"/a.gif": False, "/a/b.gif": False, "/a.gif?x": True, "/a.gifs": True, "/.gif": False}),
    ("User-agent: *\nDisallow: /nest$\n", "h", {"/nest": False, "/nest/": True, "/nest?x": True}),
    ("User-agent: *\nDisallow: /*/nest\n", "h", {"/a/nest": False, "/a/b/nests": False, "/nest": True, "//nest": False}),
    ("User-agent: *\nDisallow: *nest\n", "h", {"/a/nest": False, "/nest": False, "/a": True}),
    ("User-agent: *\nDisallow: /a*\n", "h", {"/a": False, "/ab": False, "/b": True}),
    ("User-agent: *\nDisallow: /a***\n", "h", {"/a": False, "/ab": False}),
    ("User-agent: *\nDisallow: /a*$\n", "h", {"/a": False, "/ab": False, "/b": True}),
    ("User-agent: *\nDisallow: /a*b*c\n", "h", {"/abc": False, "/axbyc": False, "/acb": True, "/ab": True}),
    ("User-agent: *\nDisallow: /a*b$\n", "h", {"/ab": False, "/abb": False, "/abc": True, "/aba": True}),
    ("User-agent: *\nDisallow: /ab*b$\n", "h", {"/ab": True, "/abb": False}),
    ("User-agent: *\nDisallow: /*?\n", "h", {"/a?": False, "/a?b": False, "/a": True}),
    ("User-agent: *\nDisallow: /*&s=\n", "h", {"/a?b=1&s=2": False, "/a?s=2": True}),
    # said literally
    ("User-agent: *\nDisallow: /a%2Ab\n", "h", {"/a*b": False, "/a%2ab": False, "/axb": True}),
    ("User-agent: *\nDisallow: /a%24\n", "h", {"/a$": False, "/a$b": False, "/a": True}),
    ("User-agent: *\nDisallow: /a$b\n", "h", {"/a$b": False, "/a%24b": False, "/a": True}),
    ("User-agent: *\nDisallow: /a$$\n", "h", {"/a$": False, "/a$b": True, "/a": True}),
)  # fmt: skip


@pytest.mark.parametrize(("file", "robot", "path", "allowed"), GROUPS)
def test_a_robot_follows_its_groups(file: str, robot: str, path: str, allowed: bool) -> None:
    check(file, robot, path, allowed)


@pytest.mark.parametrize(("file", "robot", "path", "allowed"), LINES)
def test_lines_are_read_as_the_grammar_says(file: str, robot: str, path: str, allowed: bool) -> None:
    check(file, robot, path, allowed)


@pytest.mark.parametrize(("file", "robot", "path", "allowed"), MATCHING)
def test_the_longest_match_decides(file: str, robot: str, path: str, allowed: bool) -> None:
    check(file, robot, path, allowed)


@pytest.mark.parametrize(("file", "robot", "path", "allowed"), ENCODING)
def test_paths_are_compared_in_one_spelling(file: str, robot: str, path: str, allowed: bool) -> None:
    check(file, robot, path, allowed)


@pytest.mark.parametrize(("file", "robot", "path", "allowed"), SPECIAL)
def test_special_characters_have_their_meaning(file: str, robot: str, path: str, allowed: bool) -> None:
    check(file, robot, path, allowed)
