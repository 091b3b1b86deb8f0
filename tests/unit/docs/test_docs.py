"""Documents and code tell the same story; a test fails when they drift."""

import re
from pathlib import Path

from typer.main import get_command

from gossamer.cli.commands import application
from gossamer.records import Outcome

ROOT = Path(__file__).parents[3]


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


def test_every_command_is_in_the_changelog_or_readme() -> None:
    text = (ROOT / "README.md").read_text() + (ROOT / "CHANGELOG.md").read_text()
    commands = get_command(application()).commands  # type: ignore[attr-defined]
    assert [name for name in commands if not re.search(rf"\b{name}\b", text)] == []


def test_every_module_named_by_the_architecture_exists() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text()
    named = set(re.findall(r"`((?:\w+/)+\w+\.py)`", text))
    assert named
    assert {name for name in named if not (ROOT / "src" / "gossamer" / name).exists()} == set()


def test_no_source_file_is_over_four_hundred_lines() -> None:
    long = {path.name: count for path in (ROOT / "src").rglob("*.py") if (count := path.read_text().count("\n")) > 400}
    assert long == {}


def test_every_package_says_what_it_is_for_and_reexports_nothing() -> None:
    for path in (ROOT / "src" / "gossamer").rglob("__init__.py"):
        text = path.read_text().strip()
        assert text.startswith('"""') and text.endswith('"""'), path
        assert text.count('"""') == 2, path


def test_outcomes_are_a_closed_list_of_words() -> None:
    assert all(re.fullmatch(r"[a-z_0-9]+", outcome.value) for outcome in Outcome)
    assert len(Outcome) == 26
