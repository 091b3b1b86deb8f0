"""Every row of THREATS.md names tests, modules and attack families that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
ROWS = [
    line.split(" | ")
    for line in (ROOT / "THREATS.md").read_text().splitlines()
    if re.match(r"\| [SPNUMC]( [SPNUMC])* \|", line)
]


def test_every_threat_has_a_defence_and_a_test_that_exists() -> None:
    assert len(ROWS) >= 25
    for row in ROWS:
        assert len(row) == 4 and all(cell.strip(" |") for cell in row), row
        tests, families = _named(row[3].split("zoo")[0]), _named(row[3].partition("zoo")[2])
        assert tests or families, row
        assert [name for name in tests if not _exists(name)] == []
        assert [name for name in families if not (ROOT / "src/gossamer/simweb/attacks" / f"{name}.py").exists()] == []


def test_every_module_and_setting_it_names_exists() -> None:
    defences = {name for row in ROWS for name in _named(row[2])}
    modules = {name for name in defences if name.endswith(".py")}
    assert [name for name in modules if not (ROOT / "src/gossamer" / name).exists()] == []
    sections = (ROOT / "src/gossamer/config/sections.py").read_text()
    knobs = {name.partition(".")[2] for name in defences - modules if re.fullmatch(r"[a-z]+\.[a-z_]+", name)}
    assert [knob for knob in knobs if f"    {knob}: " not in sections] == []


def test_the_door_has_a_test_by_name_for_each_attack() -> None:
    rows = [row for row in ROWS if "C" in row[0].split()]
    assert len(rows) >= 15
    assert [row for row in rows if not any("::" in name for name in _named(row[3]))] == []


def _exists(test: str) -> bool:
    """Tell whether there is a file of tests, and the test in it that is named, if one is."""
    file, _, name = test.partition("::")
    path = ROOT / "tests" / file
    return path.exists() and (not name or f"def {name}(" in path.read_text())


def _named(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)
