"""Documentation behind nginx and Apache as Debian packages them, from the seeds people type: what links reach is kept.

Judged twice: the pages kept are those that `wget2 -r -l inf` gets from the same seed, and those whose files links reach on
disk. A page is what is named like one: Apache finds `changelog.html.gz` when `changelog.html` is asked for, and
calls it a gzip file: both crawlers keep it, and it is no HTML.
"""

import json
from pathlib import Path

import pytest
from crawling import run_gossamer
from packaged import Served
from reaching import assert_same, gossamer_keeps, links_reach, paths_of, wget2_gets

SEEDS = {
    "without its slash": "http://127.0.0.1:{port}/{name}",
    "index.html": "http://localhost:{port}/{name}/index.html",
    "http that became https": "http://localhost:{upgrading}/{name}",
}
NO_FILE = {("apache2", "python"): {"/python/whatsnew/changelog.html"}}  # pages over HTTP that no file has the name of


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", ["python", "postgresql"])
def test_every_page_that_links_reach_is_kept(
    server: Served, documentation: dict[str, Path], name: str, seed: str, tmp_path: Path
) -> None:
    url = SEEDS[seed].format(name=name, port=server.port, upgrading=server.upgrading)
    pages = pages_of(gossamer_keeps(tmp_path / "crawl", url, "--insecure"))
    assert_same(pages, pages_of(wget2_gets(tmp_path, url, "--no-check-certificate")))
    files = {f"/{name}/{file}" for file in links_reach(documentation[name])}
    assert len(files) > 500
    assert_same(paths_of(pages) - {f"/{name}/"}, files | NO_FILE.get((server.name, name), set()))


def test_a_manual_in_eleven_languages_is_kept_though_most_of_its_pages_are_copies(
    server: Served, documentation: dict[str, Path], tmp_path: Path
) -> None:
    """Copies are links to one file. A maze may be learned of them, but no file is lost to it, and what it left out is told."""
    url, folder = f"http://127.0.0.1:{server.port}/manual", documentation["manual"]
    pages = paths_of(pages_of(gossamer_keeps(tmp_path / "crawl", url)))
    reached = {path for path in paths_of(pages_of(wget2_gets(tmp_path, url))) if (folder.parent / path[1:]).is_file()}
    assert len(reached) > 2000
    files = {path: (folder.parent / path[1:]).resolve() for path in reached}
    assert_same({str(files[path]) for path in pages & reached}, {str(file) for file in files.values()})
    assert reached - pages == told_as_traps(tmp_path / "crawl", server, reached - pages)


def pages_of(urls: set[str] | dict[str, str]) -> set[str]:
    """Return the URLs that are named like pages."""
    return {url for url in urls if url.endswith(("/", ".html"))}


def told_as_traps(directory: Path, server: Served, paths: set[str]) -> set[str]:
    """Return the paths that are explained by a learned maze, with its evidence."""
    asked = "".join(f"http://127.0.0.1:{server.port}{path}\n" for path in sorted(paths))
    answers = map(json.loads, run_gossamer("explain", directory, "-", "--json", stdin=asked).stdout.splitlines())
    return paths_of({answer["url"] for answer in answers if answer["outcome"] == "trap" and "new in" in json.dumps(answer)})
