"""The trap zoo itself: mazes without end, giants with one, a judge that is true to the text, and the same bytes over HTTP."""

import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from gossamer.simweb import manifest
from gossamer.simweb.__main__ import main
from gossamer.simweb.ledger import RequestLedger, SeenRequest
from gossamer.simweb.mazes import zoo
from gossamer.simweb.mazes.maze import Maze
from gossamer.simweb.mazes.server import MazeServer, wire
from gossamer.simweb.mazes.spent import share, spent
from gossamer.simweb.mazes.walk import leads, walk

SCALE = 0.02
FAR = 800
DEEPEST = 15  # scope.max_depth
MAZES = {maze.host: maze for maze in zoo.choose("all", scale=SCALE)}
HOSTS = list(MAZES)
FULL = {"shop": 20_000, "forum": 3_000, "wiki": 2_000, "archive": 3_000}
RULES = {
    "traps.template", "traps.parameter", "traps.mirror", "traps.soft_404", "dedupe.*", "traps.max_repeats",
    "traps.max_segments", "traps.max_length", "scope.max_depth", "fetch.max_redirects", "key.*",
}  # fmt: skip


@cache
def steps(host: str) -> list[tuple[str, int]]:
    """Walk a maze for a while, or a giant to its end."""
    return [(step.path, step.depth) for step in islice(walk(MAZES[host]), FAR)]


def words(maze: Maze, path: str) -> list[str]:
    return re.sub(r"<[^>]*>", " ", maze.answer(path).html.decode()).lower().split()


@cache
def shingles(host: str, path: str) -> frozenset[tuple[str, str, str]]:
    said = words(MAZES[host], path)
    return frozenset(zip(said, said[1:], said[2:], strict=False))


def alike(one: frozenset[Any], two: frozenset[Any]) -> float:
    return len(one & two) / len(one | two)


def firsts(host: str) -> dict[str, str]:
    """Return the path that each content was found at first."""
    found: dict[str, str] = {}
    for path, _ in steps(host):
        content = MAZES[host].owns(path)
        if content is not None:
            found.setdefault(content, path)
    return found


@pytest.mark.parametrize("host", HOSTS)
def test_a_maze_has_no_end_and_a_finite_site_has_one(host: str) -> None:
    assert (len(steps(host)) == FAR) is MAZES[host].boundless


@pytest.mark.parametrize(
    ("name", "far", "farther"),
    [
        ("calendar", "/cal/9999/12/", "/cal/10000/01/"),
        ("calendar", "/cal/0/01/01/", "/cal/-1/12/31/"),
        ("pagination", "/news?page=1000000", "/news?page=1000001"),
        ("pagination", "/notes?page=1000000", "/notes?page=1000001"),
        ("relative-links", "/" + "guide/help/" * 40, "/" + "guide/help/" * 40 + "guide/topic-1.html"),
    ],
)
def test_however_far_one_goes_there_is_more(name: str, far: str, farther: str) -> None:
    maze = MAZES[f"{name}.maze.sim"]
    assert farther in leads(far, maze.answer(far)) and maze.answer(farther).status == 200


@pytest.mark.parametrize("host", HOSTS)
def test_all_content_is_found_within_the_depth_a_crawler_goes_and_no_other(host: str) -> None:
    maze = MAZES[host]
    depths = {path: depth for path, depth in steps(host)}
    found = firsts(host)
    assert sorted(found) == sorted(maze.contents())
    assert max((depths[path] for path in found.values()), default=0) <= DEEPEST - 1
    assert all(len(leads(path, maze.answer(path))) <= 500 for path in islice(depths, 300))


@pytest.mark.parametrize("host", HOSTS)
def test_what_has_content_of_its_own_answers_200_and_says_what_no_other_page_says(host: str) -> None:
    paths = list(firsts(host).values())[:120]
    assert all(MAZES[host].answer(path).status == 200 for path in paths)
    times = Counter(shingle for path in paths for shingle in shingles(host, path))
    for path in paths:
        own = sum(times[shingle] == 1 for shingle in shingles(host, path))
        assert own >= 50, path


@pytest.mark.parametrize("host", [host for host in HOSTS if MAZES[host].copies])
def test_two_paths_of_one_content_say_the_same(host: str) -> None:
    found, pairs = firsts(host), 0
    for path, _ in steps(host)[:250]:
        content = MAZES[host].owns(path)
        if content is not None and path != found[content]:
            pairs += 1
            assert alike(shingles(host, path), shingles(host, found[content])) > 0.75, path
    assert pairs > 50 or "mirror" in host


