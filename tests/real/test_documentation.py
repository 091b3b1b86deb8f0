"""Documentation behind nginx and Apache as Debian packages them, from the seeds people type: what links reach is kept.

Judged twice: the pages kept are those that `wget2 -r -l inf` gets from the same seed, and those whose files links reach on
disk. A page is what is named like one: Apache finds `changelog.html.gz` when `changelog.html` is asked for, and
calls it a gzip file: both crawlers keep it, and it is no HTML.
"""

from pathlib import Path

import pytest
from judging import ALL
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


@pytest.mark.parametrize("server", ["nginx", "apache2"] if ALL else ["apache2"], indirect=True)
def test_a_manual_in_many_languages_is_kept_to_the_last_file_though_most_are_the_same(
    server: Served, documentation: dict[str, Path], tmp_path: Path
) -> None:
    """Of the 2,657 files that links reach in eleven languages 1,830 are the same as another, in runs of up to 138."""
    files = {f"/manual/{file}" for file in links_reach(documentation["manual"])}
    assert len(files) > 2000
    paths = paths_of(gossamer_keeps(tmp_path / "crawl", f"http://127.0.0.1:{server.port}/manual/"))
    assert files - paths - {"/manual/index.html"} == set()  # the seed


def pages_of(urls: set[str] | dict[str, str]) -> set[str]:
    """Return the URLs that are named like pages."""
    return {url for url in urls if url.endswith(("/", ".html"))}
