"""What mkdocs asks while it builds the site: which pages there are beside `docs`, and what a page says."""

import re

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from reference.commands import commands
from reference.decisions import decisions
from reference.exits import exits
from reference.joints import joints
from reference.links import BESIDE, ROOT, rewrite
from reference.outcomes import outcomes
from reference.python import client, python
from reference.records import records
from reference.rules import rules
from reference.settings import settings

PARTS = {
    "client": client,
    "commands": commands,
    "decisions": decisions,
    "exit codes": exits,
    "joints": joints,
    "outcomes": outcomes,
    "python": python,
    "records": records,
    "rules": rules,
    "settings": settings,
}
_PLACE = re.compile(r"(?m)^<!-- written: ([\w ]+) -->$")
_SOURCES = {page: source for source, page in BESIDE.items()}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what is part of the site and stands elsewhere in the repository."""
    for source, page in BESIDE.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / source)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Write the parts that come from the code, and let links lead to where things are on the site."""
    place = page.file.src_uri
    linked = rewrite(markdown, _SOURCES.get(place, f"docs/{place}"), place)
    return _PLACE.sub(lambda match: PARTS[match[1]](), linked)
