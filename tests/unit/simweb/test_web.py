"""The web itself: the same from the same seed, of every kind, and of a shape that no order of visits can spoil."""

from collections import Counter

import pytest

from gossamer.simweb.settings import SimwebSettings
from gossamer.simweb.sites import HIGHEST_RANK, Resource, SimHost
from gossamer.simweb.web import Web, build


def everything(web: Web) -> list[Resource]:
    return [resource for host in web.hosts for resource in dict.fromkeys(host.table.values())]


def ordinary(web: Web) -> list[SimHost]:
    return [host for host in web.hosts if not host.is_apart]


def wires(web: Web) -> dict[str, bytes]:
    return {resource.url: web.answer_for(resource).wire for resource in everything(web)}


def test_the_same_seed_and_port_make_the_same_web_byte_for_byte() -> None:
    settings = SimwebSettings(hosts=12, pages=200, seed=5)
    assert wires(build(settings, 8080)) == wires(build(settings, 8080))


def test_another_seed_makes_another_web() -> None:
    one, two = (build(SimwebSettings(hosts=12, pages=200, seed=seed), 8080) for seed in (5, 6))
    contents = [{web.content(page) for host in ordinary(web) for page in host.pages} for web in (one, two)]
    assert contents[0].isdisjoint(contents[1])
    assert [host.role for host in one.hosts] != [host.role for host in two.hosts]


def test_a_page_does_not_depend_on_what_was_asked_before(web: Web) -> None:
    fresh = build(SimwebSettings(), 8080)
    last = everything(fresh)[-40:]
    assert [fresh.answer_for(page).wire for page in reversed(last)] == [
        web.answer_for(web.find(page.host.name, page.path)).wire for page in reversed(last)
    ]


def test_every_kind_of_host_and_answer_is_in_the_default_web(web: Web) -> None:
    roles = {host.role for host in web.hosts}
    assert roles == {
        "open", "rules", "groups", "missing", "pace", "deny", "unreachable", "moved", "elsewhere", "oversized", "slow"
    }  # fmt: skip
    resources = everything(web)
    statuses = {resource.status for resource in resources if resource.kind != "robots"}
    assert statuses == {200, 301, 302, 307, 308, 403, 404, 410, 429, 500}
    assert {resource.kind for resource in resources} == {
        "page", "frames", "xhtml", "listing", "text", "image", "file", "sitemap", "sitemap_index", "atom", "rdf", "rss",
        "robots", "note",
    }  # fmt: skip
    assert {(page.coding, page.framing) for page in resources} >= {
        ("identity", "length"), ("identity", "chunked"), ("identity", "close"), ("gzip", "length"), ("gzip", "chunked"),
        ("br", "length"), ("br", "chunked"),
    }  # fmt: skip
    charsets = {(page.charset, page.declared) for page in resources if page.charset != "utf-8"}
    assert len({charset for charset, _ in charsets}) == 5 and len(charsets) == 15
    links = [link for resource in resources for link in web.links(resource)]
    assert {link.kind for link in links} == {
        "anchor", "area", "frame", "iframe", "image", "canonical", "alternate", "refresh", "redirect", "sitemap",
        "feed",
    }  # fmt: skip
    assert any(link.nofollow for link in links) and any(link.target is None for link in links)
    assert any(page.failures for page in resources) and any(page.base for page in resources)


def test_no_order_of_visits_finds_a_page_deeper_than_a_crawler_goes(web: Web) -> None:
    """Each link leads to a seed, to a higher rank, or in the small circle of a redirect that has one way in."""
    for resource in everything(web):
        assert resource.rank <= 15
        for link in web.links(resource):
            target = link.target
            rising = target is None or target is target.host.root or target.rank > resource.rank
            assert rising or target is resource or target.path == "/loop/there", (resource.url, link)
    assert max(page.rank for host in web.hosts for page in host.pages) <= HIGHEST_RANK


def test_pages_have_the_sizes_asked_for_by_a_power_law(web: Web) -> None:
    sizes = [len(web.content(page)) for host in ordinary(web) for page in host.pages]
    assert len(sizes) == 2000
    assert min(sizes) >= 5_000 and max(sizes) <= 150_000 and max(sizes) > 100_000
    assert sorted(sizes)[1000] < 15_000


