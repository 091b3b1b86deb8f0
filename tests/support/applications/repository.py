"""A git repository for repository browsers: files in folders, each with a text of its own, and a history of commits.

Made by one stream for `git fast-import`, so that it takes no time and every name in it is the same each time.
"""

from dataclasses import dataclass
from pathlib import Path

from applications.prose import Writer
from applications.running import run

FOLDERS = ("", "docs/", "docs/guide/", "src/", "src/parts/", "src/parts/small/", "tests/", "tools/")
ENDINGS = (".txt", ".md", ".py", ".conf")
FILES = 80
COMMITS = 120
AUTHORS = ("Ada Marsh", "Bo Lind", "Cy Tor", "Dee Hall")
FIRST = 1_700_000_000
HOUR = 3_600


@dataclass(frozen=True)
class Made:
    """What stands in a repository, with a phrase for each."""

    files: dict[str, str]  # of the head, by path
    commits: dict[str, str]  # by full name, newest first


def make(path: Path, seed: str) -> Made:
    """Make a bare repository."""
    writer = Writer(f"repository {seed}")
    paths = [f"{FOLDERS[n % len(FOLDERS)]}{writer.new_word()}{ENDINGS[n % len(ENDINGS)]}" for n in range(FILES)]
    contents: dict[str, list[str]] = {}
    phrases, messages, stream = {}, [], []
    for number in range(COMMITS):
        changed = {}
        for which in _touched(writer, number):
            name = paths[which]
            if name not in contents:
                text = writer.text(4)
                contents[name], phrases[name] = text.whole.replace(". ", ".\n").split("\n"), text.phrase
            else:
                _edit(writer, contents[name], phrases[name])
            changed[name] = "\n".join(contents[name]) + "\n"
        message = writer.text(1)
        messages.append(message.phrase)
        stream.append(_commit(number, f"{message.title}\n\n{message.whole}\n", changed))
    run(["git", "init", "--quiet", "--bare", "--initial-branch=main", path], path.parent)
    run(["git", "-C", path, "fast-import", "--quiet"], path.parent, stdin="".join(stream))
    run(["git", "-C", path, "update-server-info"], path.parent)
    names = run(["git", "-C", path, "rev-list", "main"], path.parent).split()
    return Made(phrases, dict(zip(names, reversed(messages), strict=True)))


def _touched(writer: Writer, number: int) -> list[int]:
    """Return which files a commit touches: a new one until all are there, and one or two that are."""
    there = min(number, FILES)
    new = [number] if number < FILES else []
    return new + writer.random.sample(range(there), min(there, writer.random.randint(1, 2)))


def _edit(writer: Writer, lines: list[str], phrase: str) -> None:
    """Change a line that is not the one to find the file by, and add another."""
    lines[writer.random.choice([n for n, line in enumerate(lines) if phrase not in line])] = writer.sentence()
    lines.append(writer.sentence())


def _commit(number: int, message: str, changed: dict[str, str]) -> str:
    author = AUTHORS[number % len(AUTHORS)]
    who = f"{author} <{author.split()[0].lower()}@example.org> {FIRST + number * 7 * HOUR} +0000"
    files = "".join(f"M 100644 inline {name}\ndata {len(text.encode())}\n{text}\n" for name, text in changed.items())
    said = f"data {len(message.encode())}\n{message}"
    return f"commit refs/heads/main\nauthor {who}\ncommitter {who}\n{said}\n{files}\n"
