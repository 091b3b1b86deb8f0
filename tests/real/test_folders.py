"""What servers make of folders and names: listings without an index, redirects to the slash, a page chosen by negotiation."""

from pathlib import Path

import pytest
from judging import ALL
from packaged import Served
from reaching import assert_same, gossamer_keeps, links_reach, paths_of, wget2_gets

PAGE = (
    '<title>{title}</title><p>{title}, at length.</p><a href="/guide/install">how</a> <a href="/guide/faq.html">why</a>{more}'
)


@pytest.mark.parametrize("server", ["nginx", "apache2"] if ALL else ["nginx"], indirect=True)
def test_a_whole_server_is_kept_from_the_name_of_its_host_with_every_file_that_listings_show(
    server: Served, documentation: dict[str, Path], tmp_path: Path
) -> None:
    """Each order of an Apache listing is a URL of its own (`?C=N;O=D`); paths are compared, because one order shows all."""
    url, sources = f"http://localhost:{server.port}", documentation["sources"]
    shown = {f"/sources/{path.relative_to(sources)}{'/' if path.is_dir() else ''}" for path in sources.rglob("*")}
    linked = {f"/{name}/{file}" for name in ("python", "postgresql") for file in links_reach(documentation[name])}
    assert len(shown) > 500 and len(linked) > 1500
    paths = paths_of(gossamer_keeps(tmp_path / "crawl", url, "--exclude", "/manual/"))  # which has a test of its own
    assert_same({path for path in paths if path.startswith("/sources/")}, shown | {"/sources/"})
    assert_same(paths & linked, linked)
    assert_same((shown | linked) & paths_of(wget2_gets(tmp_path, url, "--reject-regex=/manual/")), shown | linked)


@pytest.mark.parametrize("server", ["apache2"], indirect=True)
def test_a_page_that_is_chosen_by_negotiation_is_kept_under_every_name_it_is_linked_by(server: Served, tmp_path: Path) -> None:
    guide = server.root / "guide"
    (guide / "setup").mkdir(parents=True)
    for name, title in (("index", "Guide"), ("install", "To install"), ("faq", "Questions"), ("setup/index", "Setting up")):
        more = '<a href="install.html.de">auf Deutsch</a> <a href="setup">setup</a>' if name == "index" else ""
        (guide / f"{name}.html.en").write_text(PAGE.format(title=title, more=more))
        (guide / f"{name}.html.de").write_text(PAGE.format(title=f"{title} auf Deutsch", more=""))
    url = f"http://127.0.0.1:{server.port}/guide"
    kept = paths_of(gossamer_keeps(tmp_path / "crawl", url))
    assert_same(kept, {f"/guide/{name}" for name in ("", "install", "faq.html", "install.html.de", "setup/")})
    assert_same(kept, paths_of(wget2_gets(tmp_path, url)))
