"""Documents and code tell the same story; a test fails when they drift."""

import re
from pathlib import Path

from typer.main import get_command

from gossamer.cli.commands import application
from gossamer.config.load import describe
from gossamer.config.quantities import seconds, size
from gossamer.config.sections import Settings
from gossamer.records.outcome import Outcome
from gossamer.records.rules import Rule

ROOT = Path(__file__).parents[3]
FILES = {
    "robots.txt",
    "crawl.log",
    "crawl.json",
    "crawl.seal",
    "frontier.md",
    "serve.db",
    "serve.log",
}  # named like a setting of a section


def test_every_test_named_by_the_requirements_exists() -> None:
    text = (ROOT / "docs" / "requirements.md").read_text()
    named = set(re.findall(r"`(?:tests/\w+/)?(test_\w+\.py)`", text))
    existing = {path.name for path in (ROOT / "tests").rglob("test_*.py")}
    assert named
    assert named - existing == set()


def test_every_module_named_by_the_requirements_exists() -> None:
    text = (ROOT / "docs" / "requirements.md").read_text()
    kept_by = [line.split("|")[3] for line in text.splitlines() if re.match(r"\| [A-M]\d", line)]
    named = {name for cell in kept_by for name in re.findall(r"`([\w/]+(?:\.py|/))`", cell)}
    assert {name for name in named if not (ROOT / "src" / "gossamer" / name).exists()} == set()


def test_every_promise_that_is_checked_on_a_crawl_is_listed_and_names_tests_that_exist() -> None:
    text = (ROOT / "docs" / "reference" / "promises.md").read_text()
    checked = {number for path in (ROOT / "src").rglob("*.py") for number in re.findall(r'"(P\d+)"', path.read_text())}
    assert checked and checked <= set(re.findall(r"(?m)^\| (P\d+) \|", text))
    assert [name for name in re.findall(r"`(tests/[\w/.]+)`", text) if not (ROOT / name).exists()] == []


def test_every_requirement_is_tracked() -> None:
    text = (ROOT / "docs" / "requirements.md").read_text()
    tracked = set()
    for cell in re.findall(r"(?m)^\| ([A-M][^|]*) \|", text):
        for part in cell.split(", "):
            first, _, last = part.partition("-")
            letter, start = first[0], int(first[1:])
            tracked |= {f"{letter}{number}" for number in range(start, int(last[1:]) + 1 if last else start + 1)}
    sizes = {"A": 7, "B": 4, "C": 7, "D": 6, "E": 8, "F": 5, "G": 4, "H": 3, "I": 6, "J": 5, "K": 4, "L": 3, "M": 2}
    assert tracked == {f"{letter}{number}" for letter, size in sizes.items() for number in range(1, size + 1)}


def test_every_command_has_an_example_among_the_commands() -> None:
    text = (ROOT / "docs" / "reference" / "commands.md").read_text()
    shown = set(re.findall(r"(?m)^gossamer (\w+)", text))
    assert shown == set(get_command(application()).commands)  # type: ignore[attr-defined]


def test_every_setting_that_a_page_names_exists() -> None:
    known = {knob.key for knob in describe()} | {str(rule) for rule in Rule}
    sections = "|".join(Settings.model_fields)
    for page in (ROOT / "README.md", *ROOT.glob("docs/**/*.md")):
        named = set(re.findall(rf"`((?:{sections})\.[a-z_]+)[`=]", page.read_text()))
        assert named - known - FILES == set(), page


def test_a_figure_beside_a_setting_is_its_default() -> None:
    """As in `crawl.free_disk` (256 MiB), or: after 500 pages (`score.rank_after`)."""
    defaults = {knob.key: knob.default for knob in describe()}
    compared = 0
    for page in ROOT.glob("docs/explanation/*.md"):
        text = page.read_text()
        behind = re.findall(r"`([a-z]+\.[a-z_0-9]+)` \((\d[^),]*)", text)
        before = [(key, figure) for figure, key in re.findall(r"(\d[\d,.]*)(?: [a-z]+)? \(`([a-z]+\.[a-z_0-9]+)`", text)]
        for key, figure in (*behind, *before):
            told = {seconds(figure), size(figure), size(figure.replace(",", ""))}
            assert defaults[key] in told, f"{page.name}: {key} is {defaults[key]}, not {figure}"
            compared += 1
    assert compared > 8


def test_every_file_that_a_document_links_to_exists() -> None:
    for document in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*.md")):
        links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text())
        assert [link for link in links if not (document.parent / link).exists()] == [], document


def test_every_module_named_by_the_architecture_exists() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text()
    named = set(re.findall(r"`((?:\w+/)+\w+\.py)`", text))
    assert named
    assert {name for name in named if not (ROOT / "src" / "gossamer" / name).exists()} == set()


def test_the_floors_of_the_architecture_are_the_rooms_of_the_tree() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text()
    floors = re.search(r"(?ms)^```\n(5 doors.*?)^```", text)
    assert floors
    columns = [line[9:].partition("  ")[0].split() for line in floors[1].splitlines() if line[9:10] != " "]
    named = [name.rstrip("/") for names in columns for name in names]
    package = ROOT / "src" / "gossamer"
    rooms = {path.parent.name for path in package.glob("*/__init__.py")}
    modules = {path.stem for path in package.glob("*.py")} - {"__init__", "__main__"}
    assert sorted(named) == sorted(rooms | modules)


def test_the_day_of_a_url_names_every_step_of_the_story_and_only_what_is_there() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text()
    table = re.search(r"(?ms)^\| step \| where \|\n(.*?)\n\n", text)
    assert table
    named = re.findall(r"`(\w+/(?:[\w/]+\.py|[\w/]*))`", table[1])
    package = ROOT / "src" / "gossamer"
    assert [name for name in named if not (package / name).exists()] == []
    steps = {f"visit/{path.name}" for path in (package / "visit").glob("*.py")} - {"visit/__init__.py"}
    assert steps - set(named) == set()


def test_every_package_says_what_it_is_for_and_reexports_nothing() -> None:
    for path in (ROOT / "src" / "gossamer").rglob("__init__.py"):
        text = path.read_text().strip()
        assert text.startswith('"""') and text.endswith('"""'), path
        assert text.count('"""') == 2, path


def test_outcomes_are_a_closed_list_of_words() -> None:
    assert all(re.fullmatch(r"[a-z_0-9]+", outcome.value) for outcome in Outcome)
    assert len(Outcome) == 27
