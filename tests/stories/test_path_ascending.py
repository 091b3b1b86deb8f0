"""Path-ascending: a crawl also looks at the folders above what it finds, which nobody may link to."""

import json
from pathlib import Path

from crawling import run_gossamer
from serving import page, site_running

HERE = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--set", "traps.soft_404=false", "--quiet"]
ROUTES = {
    "/": page("/a/b/c.html", "/x.html", title="home"),
    "/a/b/c.html": page(title="deep"),
    "/a/b/": page("/a/b/unlinked.html", title="a folder that lists what is in it"),
    "/a/b/unlinked.html": page(title="found only by its folder"),
    "/a/": (403, {}, b"no listing"),
    "/x.html": page(title="shallow"),
}


def test_folders_above_a_page_are_visited_and_what_they_list_is_too(tmp_path: Path) -> None:
    crawl = tmp_path / "crawl"
    with site_running(dict(ROUTES)) as site:
        ascending = ["--set", "crawl.path_ascending=true"]
        assert run_gossamer("crawl", site.url(), "--dir", crawl, *HERE, *ascending).returncode == 0
        assert sorted(site.paths) == sorted(ROUTES), "each once"
        told = json.loads(run_gossamer("explain", crawl, site.url("/a/b/"), "--json").stdout)
        assert (told["found"]["kind"], told["found"]["via"], told["outcome"]) == ("ascent", site.url("/"), "ok")
        assert run_gossamer("verify", crawl).returncode == 0
