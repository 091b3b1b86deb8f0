"""Every link leaves admission with a verdict; none is dropped."""

import pytest
from msgspec.structs import replace

from gossamer.config.load import load
from gossamer.errors import UrlError
from gossamer.filters.patterns import Patterns
from gossamer.filters.scope import Scope
from gossamer.filters.verdict import first_refusal
from gossamer.records.candidate import Candidate
from gossamer.records.entry import Entry, Link, LinkKind, Priority, Verdict
from gossamer.records.outcome import Outcome
from gossamer.records.reason import because
from gossamer.url.fingerprint import fingerprint
from gossamer.url.parse import parse
from gossamer.url.spelling import MOST_SPELLINGS
from gossamer.visit.admit import LinkJudge

SEED = "http://a.example/"
PARENT = Entry(SEED, SEED, "a.example", depth=2, redirects=3)


def admission(**flags: object) -> LinkJudge:
    """The default rules, with some knobs turned."""
    settings = load((), {key.replace("__", "."): value for key, value in flags.items()}, {})
    return LinkJudge(settings, Scope(settings.scope, [parse(SEED)]))


def only(admit: LinkJudge, link: Link, parent: Entry = PARENT, nofollow: bool = False) -> Entry:
    """Admit one link."""
    [entry] = admit.admit([link], parent, nofollow)
    return entry


def test_a_link_is_one_hop_deeper_than_its_page_and_names_it() -> None:
    entry = only(admission(), Link("http://a.example/b?utm_source=x", LinkKind.ANCHOR))
    assert (entry.depth, entry.via, entry.redirects) == (3, SEED, 0)
    assert entry.key == "http://a.example/b"
    assert entry.refused is None


@pytest.mark.parametrize("kind", [LinkKind.REDIRECT, LinkKind.SITEMAP])
def test_redirects_and_sitemaps_lead_no_deeper(kind: LinkKind) -> None:
    assert only(admission(), Link("http://a.example/b", kind)).depth == 2


@pytest.mark.parametrize("kind", [LinkKind.REDIRECT, LinkKind.SITEMAP])
def test_what_a_sitemap_of_a_sitemap_names_is_a_hop_away_so_that_no_row_of_them_is_endless(kind: LinkKind) -> None:
    entry = Entry(SEED, SEED, "a.example", depth=0)
    entry = only(admission(), Link("http://a.example/0.xml", kind), entry)
    depths = [entry.depth]
    for number in range(1, 18):
        entry = only(admission(), Link(f"http://a.example/{number}.xml", LinkKind.SITEMAP), entry)
        depths.append(entry.depth)
    assert depths == list(range(18))
    assert entry.refused is not None and entry.refused.rule == "scope.max_depth"


def test_redirects_in_a_row_are_counted_and_end() -> None:
    entry = only(admission(), Link("http://a.example/b", LinkKind.REDIRECT))
    assert entry.redirects == 4
    far = Entry(SEED, SEED, "a.example", redirects=10)
    refused = only(admission(), Link("http://a.example/b", LinkKind.REDIRECT), far).refused
    assert refused is not None
    assert (refused.rule, refused.outcome) == ("fetch.max_redirects", Outcome.TRAP)


@pytest.mark.parametrize(
    ("link", "rule"),
    [
        (Link("http://b.example/", LinkKind.ANCHOR), "scope.within"),
        (Link("http://a.example/i.png", LinkKind.IMAGE), "documents.follow"),
        (Link("http://a.example/n", LinkKind.ANCHOR, nofollow=True), "robots.meta"),
        (Link("http://a.example/" + "x" * 3000, LinkKind.ANCHOR), "traps.max_length"),
        (Link("gopher://a.example/", LinkKind.ANCHOR), "scope.schemes"),
    ],
)
def test_a_refused_link_is_kept_with_the_rule_that_refused_it(link: Link, rule: str) -> None:
    refused = only(admission(), link).refused
    assert refused is not None
    assert refused.rule == rule
    assert refused.text


def test_a_page_that_says_nofollow_refuses_all_its_links() -> None:
    entry = only(admission(), Link("http://a.example/b", LinkKind.ANCHOR), nofollow=True)
    assert entry.refused is not None
    assert only(admission(robots__meta=False), Link("http://a.example/b", LinkKind.ANCHOR), nofollow=True).refused is None


def test_a_remembered_link_needs_no_second_judgement_but_a_refused_one_does() -> None:
    admit = admission()
    accepted = only(admit, Link("http://a.example/b", LinkKind.ANCHOR))
    refused = only(admit, Link("http://a.example/c", LinkKind.ANCHOR, nofollow=True))
    admit.remember([accepted, refused])
    assert admit.admit([Link("http://a.example/b", LinkKind.ANCHOR)], PARENT) == ()
    assert only(admit, Link("http://a.example/c", LinkKind.ANCHOR)).refused is None


