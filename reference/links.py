"""Links as the site has them: written for whoever reads the files in the repository, followed by whoever reads the site."""

import os.path
import re
from pathlib import Path, PurePosixPath

from reference.decisions import found

ROOT = Path(__file__).parents[1]
# Files outside `docs` that are part of the site, and where.
BESIDE = {
    "ARCHITECTURE.md": "project/architecture.md",
    "CHANGELOG.md": "project/changelog.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "THREATS.md": "project/threats.md",
    **{f"examples/{path.name}": f"examples/{path.name}" for path in sorted((ROOT / "examples").iterdir()) if path.is_file()},
}
_LINK = re.compile(r"\[([^\[\]]*)\]\(([^()\s:#]+)(#[^()\s]*)?\)")
_DECISION = re.compile(r"docs/decisions/(\d{4})(?![\w-])")


def rewrite(markdown: str, source: str, page: str) -> str:
    """Let the links of a file lead to where things are on the site; a folder or a source file is only named."""
    home = PurePosixPath(page).parent

    def linked(match: re.Match[str]) -> str:
        words, target, anchor = match[1], match[2], match[3] or ""
        path = os.path.normpath(PurePosixPath(source).parent / target)
        if path in BESIDE:
            place = BESIDE[path]
        elif path.startswith("docs/"):
            place = path.removeprefix("docs/")
        else:
            return words if (ROOT / path).exists() else match[0]
        return f"[{words}]({os.path.relpath(place, home)}{anchor})"

    def decided(match: re.Match[str]) -> str:
        """Turn the bare name of a decision into a link; one that does not exist leads nowhere, which the build refuses."""
        name = next((path.name for path in found() if path.name.startswith(match[1])), f"{match[1]}.md")
        return f"[decision {int(match[1])}]({os.path.relpath(f'decisions/{name}', home)})"

    return _DECISION.sub(decided, _LINK.sub(linked, markdown))
