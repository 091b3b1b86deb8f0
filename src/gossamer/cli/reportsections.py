"""A report in sections, each with a sentence and its rows, the same for the terminal and for the HTML page."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from gossamer.cli import output

if TYPE_CHECKING:
    from gossamer.jobs.report.facts import CopyGroup, ListedUrl, Listing, PageFact, SiteReport, SourceFact

SECTIONS = (
    *("broken", "redirects", "slow", "large", "duplicates", "near-duplicates", "untitled", "doubled-titles"),
    *("robots", "orphans", "sitemap-errors", "unlisted", "types", "hosts"),
)
NUMERIC = frozenset({"status", "links", "hops", "pages", "copies", "size", "time", "answer", "broken"})  # heads of numbers


class Detail(Struct, frozen=True):
    """A line below a row: what it is, and the URL or text."""

    label: str
    text: str


class ReportRow(Struct, frozen=True, kw_only=True):
    """One row: short facts, then what it is about, then what belongs to it."""

    facts: tuple[str, ...] = ()
    text: str
    note: str = ""  # beside the text
    details: tuple[Detail, ...] = ()
    more: int = 0  # details that are left out


class ReportSection(Struct, frozen=True, kw_only=True):
    """One part of a report."""

    name: str
    heading: str
    count: int
    is_trouble: bool  # what is in it is wrong; else it may be meant so
    sentence: str
    heads: tuple[str, ...] = ()  # of the facts
    subject: str = "URL"  # head of the text
    rows: tuple[ReportRow, ...] = ()
    left_out: int = 0


def sections(report: "SiteReport") -> Iterator[ReportSection]:
    """Give every section that has something to say, those with something to mend first."""
    yield _broken(report)
    yield _redirects(report)
    yield from _weights(report)
    yield from _copies(report)
    yield from _titles(report)
    yield _robots(report)
    if report.sitemaps.files:
        yield from _sitemaps(report)
    yield _types(report)
    yield _hosts(report)


def notes(report: "SiteReport") -> Iterator[str]:
    """Say what a report cannot know, and what would change that."""
    if report.waiting:
        yield f"{counted(report.waiting, 'URL was', 'URLs were')} found and not visited yet."
    if not report.has_graph:
        yield "No link graph is kept (storage.graph), so of each broken link only the page it was found on is known."
    if not report.checks_external:
        yield "Links to other sites were not asked for; a crawl with --check-external does."
    if not report.sitemaps.files:
        yield "No sitemap was found; one that robots.txt names is read."


def counted(count: int, one: str, many: str = "") -> str:
    """Write a number with its noun."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def _broken(report: "SiteReport") -> ReportSection:
    found = report.broken
    sentence = f"{counted(report.broken_links, 'link leads', 'links lead')} to {counted(found.total, 'URL')} where nothing is."
    if report.checks_external:
        sentence += f" {counted(report.external, 'link to another site was', 'links to other sites were')} asked for."
    rows = [
        ReportRow(
            facts=(str(one.status or "-"), one.outcome.replace("_", " "), f"{one.sources.total:,}"),
            text=one.url,
            note=": ".join(filter(None, ("another site" if one.is_external else "", "" if one.status else one.reason))),
            details=tuple(_sources(one.sources.rows)),
            more=one.sources.left_out,
        )
        for one in found.rows
    ]
    heads = ("status", "outcome", "links")
    return _section("broken", "Broken links", found, True, sentence, rows, heads)


def _sources(sources: "Iterable[SourceFact]") -> Iterator[Detail]:
    for source in sources:
        nofollow = ", nofollow" if source.nofollow else ""
        yield Detail(f"{source.kind or 'found'}{nofollow}", source.url)


def _redirects(report: "SiteReport") -> ReportSection:
    found = report.redirects
    circles, longest = report.redirect_circles, report.longest_redirect
    sentence = f"{counted(found.total, 'URL redirects', 'URLs redirect')}"
    sentence += f"; the longest way has {counted(longest, 'redirect')}" if longest > 1 else ""
    sentence += f"; {counted(circles, 'leads', 'lead')} in a circle." if circles else "."
    rows = [
        ReportRow(
            facts=(str(one.redirects), "circle" if one.is_circle else _end(one.hops[-1].outcome, one.hops[-1].status)),
            text=one.hops[0].url,
            details=(
                *(
                    Detail(f"{before.status or chr(32)} →".strip(), hop.url)
                    for before, hop in zip(one.hops, one.hops[1:], strict=False)
                ),
                *_sources(source for source in one.sources.rows if source.kind != "redirect"),
            ),
            more=one.sources.left_out,
        )
        for one in found.rows
    ]
    return _section("redirects", "Redirects", found, False, sentence, rows, ("hops", "ends as"))


def _end(outcome: str, status: int) -> str:
    return (f"{status} " if status else "") + (outcome.replace("_", " ") or "not asked for")


def _weights(report: "SiteReport") -> Iterator[ReportSection]:
    slow, large = report.slow, report.large
    sentence = f"{counted(slow.total, 'answer')} took {report.slow_from:g} s or longer, from the request to the last byte."
    yield _section("slow", "Slow pages", slow, False, sentence, [_weight(page) for page in slow.rows], _WEIGHTS)
    sentence = f"{counted(large.total, 'page')} of {output.size(report.large_from)} or more, as sent."
    yield _section("large", "Large pages", large, False, sentence, [_weight(page) for page in large.rows], _WEIGHTS)