def test_another_spelling_of_a_remembered_link_is_told_with_the_same_key_a_few_times() -> None:
    admit = admission()
    admit.remember([only(admit, Link("http://a.example/b/?utm_source=x", LinkKind.ANCHOR))])
    spellings = ["http://a.example/b", "http://a.example/b/", *(f"http://a.example/b?utm_source={n}" for n in range(50))]
    told = [entry for url in spellings for entry in admit.admit([Link(url, LinkKind.ANCHOR)], PARENT)]
    assert [entry.url for entry in told] == spellings[:MOST_SPELLINGS]
    assert {entry.key for entry in told} == {"http://a.example/b"}
    admit.remember(told)
    assert admit.admit([Link(url, LinkKind.ANCHOR) for url in spellings], PARENT) == ()


def test_a_redirect_to_another_spelling_is_told_apart_by_its_key() -> None:
    admit = admission()
    parent = Entry("http://a.example/docs", "http://a.example/docs", "a.example", depth=2, redirects=1)
    (entry,) = admit.follow("http://a.example/docs/", parent)
    assert (entry.url, entry.key) == ("http://a.example/docs/", "http://a.example/docs/#")
    assert (entry.depth, entry.redirects, entry.via) == (2, 2, parent.url)
    admit.remember([entry])
    assert only(admit, Link("http://a.example/docs/", LinkKind.ANCHOR)).key == "http://a.example/docs", "that is its usual name"
    (elsewhere,) = admit.follow("http://a.example/other/", parent)
    assert elsewhere.key == "http://a.example/other"
    assert admit.follow(parent.url, parent) == (), "itself is nowhere to go"
    (back,) = admit.follow(parent.url, entry)
    assert back.key == parent.key, "what led here was asked for already"


REFUSED = [
    Link("http://b.example/", LinkKind.ANCHOR),
    Link("http://a.example/i.png", LinkKind.IMAGE),
    Link("http://a.example/n", LinkKind.ANCHOR, nofollow=True),
    Link("http://a.example/i.png", LinkKind.IMAGE, nofollow=True),
]


@pytest.mark.parametrize("link", REFUSED)
def test_what_was_refused_is_left_out_when_it_is_found_in_the_same_manner(link: Link) -> None:
    admit = admission()
    admit.remember([only(admit, link)])
    assert admit.admit([link], PARENT) == ()


@pytest.mark.parametrize("link", REFUSED)
def test_what_was_refused_is_judged_again_when_it_is_found_in_another_manner(link: Link) -> None:
    admit = admission()
    admit.remember([only(admit, link)])
    nearer = Entry(SEED, SEED, "a.example", depth=1, redirects=3)
    assert only(admit, link, nearer).depth == 2
    other = LinkKind.IFRAME if link.kind is LinkKind.ANCHOR else LinkKind.ANCHOR
    assert only(admit, Link(link.url, other)).kind is other


def test_what_was_too_deep_is_admitted_from_a_page_that_is_nearer() -> None:
    admit = admission(scope__max_depth=3)
    link = Link("http://a.example/b", LinkKind.ANCHOR)
    deep = only(admit, link, Entry(SEED, SEED, "a.example", depth=3))
    assert deep.refused is not None
    admit.remember([deep])
    assert only(admit, link).refused is None


def test_a_changed_list_lets_everything_be_judged_again() -> None:
    admit = admission()
    link = Link("http://a.example/secret", LinkKind.ANCHOR)
    open_scope = admit.scope
    admit.scope = open_scope.with_lists(None, Patterns.parse(["/secret/"], "list"))
    refused = only(admit, link)
    assert refused.refused is not None and refused.refused.rule == "scope.block_file"
    admit.remember([refused])
    assert admit.admit([link], PARENT) == ()
    admit.scope = open_scope
    assert only(admit, link).refused is None


def test_off_site_where_a_link_was_found_counts_so_refusals_are_judged_each_time() -> None:
    admit = admission(scope__off_site_hops=1)
    link = Link("http://c.example/", LinkKind.ANCHOR)
    far = only(admit, link, Entry(SEED, SEED, "b.example", depth=2, off_site=1))
    assert far.refused is not None
    admit.remember([far])
    assert only(admit, link).refused is None


def test_memory_of_refusals_is_bounded() -> None:
    settings = load((), {}, {})
    admit = LinkJudge(settings, Scope(settings.scope, [parse(SEED)]), remembered=10)
    links = [Link(f"http://b.example/{number}", LinkKind.ANCHOR) for number in range(25)]
    for link in links:
        admit.remember([only(admit, link)])
    assert len(links) - len(admit.admit(links, PARENT)) <= 10


@pytest.mark.parametrize("link", [*REFUSED, Link("http://a.example/" + "x/" * 90, LinkKind.ANCHOR)])
def test_the_trace_begins_to_refuse_where_the_judgement_does(link: Link) -> None:
    admit = admission()
    entry = only(admit, link)
    candidate = replace(admit.candidate(entry), nofollow=link.nofollow)
    assert first_refusal(admit.trace(candidate)) == entry.refused == admit.judge(candidate)


