"""A report as one HTML file: no script, nothing from elsewhere, readable in light and dark and on paper.

Every text from the web goes through `markup.py`, which escapes it. Should that ever fail, the page's own policy forbids every
script, picture, frame and form, and every style but the one whose digest it names.
"""

from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from gossamer.cli import charts, output
from gossamer.cli.charts import ChartPart
from gossamer.cli.markup import Markup, link, tag
from gossamer.cli.reportsections import NUMERIC, Detail, ReportRow, ReportSection, counted, notes
from gossamer.jobs.command import command

if TYPE_CHECKING:
    from gossamer.jobs.report.facts import Share, SiteReport

SHOWN_AT_ONCE = 3  # details of a row; more are behind a click
BARS = {"types", "hosts"}  # sections whose rows have a bar
GOOD = frozenset({"ok", "not_modified", "checked"})


def html_of(report: "SiteReport", sections: Sequence[ReportSection]) -> bytes:
    """Write the page."""
    style = files("gossamer.cli").joinpath("report.css").read_text("utf-8")
    digest = b64encode(sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    site = _site(report)
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="referrer", content="no-referrer"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", f"Report: {site}"),
        Markup(f"<style>{style}</style>"),
    )
    body = tag("body", _header(report, site), tag("main", *_main(report, sections)), _footer(report))
    return b"<!DOCTYPE html>\n" + tag("html", head, body, lang="en").encode("utf-8", "replace") + b"\n"


def _site(report: "SiteReport") -> str:
    """Name what was crawled: its host, or the first of them."""
    hosts = list(dict.fromkeys(urlsplit(seed).netloc or seed for seed in report.seeds.rows))
    more = report.hosts.total - 1
    return hosts[0] + (f" and {counted(more, 'other host')}" if more > 0 else "") if hosts else report.directory


def _header(report: "SiteReport", site: str) -> Markup:
    when = f"{output.moment(report.first)[:16]} to {output.moment(report.last)[:16]} UTC"
    state = {
        "running": "The crawl is running",
        "paused": "The crawl is paused",
        "stopped": "The crawl was stopped",
        "finished": "The crawl is finished",
    }
    waits = f"; {counted(report.waiting, 'URL waits', 'URLs wait')} to be visited" if report.waiting else ""
    return tag(
        "header",
        tag("p", "Site report", class_="kicker"),
        tag("h1", site),
        tag("p", f"Visited {when}. {state.get(report.state, report.state)}{waits}.", class_="when"),
    )


def _main(report: "SiteReport", sections: Sequence[ReportSection]) -> Iterator[Markup]:
    yield tag("dl", *_numbers(report), class_="numbers")
    yield _outcomes(report)
    yield tag("div", *_charts(report), class_="charts")
    yield tag("nav", tag("ul", *[_entry(section) for section in sections if section.count]), aria_label="Sections")
    for section in sections:
        if section.count:
            yield _section(report, section)
    clean = [section for section in sections if not section.count]
    if clean:
        names = ", ".join(section.heading[0].lower() + section.heading[1:] for section in clean)
        yield tag("section", tag("h2", "Nothing found"), tag("p", f"There are none of these: {names}."), class_="clean")
    unknown = list(notes(report))
    if unknown:
        yield tag(
            "section",
            tag("h2", "What this report cannot know"),
            tag("ul", *[tag("li", note) for note in unknown]),
            class_="clean",
        )


def _numbers(report: "SiteReport") -> Iterator[Markup]:
    troubles = {"broken links": report.broken_links, "redirects": report.redirects.total}
    for name, value in {
        "pages": f"{report.pages:,}",
        "size": output.size(report.bytes),
        "hosts": f"{report.hosts.total:,}",
        **{name: f"{count:,}" for name, count in troubles.items()},
    }.items():
        mark = "trouble" if troubles.get(name) and name == "broken links" else None
        yield tag("div", tag("dt", name), tag("dd", value, class_=mark))


def _outcomes(report: "SiteReport") -> Markup:
    """Draw how all URLs ended, with a legend."""
    parts = [ChartPart(name.replace("_", " "), count, _style(name)) for name, count in report.outcomes.items()]
    legend = [
        tag("li", tag("span", "", class_=f"dot {part.style}"), part.name, " ", tag("b", f"{part.count:,}")) for part in parts
    ]
    drawn = charts.pieces("How the URLs of the crawl ended", parts)
    return tag("figure", tag("figcaption", "How URLs ended"), drawn, tag("ul", *legend, class_="legend"), class_="outcomes")


