"""What is read, and that none of its links is lost."""

import json
from pathlib import Path

from crawling import run_gossamer
from serving import page, site_running

OPTIONS = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--json"]


def test_a_page_whose_copy_came_first_under_a_wrong_type_still_has_its_links_followed(tmp_path: Path) -> None:
    _, _, content = page("/far", title="the page")
    routes = {
        "/": page("/copy.png", "/deeper"),
        "/copy.png": (200, {"content-type": "image/png"}, content),
        "/deeper": page("/page", title="deeper"),
        "/page": (200, {"content-type": "text/html"}, content),
        "/far": page(title="far"),
    }
    with site_running(routes) as site:
        run_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *OPTIONS)
    assert site.paths == ["/", "/copy.png", "/deeper", "/page", "/far"]
    copy = json.loads(run_gossamer("explain", tmp_path / "crawl", site.url("/page"), "--json").stdout)
    assert copy["outcome"] == "duplicate"


def test_every_link_of_a_very_long_list_is_queued(tmp_path: Path) -> None:
    links = [f"/{number}" for number in range(2_500)]
    with site_running({"/": page(*links)}) as site:
        directory = tmp_path / "crawl"
        run_gossamer("crawl", site.url(), "--dir", directory, "--max-pages", "1", "--set", "documents.max_links=5000", *OPTIONS)
    status = json.loads(run_gossamer("status", directory, "--json").stdout)
    assert status["frontier"]["waiting"] == len(links)
    assert run_gossamer("verify", directory).returncode == 0
