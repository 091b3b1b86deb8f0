"""The site: built without a warning, all links lead somewhere, nothing comes from elsewhere, and it names all there is."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from reference.links import rewrite
from typed import blocks
from typer.main import get_command

from gossamer.cli.commands import application
from gossamer.config.load import describe
from gossamer.errors import GossamerError
from gossamer.records.outcome import Outcome
from gossamer.records.rules import Rule

ROOT = Path(__file__).parents[3]


def build(root: Path, site: Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "NO_COLOR": "1"}
    return subprocess.run(words, cwd=root, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("site")
    built = build(ROOT, place)
    assert built.returncode == 0 and "WARNING" not in built.stderr, built.stderr
    return place


def test_the_reference_names_all_there_is(site: Path) -> None:
    def page(name: str) -> str:
        return (site / "reference" / f"{name}.html").read_text()

    commands = get_command(application()).commands  # type: ignore[attr-defined]
    parts = dict(re.findall(r'(?s)<h3 id="gossamer-(\w+)">(.*?)(?=<h3|</article>)', page("commands")))
    assert parts.keys() == commands.keys()
    for name, command in commands.items():
        options = [parameter.opts[0] for parameter in command.params if parameter.opts[0].startswith("-")]
        assert [option for option in options if not re.search(rf"<code>[^<]*{option}\b", parts[name])] == []
        assert parts[name].count("<tr>") == len(command.params) + 1, name
    assert {knob.key for knob in describe() if f"<code>{knob.key}</code>" not in page("settings")} == set()
    assert {rule for rule in Rule if f"<code>{rule}</code>" not in page("rules")} == set()
    assert {outcome for outcome in Outcome if f"<td><code>{outcome}</code></td>" not in page("outcomes")} == set()
    assert "<td></td>" not in page("outcomes")
    for package in ("records", "joints"):
        classes = {name for path in (ROOT / "src/gossamer" / package).glob("*.py") for name in _classes(path)} - {"Rule"}
        assert {name for name in classes if f'id="{name.lower()}"' not in page(package)} == set()
    errors = {error.__name__ for error in GossamerError.__subclasses__()}
    assert {error for error in errors if f"<code>{error}</code>" not in page("exit-codes")} == set()
    assert {code for code in (0, 1, 2, 3, 4, 5, 6, 7, 130) if f"<td>{code}</td>" not in page("exit-codes")} == set()


def test_nothing_is_fetched_from_elsewhere_to_show_it(site: Path) -> None:
    for page in site.rglob("*.html"):
        asked = re.findall(r'<(?:script|link|img|iframe|source)\b[^>]*?(?:src|href)="?(?:https?:)?//[^>]*', page.read_text())
        assert [tag for tag in asked if 'rel="canonical"' not in tag] == [], page
    for sheet in site.rglob("*.css"):
        assert re.findall(r"""(?:@import|url\()\s*["']?(?:https?:)?//""", sheet.read_text()) == [], sheet


def test_a_link_to_a_page_or_a_heading_that_is_not_there_fails_the_build(tmp_path: Path) -> None:
    root = tmp_path / "project"
    shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns(".*", "src", "tests", "bench", "*.crawl"))
    page = root / "docs" / "tutorial.md"
    page.write_text(page.read_text() + "\n[a](nowhere.md) [b](glossary.md#nothing) docs/decisions/9999\n")
    (root / "docs" / "forgotten.md").write_text("# A page that the outline does not name\n")
    built = build(root, tmp_path / "site")
    assert built.returncode == 1
    for word in ("nowhere.md", "#nothing", "9999.md", "forgotten.md"):
        assert re.search(rf"(?m)^WARNING[^\n]*(\n +- )?[^\n]*{re.escape(word)}", built.stderr), built.stderr


def test_links_of_the_repository_lead_to_where_things_are_on_the_site() -> None:
    def moved(text: str) -> str:
        return rewrite(text, "docs/explanation/security.md", "explanation/security.md")

    assert moved("[t](../../THREATS.md#x)") == "[t](../project/threats.md#x)"
    assert moved("[r](../../src/gossamer/records)") == "r"
    assert moved("[d](durability.md)") == "[d](durability.md)"
    assert moved("see docs/decisions/0020") == "see [decision 20](../decisions/0020-https-by-ourselves.md)"


def test_a_command_is_never_hidden_from_the_test_that_types_it() -> None:
    """A block in a list, or one with a reason that is empty, would be passed over."""
    for page in (ROOT / "README.md", *ROOT.glob("docs/**/*.md")):
        text = page.read_text()
        assert not re.search(r"(?m)^[ >]+```(sh|bash|console|shell)", text), page
        assert not re.search(r"(?m)^```(bash|console|shell|\$)", text), page
        assert all(len(block.mark) > len("shown: ") + 10 for block in blocks(text) if block.mark.startswith("shown")), page
        assert all(re.fullmatch(r"|beside|exits \d+|shown: .+", block.mark) for block in blocks(text)), page


def _classes(path: Path) -> list[str]:
    return re.findall(r"(?m)^class ([A-Z]\w*)", path.read_text())