_WEIGHTS = ("time", "size", "type")


def _weight(page: "PageFact") -> ReportRow:
    return ReportRow(facts=(_took(page.seconds), output.size(page.bytes), page.mime), text=page.url, note=page.title)


def _took(seconds: float) -> str:
    return output.duration(seconds) if seconds >= 1 else f"{1000 * seconds:.0f} ms"


def _copies(report: "SiteReport") -> Iterator[ReportSection]:
    for name, heading, what, found in (
        ("duplicates", "Exact duplicates", "byte for byte the same as others", report.duplicates),
        ("near-duplicates", "Near duplicates", "nearly the same text as others", report.near_duplicates),
    ):
        sentence = f"{counted(found.total, 'page is', 'pages are')} {what}; each stands with its copies."
        yield _section(name, heading, found, False, sentence, [_copy(group) for group in found.rows], ("copies",))


def _copy(group: "CopyGroup") -> ReportRow:
    details = tuple(Detail("copy", url) for url in group.copies.rows)
    return ReportRow(facts=(f"{group.copies.total:,}",), text=group.url, details=details, more=group.copies.left_out)


def _titles(report: "SiteReport") -> Iterator[ReportSection]:
    bare, doubled = report.untitled, report.doubled_titles
    sentence = f"{counted(bare.total, 'page has', 'pages have')} no title."
    yield _section("untitled", "Missing titles", bare, True, sentence, [ReportRow(text=url) for url in bare.rows])
    sentence = f"{counted(doubled.total, 'title is', 'titles are')} used by several pages of a host."
    rows = [
        ReportRow(
            facts=(f"{group.pages.total:,}", group.host),
            text=group.title,
            details=tuple(Detail("page", url) for url in group.pages.rows),
            more=group.pages.left_out,
        )
        for group in doubled.rows
    ]
    yield _section("doubled-titles", "Doubled titles", doubled, True, sentence, rows, ("pages", "host"), "title")


def _robots(report: "SiteReport") -> ReportSection:
    found = report.robots
    sentence = f"{counted(found.total, 'URL was', 'URLs were')} found and not asked for, because robots.txt forbids it."
    rows = [ReportRow(text=one.url, note=one.reason) for one in found.rows]
    return _section("robots", "Blocked by robots.txt", found, False, sentence, rows)


def _sitemaps(report: "SiteReport") -> Iterator[ReportSection]:
    facts = report.sitemaps
    lists = f"{counted(facts.files, 'sitemap lists', 'sitemaps list')} {counted(facts.listed, 'URL')}"
    if report.has_graph:
        sentence = f"{lists}; {counted(facts.orphans.total, 'is', 'are')} linked by no page."
        rows = [_listed(one) for one in facts.orphans.rows]
        yield _section("orphans", "Orphans of the sitemap", facts.orphans, False, sentence, rows, ("ended as",))
    sentence = f"{lists}; {counted(facts.no_pages.total, 'is', 'are')} no page: broken, redirected, forbidden, or a copy."
    rows = [_listed(one) for one in facts.no_pages.rows]
    yield _section("sitemap-errors", "Listed, and no page", facts.no_pages, True, sentence, rows, ("ended as",))
    sentence = f"{counted(facts.unlisted.total, 'page is', 'pages are')} in no sitemap, though the host has one."
    rows = [ReportRow(text=url) for url in facts.unlisted.rows]
    yield _section("unlisted", "Missing in the sitemap", facts.unlisted, False, sentence, rows)


def _listed(one: "ListedUrl") -> ReportRow:
    return ReportRow(facts=(_end(one.outcome, one.status),), text=one.url, details=(Detail("listed by", one.sitemap),))


def _types(report: "SiteReport") -> ReportSection:
    rows = [ReportRow(facts=(f"{one.pages:,}", output.size(one.bytes)), text=one.name) for one in report.types.rows]
    sentence = f"The pages are of {counted(report.types.total, 'type')}."
    return _section("types", "Types", report.types, False, sentence, rows, ("pages", "size"), "type")


def _hosts(report: "SiteReport") -> ReportSection:
    rows = [
        ReportRow(facts=(f"{one.pages:,}", output.size(one.bytes), _took(one.seconds), f"{one.broken:,}"), text=one.host)
        for one in report.hosts.rows
    ]
    sentence = f"The pages are of {counted(report.hosts.total, 'host')}."
    return _section("hosts", "Hosts", report.hosts, False, sentence, rows, ("pages", "size", "answer", "broken"), "host")


def _section(
    name: str,
    heading: str,
    found: "Listing[Any]",
    is_trouble: bool,
    sentence: str,
    rows: Sequence[ReportRow],
    heads: tuple[str, ...] = (),
    subject: str = "URL",
) -> ReportSection:
    return ReportSection(
        name=name,
        heading=heading,
        count=found.total,
        is_trouble=is_trouble,
        sentence=sentence,
        heads=heads,
        subject=subject,
        rows=tuple(rows),
        left_out=found.left_out,
    )