def _style(outcome: str) -> str:
    """Return the class of an outcome: brought a page, leads elsewhere, forbidden, broken."""
    if outcome in GOOD:
        return "good"
    if outcome in ("duplicate", "near_duplicate", "redirected"):
        return "other"
    return "quiet" if outcome in ("robots_denied", "out_of_scope", "trap", "unsupported", "address_refused") else "bad"


def _charts(report: "SiteReport") -> Iterator[Markup]:
    for caption, parts in (
        ("Links from a seed", [ChartPart(one.name, one.pages) for one in report.depths]),
        ("Time of an answer, from", _scale(report.times, lambda least: f"{least:g} s")),
        ("Size of a page, from", _scale(report.sizes, lambda least: output.size(least).replace(".0", ""))),
    ):
        yield tag("figure", tag("figcaption", caption), charts.columns(caption, parts[:MOST_COLUMNS]))


MOST_COLUMNS = 16


def _scale(shares: "Sequence[Share]", name: Callable[[float], str]) -> list[ChartPart]:
    return [ChartPart(name(float(one.name)), one.pages) for one in shares]


def _entry(section: ReportSection) -> Markup:
    mark = "trouble" if section.is_trouble else None
    return tag("li", tag("a", section.heading, " ", tag("b", f"{section.count:,}", class_=mark), href=f"#{section.name}"))


def _section(report: "SiteReport", section: ReportSection) -> Markup:
    bars = section.name in BARS
    most = max((_leading(row) for row in section.rows), default=0) if bars else 0
    heads = [tag("th", head, class_="fact" if head in NUMERIC else None, scope="col") for head in section.heads]
    heads += [tag("th", "", class_="bar")] if bars else []
    table = tag(
        "table",
        tag("thead", tag("tr", *heads, tag("th", section.subject, scope="col"))),
        tag("tbody", *[_row(section, row, most) for row in section.rows]),
    )
    rest = _rest(report, section)
    return tag(
        "section",
        tag("h2", section.heading),
        tag("p", section.sentence),
        tag("div", table, class_="wide"),
        *rest,
        id=section.name,
    )


def _row(section: ReportSection, row: ReportRow, most: int) -> Markup:
    cells = [
        tag("td", fact, class_="fact" if head in NUMERIC else "word")
        for head, fact in zip(section.heads, row.facts, strict=True)
    ]
    bar = [tag("td", charts.share(_leading(row), most), class_="bar")] if most else []
    text = link(row.text) if section.subject == "URL" else tag("span", row.text)
    note = [tag("span", row.note, class_="note")] if row.note else []
    return tag("tr", *cells, *bar, tag("td", text, *note, *_details(row), class_="subject"))


def _leading(row: ReportRow) -> int:
    return int(row.facts[0].replace(",", ""))


def _details(row: ReportRow) -> Iterator[Markup]:
    if not row.details:
        return
    most = SHOWN_AT_ONCE if len(row.details) > SHOWN_AT_ONCE + 1 else len(row.details)
    shown, hidden = row.details[:most], row.details[most:]
    yield tag("ul", *map(_detail, shown), class_="details")
    more = len(hidden) + row.more
    if hidden:
        last = [tag("li", f"and {row.more:,} more")] if row.more else []
        yield tag("details", tag("summary", f"{more:,} more"), tag("ul", *map(_detail, hidden), *last, class_="details"))
    elif more:
        yield tag("p", f"and {more:,} more", class_="note")


def _detail(detail: Detail) -> Markup:
    return tag("li", tag("span", detail.label, class_="label"), link(detail.text))


def _rest(report: "SiteReport", section: ReportSection) -> Iterator[Markup]:
    if section.left_out:
        shown = command("report", report.directory, "--only", section.name, "-n", 0)
        yield tag("p", f"and {section.left_out:,} more: ", tag("code", shown), class_="rest")


def _footer(report: "SiteReport") -> Markup:
    made = f"Made {output.moment(report.made_at)} UTC by gossamer {version('gossamer')} from "
    return tag("footer", tag("p", made, tag("code", report.directory)))
