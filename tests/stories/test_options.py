"""What the options of a crawl do, seen from the server's side."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from crawling import run_gossamer, simweb_running
from serving import Site, page, site_running

LOOPBACK = ["--allow-private", "127.0.0.0/8"]
QUICK = ["--delay", "0", *LOOPBACK]


def crawl(directory: Path, site: Site, *options: object, code: int = 0) -> dict[str, object]:
    """Crawl a site of ours to the end; return the summary."""
    result = run_gossamer("crawl", site.url(), "--dir", directory / "crawl", *options, "--json")
    assert result.returncode == code, result.stderr
    return json.loads(result.stdout)


def explain(directory: Path, url: str) -> dict[str, object]:
    """Ask a crawl about a URL."""
    return json.loads(run_gossamer("explain", directory / "crawl", url, "--json").stdout)


def chain(length: int) -> dict[str, object]:
    """Return pages in a row, each with a link to the next."""
    pages: dict[str, object] = {f"/{number}": page(f"/{number + 1}") for number in range(1, length)}
    return {"/": page("/1"), **pages, f"/{length}": page()}


def test_with_only_a_url_it_is_polite_and_says_so(tmp_path: Path) -> None:
    unresolved = ["--set", "dns.servers=127.0.0.1:1", "--set", "robots.wait=0"]
    words = run_gossamer("crawl", "http://somewhere.test/", "--dir", tmp_path / "crawl", *unresolved).stderr
    assert "robots.txt: obeyed" in words
    assert "1 s between two requests" in words
    assert "keeps to the seeds' hosts" in words
    assert "private ones are refused" in words
    assert "--contact" in words


def test_by_default_a_host_is_asked_once_a_second(tmp_path: Path) -> None:
    with site_running({"/": page("/a"), "/a": page()}) as site:
        crawl(tmp_path, site, *LOOPBACK)
    times = [one.at for one in site.asked]
    assert [one.path for one in site.asked] == ["/robots.txt", "/", "/a"]
    assert min(two - one for one, two in pairwise(times)) >= 0.995


def test_robots_txt_is_obeyed_by_default(tmp_path: Path) -> None:
    robots = (200, {}, b"user-agent: *\ndisallow: /private\n")
    with site_running({"/robots.txt": robots, "/": page("/private/x", "/open"), "/open": page()}) as site:
        crawl(tmp_path, site, *QUICK)
    assert sorted(site.paths) == ["/", "/open"]
    answer = explain(tmp_path, site.url("/private/x"))
    assert (answer["outcome"], answer["rule"]) == ("robots_denied", "robots.txt")
    assert "/private" in str(answer["reason"])


def test_the_user_agent_names_gossamer_its_version_and_the_contact(tmp_path: Path) -> None:
    with site_running({"/": page()}) as site:
        crawl(tmp_path, site, *QUICK, "--contact", "https://me.example/bot")
    assert site.asked[-1].headers["user-agent"].startswith("gossamer/")
    assert "https://me.example/bot" in site.asked[-1].headers["user-agent"]


def test_max_pages_is_exact_and_resume_goes_on(tmp_path: Path) -> None:
    with site_running(
        {"/": page(*(f"/{number}" for number in range(20))), **{f"/{n}": page(title=f"{n}") for n in range(20)}}
    ) as site:
        summary = crawl(tmp_path, site, *QUICK, "--connections", 8, "--max-pages", 7)
        assert (summary["end"], summary["pages"]) == ("budget spent", 7)
        assert len(site.paths) == 7
        resumed = run_gossamer("resume", tmp_path / "crawl", "--max-pages", 100, "--json")
        assert json.loads(resumed.stdout)["end"] == "finished"
    assert sorted(site.paths) == sorted(["/", *(f"/{number}" for number in range(20))])


def test_max_depth_counts_hops(tmp_path: Path) -> None:
    with site_running(chain(5)) as site:
        crawl(tmp_path, site, *QUICK, "--max-depth", 2)
    assert site.paths == ["/", "/1", "/2"]
    assert explain(tmp_path, site.url("/3"))["rule"] == "scope.max_depth"


@pytest.mark.parametrize(("scope", "paths"), [("prefix", ["/a/", "/a/b"]), ("host", ["/", "/a/", "/a/b"])])
def test_scope_keeps_the_crawl_where_it_belongs(tmp_path: Path, scope: str, paths: list[str]) -> None:
    with site_running({"/a/": page("/", "b"), "/": page(title="root"), "/a/b": page(title="b")}) as site:
        run_gossamer("crawl", site.url("/a/"), "--dir", tmp_path / "crawl", "--scope", scope, *QUICK)
    assert sorted(site.paths) == paths


def test_resolve_names_an_address(tmp_path: Path) -> None:
    with site_running({"/": page()}) as site:
        url = site.url(host="www.shop.test")
        result = run_gossamer(
            "crawl", url, "--dir", tmp_path / "crawl", "--resolve", "www.shop.test:127.0.0.1", *QUICK, "--json"
        )
    assert json.loads(result.stdout)["pages"] == 1
    assert site.asked[-1].headers["host"] == f"www.shop.test:{site.port}"


def test_names_are_asked_of_a_real_name_server(tmp_path: Path) -> None:
    place = tmp_path / "web"
    place.mkdir()
    with simweb_running(place, hosts=3, pages=6, dns=True) as web:
        server = f"dns.servers=127.0.0.1:{web.dns_port}"
        options = ["--seeds", web.seeds, "--set", server, "--delay", "0.01", *LOOPBACK, "--json"]
        result = run_gossamer("crawl", "--dir", tmp_path / "crawl", *options)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["pages"] >= 3


def test_a_name_that_does_not_exist_is_an_outcome(tmp_path: Path) -> None:
    place = tmp_path / "web"
    place.mkdir()
    with simweb_running(place, hosts=3, pages=6, dns=True) as web:
        server = ["--set", f"dns.servers=127.0.0.1:{web.dns_port}", "--set", "robots.wait=0.1"]
        run_gossamer("crawl", "http://nowhere.sim/", "--dir", tmp_path / "crawl", *server, *QUICK)
    answer = explain(tmp_path, "http://nowhere.sim/")
    assert answer["outcome"] == "dns_failed"
    assert answer["reason"]


def test_a_redirect_to_a_private_address_is_refused(tmp_path: Path) -> None:
    with site_running({"/": (302, {"location": "http://10.1.2.3/secret"}, b"")}) as site:
        crawl(tmp_path, site, *QUICK, "--scope", "any", code=7)
    assert explain(tmp_path, "http://10.1.2.3/secret")["outcome"] == "address_refused"


def test_a_failing_host_is_left_alone_and_its_urls_end(tmp_path: Path) -> None:
    names = [f"/{number}" for number in range(9)]
    broken = (500, {}, b"")
    with site_running({"/": page(*names), **dict.fromkeys(names, broken)}) as site:
        options = ["--set", "breaker.failures=3", "--set", "breaker.open_for=0.2", "--set", "retry.wait=0.1"]
        summary = crawl(tmp_path, site, *QUICK, *options)
    assert summary["end"] == "finished"
    assert summary["outcomes"]["breaker_open"] > 0
    assert len(site.paths) == 1 + 3 + 2  # three failures, then one probe after each of two openings


def test_a_robots_txt_out_of_reach_ends_its_urls_after_three_questions(tmp_path: Path) -> None:
    with site_running({"/robots.txt": (503, {}, b""), "/": page()}) as site:
        summary = crawl(tmp_path, site, *QUICK, "--set", "robots.wait=0.1", code=7)
    assert [one.path for one in site.asked] == ["/robots.txt"] * 3
    assert summary["outcomes"] == {"robots_denied": 1}
    answer = explain(tmp_path, site.url())
    assert "unreachable" in str(answer["reason"])
    assert answer["queue"]["due"] is not None


def test_a_sitemap_is_a_seed(tmp_path: Path) -> None:
    with site_running({"/a": page(), "/map.xml": (404, {}, b"")}) as site:
        listed = f"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>{site.url('/a')}</loc></url></urlset>"
        site.routes["/map.xml"] = (200, {"content-type": "application/xml"}, listed.encode())
        run_gossamer("crawl", site.url("/map.xml"), "--dir", tmp_path / "crawl", *QUICK, "--max-depth", 0)
    assert site.paths == ["/map.xml", "/a"]


@pytest.mark.parametrize(
    ("order", "paths"),
    [("breadth-first", ["/", "/a", "/b", "/a/1", "/b/1"]), ("depth-first", ["/", "/a", "/a/1", "/b", "/b/1"])],
)
def test_order_of_a_hosts_pages(tmp_path: Path, order: str, paths: list[str]) -> None:
    routes = {"/": page("/a", "/b"), "/a": page("/a/1"), "/b": page("/b/1"), "/a/1": page(title="a1"), "/b/1": page(title="b1")}
    with site_running(routes) as site:
        crawl(tmp_path, site, *QUICK, "--set", f"crawl.order={order}")
    assert site.paths == paths


def test_the_richest_page_of_a_host_is_next(tmp_path: Path) -> None:
    routes = {
        "/": page("/a", "/b", "/c"),
        "/a": page("/a/1", "/a/2", "/c"),
        "/b": page("/c"),
        "/c": page("/", title="c"),
        "/a/1": page(title="a1"),
        "/a/2": page(title="a2"),
    }
    with site_running(routes) as site:
        crawl(tmp_path, site, *QUICK, "--set", "crawl.order=opic")
    assert site.paths == ["/", "/a", "/c", "/b", "/a/1", "/a/2"]  # /a also pays /c, which is first then
    numbers = json.loads(run_gossamer("status", tmp_path / "crawl", "--json").stdout)["frontier"]
    credits = [explain(tmp_path, site.url(path))["queue"]["credit"] for path in ("/", "/c")]
    assert 0 < credits[1] < credits[0] < numbers["credit"] and numbers["lambda_credit"] < len(routes)
    verified = run_gossamer("verify", tmp_path / "crawl").stdout
    assert "what the seeds brought" in verified and ", 0 failed" in verified


def test_a_body_over_the_limit_is_cut_and_marked(tmp_path: Path) -> None:
    with site_running({"/": (200, {"content-type": "text/plain"}, b"x" * 50_000)}) as site:
        crawl(tmp_path, site, *QUICK, "--set", "fetch.max_body=10kB")
    answer = explain(tmp_path, site.url())
    assert answer["page"]["truncated"] == "length"
    assert answer["page"]["length"] <= 10_240


def test_a_full_disk_pauses_the_crawl(tmp_path: Path) -> None:
    with site_running({"/": page()}) as site:
        words = ["crawl", site.url(), "--dir", tmp_path / "crawl", *QUICK, "--set", "crawl.free_disk=1000TB", "--max-time", "2"]
        result = run_gossamer(*words)
        assert site.asked == []
    assert "paused" in result.stderr
    assert result.returncode == 7, "nothing was kept"


def test_help_lists_every_command_of_the_manual() -> None:
    words = run_gossamer("--help").stdout
    commands = (
        *("crawl", "resume", "status", "pages", "index", "show", "explain", "verify"),
        *("url", "robots", "links", "fetch", "config", "demo", "simweb"),
    )
    assert [name for name in commands if f"  {name} " not in words] == []


def test_sitemaps_of_robots_txt_are_left_alone_when_told_so_and_explained(tmp_path: Path) -> None:
    with site_running({"/": page(title="home"), "/a": page(title="a")}) as site:
        listed = f"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>{site.url('/a')}</loc></url></urlset>"
        site.routes["/map.xml"] = (200, {"content-type": "application/xml"}, listed.encode())
        site.routes["/robots.txt"] = (200, {}, f"sitemap: {site.url('/map.xml')}\n".encode())
        crawl(tmp_path, site, *QUICK, "--set", "documents.sitemaps=false")
        assert site.paths == ["/"]
        answer = explain(tmp_path, site.url("/map.xml"))
        assert (answer["rule"], answer["outcome"]) == ("documents.sitemaps", "out_of_scope")
        site.routes["/"] = page("/map.xml", title="home that links its sitemap")
        run_gossamer("recrawl", tmp_path / "crawl", "--quiet")
        assert "/map.xml" in site.paths, "a page that links it offers a way in"
