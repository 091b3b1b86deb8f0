"""What stands around the rules of RFC 9309 (see `tests/spec/test_rfc9309.py`): reasons, delays, sitemaps, limits."""

import time

import pytest

from gossamer.robots.rules import parse, product_token

URL = "https://site.test"


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("/private/x", "disallow: /private"),
        ("/private/open", "allow: /private/open"),
        ("/x.gif", "disallow: /*.gif$"),
        ("/elsewhere", "no rule matches"),
        ("/robots.txt", "robots.txt itself is always allowed"),
        ("/caf%C3%A9", "disallow: /café"),
    ],
)
def test_a_verdict_names_the_line_that_decided(path: str, rule: str) -> None:
    file = "User-agent: *\nDISALLOW: /private # not here\nAllow:/private/open\nDisallow: /*.gif$\nDisallow: /café\n"
    assert parse(file).judge(URL + path, "heron")[1] == rule


def test_a_line_in_another_charset_still_counts_and_can_be_printed() -> None:
    rules = parse("User-agent: *\nDisallow: /café".encode("latin-1"))
    assert rules.judge(URL + "/caf%E9", "heron") == (False, "disallow: /caf\ufffd")
    assert rules.judge(URL + "/caf%C3%A9", "heron")[0]


@pytest.mark.parametrize(
    ("file", "agent", "delay"),
    [
        ("User-agent: *\nCrawl-delay: 2.5\n", "heron", 2.5),
        ("User-agent: *\nCrawl-delay: 2.5\nUser-agent: heron\nDisallow: /a\n", "heron", 2.5),
        ("User-agent: *\nDisallow: /b\nCrawl-delay: 2.5\n\nUser-agent: heron\nDisallow: /a\n", "heron", None),
        ("User-agent: heron\nCrawl-delay: 7\nDisallow: /a\nUser-agent: *\nCrawl-delay: 1\n", "HERON/3", 7.0),
        ("User-agent: *\nCrawl-delay: 1\nDisallow:\nUser-agent: *\nCrawl-delay: 9\nAllow: /\n", "heron", 9.0),
        ("User-agent: *\nCrawl-delay: 3\nCrawl-delay: 4\n", "heron", 3.0),
        ("User-agent: *\ncrawl delay: 0\n", "heron", 0.0),
        ("User-agent: *\nCrawl-delay: soon\n", "heron", None),
        ("User-agent: *\nCrawl-delay: -1\n", "heron", None),
        ("User-agent: *\nCrawl-delay: inf\n", "heron", None),
        ("User-agent: *\nCrawl-delay: nan\n", "heron", None),
        ("Crawl-delay: 3\nUser-agent: *\nDisallow:\n", "heron", None),
        ("", "heron", None),
    ],
)
def test_crawl_delay_belongs_to_its_group(file: str, agent: str, delay: float | None) -> None:
    assert parse(file).delay(agent) == delay


def test_sitemaps_are_the_files_and_each_is_named_once() -> None:
    file = (
        "Sitemap: https://s.test/a.xml\nUser-agent: *\nsitemap:/b.xml\nDisallow: /\nSITE-MAP : https://s.test/a.xml\nSitemap:\n"
    )
    assert parse(file).sitemaps == ("https://s.test/a.xml", "/b.xml")


def test_only_whole_lines_below_the_limit_are_read() -> None:
    start = "User-agent: *\nDisallow: /early\n"
    late = "Allow: /early/but/late\nDisallow: /late\n"
    for size in range(len(start), len(start) + len("Allow: /early/but/late\n")):
        rules = parse(start + late, size)
        assert not rules.judge(URL + "/early/but/late", "heron")[0], f"a line cut at {size} was read"
    assert parse(start + late).judge(URL + "/early/but/late", "heron")[0]


def test_the_limit_is_500_kib_unless_told_otherwise() -> None:
    filling = "# filling\n" * (500 * 1024 // 10)
    assert parse(f"User-agent: *\n{filling}Disallow: /late\n").judge(URL + "/late", "heron")[0]
    assert not parse(f"User-agent: *\n{filling[40:]}Disallow: /l\n").judge(URL + "/late", "heron")[0]


@pytest.mark.parametrize(
    ("agent", "token"),
    [("gossamer/0.1 (+mail)", "gossamer"), ("Heron-2_b", "heron-2_b"), ("a.b", "a"), ("", ""), ("(x)", ""), ("*", "")],
)
def test_a_product_token_is_what_a_user_agent_begins_with(agent: str, token: str) -> None:
    assert product_token(agent) == token


def test_a_robot_without_a_name_follows_the_group_of_everybody() -> None:
    rules = parse("User-agent: *\nDisallow: /a\nUser-agent:\nDisallow: /b\n")
    assert [rules.judge(URL + path, "")[0] for path in ("/a", "/b")] == [False, True]


@pytest.mark.parametrize(
    "file",
    [
        "User-agent: *\n" + "Disallow: /*a*a*a*a*a*a*a*a*b\n" * 10_000,
        "User-agent: *\nDisallow: /" + "*a" * 240_000 + "*b\n",
        "User-agent: *\nDisallow: /" + "a*" * 240_000 + "$\n",
        "User-agent: *\n" + "".join(f"Disallow: /*a*{number}*b\n" for number in range(20_000)),
        "User-agent: *\n" + "".join(f"Disallow: /{'a' * length}\n" for length in range(950)),
        "".join(f"User-agent: r{number}\n" for number in range(15_000)) + "Disallow: /a\n" * 20_000,
        "User-agent: *\nDisallow: /x\n" * 18_000,
        "User-agent: *\nDisallow: /" + "%" * 490_000,
    ],
    ids=["repeated", "one-long", "anchored", "many", "nested", "robots", "groups", "percent"],
)
def test_a_hostile_file_is_read_and_judged_in_bounded_time(file: str) -> None:
    begin = time.process_time()
    rules = parse(file)
    for path in ("/" + "a" * 2_000, "/" + "a" * 2_000 + "b", "/" + "ab" * 1_000):
        rules.judge(URL + path, "heron")
        rules.judge(URL + path, "r1")
    assert time.process_time() - begin < 2.0  # a tenth of that in fact; anything quadratic takes minutes
