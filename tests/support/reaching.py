"""Three answers to the same question, what do links reach from here: gossamer's, wget2's, and that of the files on disk.

All three are sets of URLs without fragments. wget2 names the fragment of the link it followed first in its report, and nothing
else is taken away from what it says.
"""

import csv
import json
import posixpath
import re
import subprocess
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

from crawling import CLEAN, run_gossamer

KEPT = {"ok", "duplicate", "near_duplicate"}
LINK = re.compile(rb"""<a\s[^>]*?\bhref\s*=\s*["']?([^"'\s>]*)""", re.IGNORECASE)


def gossamer_keeps(directory: Path, seed: str, *options: str) -> dict[str, str]:
    """Crawl from a seed to the end; return the URLs kept with their MIME types."""
    pace = ("--delay", "0", "--connections", "8")
    result = run_gossamer("crawl", seed, "--dir", directory, "--quiet", *pace, "--allow-private", "127.0.0.0/8", *options)
    assert result.returncode == 0, result.stdout + result.stderr
    listed = run_gossamer("pages", directory, "--json", "--limit", "0").stdout
    rows = [json.loads(line) for line in listed.splitlines()]
    return {row["url"]: row["mime"] for row in rows if row["outcome"] in KEPT}


TRIES = 3


def wget2_gets(directory: Path, seed: str, *options: str) -> set[str]:
    """Let wget2 follow every link from a seed; return the URLs that answered 200."""
    report = directory / "wget2.csv"
    words = ["wget2", "--quiet", "--recursive", "--level=inf", "--max-threads=4", f"--stats-site=csv:{report}"]
    words += [f"--directory-prefix={directory}/wget2", *options, seed]
    for _ in range(TRIES):
        ended = subprocess.run(words, env={**CLEAN, "HOME": str(directory)}, timeout=100, check=False)  # 404s make it exit 8
        if ended.returncode >= 0 and report.exists():
            break  # else it died: over TLS with several threads it does now and then, and leaves no report
    with report.open() as rows:
        return {urldefrag(row["URL"]).url for row in csv.DictReader(rows) if row["Status"] == "200"}


def links_reach(folder: Path, start: str = "index.html") -> set[str]:
    """Follow links from file to file below a folder; return the HTML files reached, named as in URLs below the folder."""
    reached, waiting = set(), [start]
    while waiting:
        name = waiting.pop()
        if name in reached or not (folder / name).is_file():
            continue
        reached.add(name)
        for found in LINK.findall((folder / name).read_bytes()):
            link = urlsplit(unescape(found.decode("utf-8", "replace")))
            path = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(link.path)))
            if not link.scheme and not link.netloc and link.path.endswith((".html", ".htm")) and not path.startswith(".."):
                waiting.append(path)
    return reached


def paths_of(urls: set[str] | dict[str, str]) -> set[str]:
    """Return the paths of URLs, read as a person reads them."""
    return {unquote(urlsplit(url).path) for url in urls}


def assert_same(ours: set[str], theirs: set[str]) -> None:
    """Compare two sets, and name some of what only one has."""
    lost, more = sorted(theirs - ours), sorted(ours - theirs)
    assert not lost and not more, f"{len(lost)} lost: {lost[:8]}; {len(more)} only ours: {more[:8]}"
