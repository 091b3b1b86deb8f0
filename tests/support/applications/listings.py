"""Folders of text files as Apache and nginx list them, and documentation as Debian packages it: no application at all.

Truth: every file; of the documentation, every page that links reach on disk. Views are what Apache makes of a listing by the
heads of its columns.
"""

import shutil
from pathlib import Path

from packaged import apache_running
from reaching import links_reach
from witnesses import APACHE, MANUAL, POSTGRESQL, PYTHON

from applications.prose import Writer
from applications.running import Application, Content, Started

FOLDERS = (
    "",
    "letters/",
    "letters/old/",
    "letters/older/",
    "plans/",
    "plans/house/",
    "plans/garden/",
    "songs/",
    "empty/below/",
)
FILES = 230
SEEDS = {"python": PYTHON, "postgresql": POSTGRESQL}


def fill(place: Path) -> list[Content]:
    """Write all files."""
    writer = Writer("listings")
    truth = []
    for number in range(FILES):
        folder = FOLDERS[number % len(FOLDERS)]
        text = writer.text(writer.random.randint(2, 4))
        file = place / "files" / f"{folder}{writer.new_word()}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{text.title}\n\n{text.whole}\n")
        truth.append(Content(f"/{file.relative_to(place)}", text.phrase, "file"))
    return truth


def fill_documentation(place: Path) -> list[Content]:
    """Link the documentation, with a page that names its parts."""
    truth = []
    for name, witness in SEEDS.items():
        folder = _folder(witness.path)
        (place / name).symlink_to(folder)
        truth += [Content(f"/{name}/{file}", "", "page", _also(name, file)) for file in sorted(links_reach(folder))]
    (place / "index.html").write_text("".join(f'<p><a href="{name}/">{name}</a></p>' for name in SEEDS))
    return truth


def _folder(index: Path | None) -> Path:
    assert index is not None
    return index.parent


def _also(name: str, file: str) -> tuple[str, ...]:
    return (f"/{name}/",) if file == "index.html" else ()


def serve_by_nginx(started: Started) -> str:
    """Let the front itself list the folders."""
    return f"root {started.place}; index index.html; charset utf-8; location / {{ autoindex on; }}"


def serve_by_apache(started: Started) -> str:
    """Let Apache list them behind the front."""
    served = started.stack.enter_context(apache_running({}))
    shutil.copytree(started.place / "files", served.root / "files")
    return f"location / {{ proxy_pass http://127.0.0.1:{served.port}; proxy_set_header Host $http_host; }}"


NGINX_LISTS = Application("nginx listing", "directory listing", (), fill, serve_by_nginx, "/files/", allowance=1.3)
APACHE_LISTS = Application(
    "apache listing", "directory listing", (APACHE,), fill, serve_by_apache, seed="/files/", allowance=1.3
)
DOCUMENTATION = Application(
    "documentation", "plain pages", (PYTHON, POSTGRESQL, MANUAL), fill_documentation, serve_by_nginx, allowance=1.3
)