def test_the_mirror_says_what_the_original_says_in_the_same_bytes_or_with_its_own_name() -> None:
    original, copy = MAZES["mirror.maze.sim"], MAZES["mirror-copy.maze.sim"]
    assert original.exhibit == copy.exhibit and original.contents() == copy.contents()
    same = 0
    for path, _ in steps(original.host):
        assert original.owns(path) == copy.owns(path)
        one, two = original.answer(path).html, copy.answer(path).html
        same += one == two
        assert one.replace(original.host.encode(), copy.host.encode()) == two
    assert same == 75


@pytest.mark.parametrize("name", ["calendar", "facets", "markov", "redirect-maze", "pagination"])
def test_what_has_no_content_of_its_own_repeats_what_was_said(name: str) -> None:
    host = f"{name}.maze.sim"
    empty = [path for path, _ in steps(host) if MAZES[host].owns(path) is None]
    assert len(empty) > 320
    known: set[Any] = set().union(*(shingles(host, path) for path in empty[:300]))
    for path in empty[300:330]:
        said = shingles(host, path)
        assert len(said - known) <= 0.15 * len(said), path


def test_a_link_farm_has_hardly_any_text_but_its_links() -> None:
    html = MAZES["link-farm.maze.sim"].answer("/any/where").html.decode()
    assert len(leads("/any/where", MAZES["link-farm.maze.sim"].answer("/any/where"))) == 20
    assert len(re.sub(r"<a .*?</a>|<[^>]*>", " ", html).split()) < 10


@pytest.mark.parametrize(
    ("host", "status"), [("soft404", 200), ("soft404-redirect", 302), ("shop", 404), ("ordinary-one", 404)]
)
def test_a_path_that_does_not_exist_is_answered_as_promised(host: str, status: int) -> None:
    maze = MAZES[f"{host}.maze.sim"]
    for path in ("/gossamer-probe-1", "/docs/old/gossamer-probe-2.html", "/page/61?x=1"):
        assert maze.answer(path).status == status and maze.owns(path) is None
    if status == 302:
        assert maze.answer("/nowhere").headers == (("Location", "/"),)
    if status == 200:
        assert maze.answer("/nowhere").html != maze.answer("/elsewhere").html


def test_the_sites_that_never_say_404_have_sixty_pages_and_150_dead_links() -> None:
    for host in ("soft404.maze.sim", "soft404-redirect.maze.sim"):
        assert Counter(MAZES[host].owns(path) is None for path, _ in steps(host)) == {False: 60, True: 150}


@pytest.mark.parametrize("name", list(FULL))
def test_a_giant_has_its_full_size_unless_it_is_shrunk(name: str) -> None:
    whole, small = (zoo.choose(name, scale=scale)[0] for scale in (1.0, SCALE))
    assert FULL[name] <= len(set(whole.contents())) < FULL[name] * 1.06
    assert FULL[name] * SCALE <= len(small.contents()) < FULL[name] * SCALE * 1.1
    assert all(whole.owns(path) == path for path in whole.contents()[::97])


def test_a_whole_forum_is_within_reach_although_its_threads_are_long() -> None:
    (forum,) = zoo.choose("forum")
    depths = [step.depth for step in walk(forum)]
    assert len(depths) == len(forum.contents()) and max(depths) <= DEEPEST - 1
    assert max(int(path.partition("=")[2] or 0) for path in forum.contents() if "thread" in path) == 59 * 20


@pytest.mark.parametrize("host", HOSTS)
def test_the_same_seed_makes_the_same_maze_and_another_seed_another(host: str) -> None:
    same, other = (zoo.choose("all", seed=seed, scale=SCALE)[HOSTS.index(host)] for seed in (1, 2))
    paths = [path for path, _ in steps(host)[:40]]
    assert [same.answer(path) for path in reversed(paths)] == [MAZES[host].answer(path) for path in reversed(paths)]
    assert same.owns(paths[-1]) == MAZES[host].owns(paths[-1])
    assert other.answer("/") != MAZES[host].answer("/")


def test_the_judge_knows_every_host_and_its_exhibit() -> None:
    assert zoo.judge("mirror-copy.maze.sim", "/", scale=SCALE) == ("mirror", "page 0")
    assert zoo.judge("session-query.maze.sim", "/page/7?s=f00", scale=SCALE) == ("session-query", "page 7")
    assert zoo.judge("calendar.maze.sim", "/cal/3000/02/29/", scale=SCALE) == ("calendar", None)
    assert zoo.judge("shop.maze.sim", "/product/29999") == ("shop", "/product/29999")
    assert zoo.judge("shop.maze.sim", "/product/29999", scale=SCALE) == ("shop", None)
    with pytest.raises(KeyError):
        zoo.judge("h0000.sim", "/")