def test_links_go_mostly_to_few_pages_and_stay_mostly_on_their_host(web: Web) -> None:
    inward: Counter[str] = Counter()
    at_home = total = 0
    for host in web.hosts:
        for page in host.pages:
            for link in web.links(page):
                inward[link.url] += 1
                at_home += link.target is not None and link.target.host is host
                total += 1
    counts = sorted(inward.values(), reverse=True)
    assert counts[0] > 50 * counts[len(counts) // 2]
    assert 0.4 < at_home / total < 0.9


def test_two_pages_have_very_many_links_and_no_host_has_more_than_twice_its_share(web: Web) -> None:
    many = {resource.path: len(web.links(resource)) for resource in everything(web) if len(web.links(resource)) > 200}
    assert set(many) == {"/directory/index.html", "/contents/index.html"}
    assert many["/directory/index.html"] > 500 and many["/contents/index.html"] > 5_000
    contents = next(page for page in everything(web) if page.path == "/contents/index.html")
    assert len({link.url for link in web.links(contents)}) < 200
    assert max(len(set(host.table.values())) for host in ordinary(web)) <= 120


def test_a_host_has_at_most_one_url_that_fails_but_for_the_one_where_many_do(web: Web) -> None:
    pages = [resource for resource in everything(web) if resource.kind != "robots" and resource.host.name != "clinic.sim"]
    failing = Counter(page.host.name for page in pages if page.failures or page.status in (429, 500))
    assert len(failing) == 3 and max(failing.values()) == 1


def test_copies_have_the_same_bytes_and_nothing_else_has(web: Web) -> None:
    groups: dict[bytes, list[Resource]] = {}
    for resource in everything(web):
        if resource.kind != "robots" and resource.kind != "note":
            groups.setdefault(web.content(resource), []).append(resource)
    shared = [group for group in groups.values() if len(group) > 1]
    assert all(len({page.group for page in group}) == 1 and group[0].group for group in shared)
    assert sum(map(len, shared)) == sum(1 for page in everything(web) if page.group and page.kind != "listing")
    hosts = [len({page.host for page in group}) for group in shared]
    assert 1 in hosts and max(hosts) > 1


def test_copies_carry_the_same_links_whichever_is_asked(web: Web) -> None:
    copies = [page for page in everything(web) if page.original is not None and not page.links]
    assert len(copies) == 19
    for page in copies:
        assert page.original is not None and web.links(page) == web.links(page.original)
        assert all(link.href.startswith("http://") for link in web.links(page))


def test_relative_links_of_copies_in_several_folders_lead_elsewhere_from_each(web: Web) -> None:
    copies = [page for page in everything(web) if page.original is not None and page.links]
    assert len(copies) == 6
    for page in copies:
        assert page.original is not None
        theirs, own = web.links(page.original), web.links(page)
        assert [link.href for link in own] == [link.href for link in theirs]
        apart = [(link.href, link.url) for link, other in zip(own, theirs, strict=True) if link.url != other.url]
        assert apart == [(name, page.url + name) for name in ("one.html", "two.html")]


def test_listings_say_the_same_and_differ_in_their_titles(web: Web) -> None:
    listings = [page for page in everything(web) if page.kind == "listing"]
    assert len(listings) == 4 and len({page.group for page in listings}) == 1
    bodies = {web.content(page).partition(b"</title>")[2] for page in listings}
    assert len(bodies) == 1 and len({web.content(page) for page in listings}) == 4


def test_hosts_that_are_slow_or_closed_have_few_pages(web: Web) -> None:
    most = {"slow": 10, "pace": 24, "deny": 4, "unreachable": 4}
    assert all(len(host.pages) <= most.get(host.role, 80) for host in ordinary(web))


def test_aliases_name_the_same_page(web: Web) -> None:
    aliased = [page for page in everything(web) if page.aliases]
    assert len(aliased) > 20
    for page in aliased:
        for alias in page.aliases:
            assert web.lookup(page.host.origin + alias) is page


def test_a_plain_web_has_only_pages_that_answer_200_and_allow_everything() -> None:
    plain = build(SimwebSettings(plain=True, hosts=10, pages=300, min_bytes=6_000, max_bytes=6_000, coding="gzip"), 8080)
    pages = [resource for resource in everything(plain) if resource.kind != "robots"]
    assert len(pages) == 300 and {page.kind for page in pages} == {"page"}
    assert all(plain.judge(page.host.name, page.path).allowed for page in pages)
    answers = [plain.answer_for(page) for page in pages]
    assert {answer.status for answer in answers} == {200}
    assert all(b"Content-Encoding: gzip" in answer.head and b"Content-Length" in answer.head for answer in answers)
    assert sum(len(plain.content(page)) == 6_000 for page in pages) > 290


@pytest.mark.parametrize(("hosts", "pages"), [(1, 1), (1, 40), (3, 3), (9, 30), (120, 1000)])
def test_a_web_of_any_shape_can_be_grown(hosts: int, pages: int) -> None:
    small = build(SimwebSettings(hosts=hosts, pages=pages), 8080)
    assert len(ordinary(small)) == hosts and sum(len(host.pages) for host in ordinary(small)) == pages
    assert len(small.seeds) == hosts + 1  # one of a site that moved


def test_hosts_are_spread_over_the_addresses() -> None:
    spread = build(SimwebSettings(hosts=6, pages=6, addresses=3), 8080)
    assert spread.addresses == ["127.0.0.1", "127.0.0.2", "127.0.0.3"]
    assert spread.overrides[:2] == ["h0000.sim:127.0.0.1", "h0001.sim:127.0.0.2"]
    assert build(SimwebSettings(hosts=6, pages=6), 8080).overrides == ["*.sim:127.0.0.1"]
