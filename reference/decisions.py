"""The list of decisions, each by its own heading."""

from pathlib import Path

FOLDER = Path(__file__).parents[1] / "docs" / "decisions"


def decisions() -> str:
    """Write a line a decision."""
    return "\n".join(f"- [{_title(path)}]({path.name})" for path in found())


def found() -> list[Path]:
    """Return the files of all decisions, in order."""
    return sorted(FOLDER.glob("[0-9]*.md"))


def _title(path: Path) -> str:
    return path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