@pytest.fixture
async def server() -> AsyncIterator[MazeServer]:
    running = MazeServer(MAZES.values(), RequestLedger(keep=True))
    await running.start()
    yield running
    await running.stop()


async def test_what_is_served_is_what_the_maze_answers_and_stands_in_the_ledger(
    server: MazeServer, client: Callable[[int], Any]
) -> None:
    asked: list[tuple[str, str, int]] = []
    async with client(server.port) as connection:
        for host, maze in MAZES.items():
            for path, _ in (*steps(host)[:3], *steps(host)[-3:]):
                page = maze.answer(path)
                reply = await connection.get(host, path)
                assert reply.wire == wire(page).wire and reply.wire.endswith(page.html)
                asked.append((host, path, page.status))
        robots = await connection.get("markov.maze.sim", "/robots.txt")
        assert robots.wire.endswith(b"User-agent: *\nAllow: /\n")
        assert (await connection.get("nobody.maze.sim", "/")).status == 404
    seen = [(request.host, request.path, request.status) for request in server.ledger.requests]
    assert seen[: len(asked)] == asked and len(seen) == len(asked) + 2


@pytest.fixture(scope="module")
def entries() -> Sequence[manifest.ManifestEntry]:
    return list(zoo.entries(MAZES.values(), 8080))


def test_the_manifest_lists_all_content_once_and_a_sample_of_the_rest(entries: Sequence[manifest.ManifestEntry]) -> None:
    assert len({entry.url for entry in entries}) == len(entries)
    for maze in MAZES.values():
        listed = [entry for entry in entries if entry.host == maze.host]
        own = [entry for entry in listed if entry.own]
        assert len(own) == (0 if maze.host.startswith("mirror-copy") else len(maze.contents()))
        assert len(listed) - len(own) == 200 or not maze.boundless
        assert all(maze.owns(entry.url.partition(":8080")[2]) is not None for entry in own)


def test_the_manifest_says_how_each_may_end_and_by_which_rule(entries: Sequence[manifest.ManifestEntry]) -> None:
    assert {rule for entry in entries for rule in entry.traps} == RULES
    for entry in entries:
        assert entry.maze and entry.outcome == entry.outcomes[0]
        assert (entry.outcome == "ok" and entry.fetch) is entry.own
        assert entry.own or entry.traps
        assert entry.maze not in zoo.GIANTS | zoo.ORDINARY or (entry.outcomes == ("ok",) and entry.traps == ())


def test_a_manifest_with_mazes_is_read_back_as_it_was_written(
    entries: Sequence[manifest.ManifestEntry], light_web: Any, tmp_path: Path
) -> None:
    manifest.write(light_web, tmp_path / "manifest", entries)
    assert manifest.read(tmp_path / "manifest")[-len(entries) :] == entries


def test_the_ledger_shows_what_a_crawl_spent_on_content_of_its_own() -> None:
    paths = ("/robots.txt", "/docs/gossamer-probe-9.html", "/page/3", "/", "/dead.html", "/page/3", "/page/4?again=1")
    asked = [("soft404.maze.sim", path) for path in paths] + [("mirror-copy.maze.sim", "/"), ("mirror.maze.sim", "/")]
    asked += [("h0000.sim", "/")]
    lines = spent([SeenRequest(when, when, host, path, 200) for when, (host, path) in enumerate(asked)], scale=SCALE)
    site, copy, original = (lines[f"{name}.maze.sim"] for name in ("soft404", "mirror-copy", "mirror"))
    assert (site.requests, site.robots, site.probes, len(site.brought), site.wasted) == (5, 1, 1, 2, 3)
    assert site.coverage == 2 / 60 and (site.first, site.last) == (2, 6)
    assert (copy.wasted, original.wasted) == (0, 1) and copy.coverage == original.coverage == 1 / 150
    assert share(lines.values()) == 3 / 7
    assert lines.keys() == MAZES.keys()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [(["--mazes", "calendar,labyrinth"], "no maze is called 'labyrinth'"), (["--mazes", "all", "--maze-scale", "0"], "scale")],
)
def test_a_maze_that_is_none_is_refused_with_a_sentence(
    options: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(options)
    assert stopped.value.code == 2 and sentence in capsys.readouterr().err