def test_what_is_admitted_but_not_durable_is_admitted_again() -> None:
    admit = admission()
    link = Link("http://a.example/b", LinkKind.ANCHOR)
    assert only(admit, link) == only(admit, link)


def test_links_that_are_remembered_have_the_name_of_their_key() -> None:
    admit = admission()
    link, other = Link("http://a.example/x/?b=2&a=1", LinkKind.ANCHOR), Link("http://a.example/y", LinkKind.ANCHOR)
    entry = only(admit, link)
    assert admit.split_known((link, other)) == ([None, None], [link, other])
    admit.remember([entry])
    assert entry.key != link.url
    assert admit.split_known((link, other)) == ([fingerprint(entry.key), None], [other])


def test_memory_of_links_is_bounded() -> None:
    settings = load((), {}, {})
    admit = LinkJudge(settings, Scope(settings.scope, [parse(SEED)]), remembered=10)
    entries = [only(admit, Link(f"http://a.example/{number}", LinkKind.ANCHOR)) for number in range(30)]
    for entry in entries:
        admit.remember([entry])
    unknown = {entry.url for entry in admit.admit([Link(entry.url, LinkKind.ANCHOR) for entry in entries], PARENT)}
    assert 20 <= len(unknown) <= 25
    assert unknown == {entry.url for entry in entries[: len(unknown)]}, "the oldest are forgotten"


def test_a_seed_that_is_no_url_is_an_error() -> None:
    with pytest.raises(UrlError):
        admission().seed("http://[bad/")


def test_a_plugins_filter_is_asked_and_named() -> None:
    class NoOddPages:
        def judge(self, candidate: Candidate) -> Verdict:
            return Verdict(len(candidate.url.path) % 2 == 0, because("odd.pages", text="an odd path"))

    settings = load((), {}, {})
    admit = LinkJudge(settings, Scope(settings.scope, [parse(SEED)]), [NoOddPages()])
    assert only(admit, Link("http://a.example/b", LinkKind.ANCHOR)).refused is None
    refused = only(admit, Link("http://a.example/bc", LinkKind.ANCHOR)).refused
    assert refused is not None
    assert refused.rule == "odd.pages"
    assert "odd.pages" in {verdict.rule for verdict in admit.trace(Candidate(url=parse(SEED)))}


def test_the_folders_above_a_url_are_looked_at_when_asked_for() -> None:
    link = Link("http://a.example/b/c/d.html?q=1", LinkKind.ANCHOR)
    entries = admission(crawl__path_ascending=True).admit([link, Link("http://a.example/b/", LinkKind.ANCHOR)], PARENT)
    assert [(entry.url, entry.kind) for entry in entries] == [
        (link.url, "anchor"),
        ("http://a.example/b/", "anchor"),
        ("http://a.example/b/c/", "ascent"),
        ("http://a.example/b/", "ascent"),
        ("http://a.example/", "ascent"),
    ]
    assert [entry.kind for entry in admission().admit([link], PARENT)] == ["anchor"]


# --- the order of a page's links ---------------------------------------------------------------------------------------


def lined_up(
    count: int, is_news: bool = True, is_doubtful: bool = False, parent: Entry = PARENT, **flags: object
) -> list[Entry]:
    """Admit some links of a page and line them up."""
    admit = admission(documents__top_links=5, **flags)
    links = [Link(f"http://a.example/list/{number}.txt", LinkKind.ANCHOR) for number in range(count)]
    return list(admit.line_up(admit.admit(links, parent), links, parent, is_news, is_doubtful))


def test_links_beyond_the_first_of_a_page_wait_in_the_lowest_class() -> None:
    assert [entry.priority for entry in lined_up(7)] == [Priority.MEDIUM] * 5 + [Priority.LOW] * 2
    assert {entry.priority for entry in lined_up(7, crawl__order="breadth-first")} == {Priority.MEDIUM}, "of one class"


def test_what_a_sitemap_lists_keeps_its_class() -> None:
    admit = admission(documents__top_links=5)
    links = [Link(f"http://a.example/{number}", LinkKind.SITEMAP) for number in range(7)]
    assert {entry.priority for entry in admit.line_up(admit.admit(links, PARENT), links, PARENT, True, False)} == {
        Priority.HIGH
    }


def test_links_of_a_page_that_is_no_news_wait_but_for_one_that_is_tried_when_its_make_is_in_doubt() -> None:
    assert {entry.priority for entry in lined_up(3, is_news=False)} == {Priority.LOW}
    (tried,) = [entry for entry in lined_up(3, is_news=False, is_doubtful=True) if entry.priority is not Priority.LOW]
    assert (tried.priority, tried.score) == (Priority.HIGH, 1.0)
    again = lined_up(3, is_news=False, is_doubtful=True, parent=tried)
    assert {entry.priority for entry in again} == {Priority.LOW}, "nothing is tried of what was tried itself"
    alike = replace(PARENT, url="http://a.example/list/9.txt")
    assert {entry.priority for entry in lined_up(3, is_news=False, is_doubtful=True, parent=alike)} == {Priority.LOW}
