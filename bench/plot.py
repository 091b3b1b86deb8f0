"""The picture: pages per CPU-second by crawler and site, as an SVG that needs nothing to make and nothing to show.

Bars are on a logarithmic scale, because the crawlers differ by two orders of magnitude; each bar says its number.
"""

from collections.abc import Iterator
from math import log10
from pathlib import Path
from xml.sax.saxutils import escape

from bench.table import Row

HERE = Path(__file__).parent
PICTURE = HERE.parent / "docs" / "performance.svg"
QUICK_PICTURE = HERE / "results" / "performance.svg"

LEFT, WIDTH, BAR, GAP, HEAD = 130, 560, 18, 5, 40
LOWEST, HIGHEST = 1.0, 4.0  # powers of ten
OURS, THEIRS = "#0b7285", "#adb5bd"


def draw(rows: list[Row], scale: str) -> Path:
    """Draw measured rows; a quick run does not replace the picture that the documentation shows."""
    path = QUICK_PICTURE if scale == "quick" else PICTURE
    path.parent.mkdir(exist_ok=True)
    path.write_text(svg(rows), encoding="utf-8")
    return path


def svg(rows: list[Row]) -> str:
    """Return the picture of rows with `site`, `crawler` and `rate`."""
    sites = list(dict.fromkeys(str(row["site"]) for row in rows))
    height = HEAD + len(rows) * (BAR + GAP) + len(sites) * (BAR + 2 * GAP) + 20
    width, title = LEFT + WIDTH + 70, "Pages per CPU-second of the whole crawl (higher is cheaper)"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        f'<text x="10" y="22" font-size="15" font-weight="bold">{title}</text>',
        *_grid(height),
    ]
    top = HEAD
    for site in sites:
        parts.append(f'<text x="10" y="{top + BAR}" font-weight="bold">{escape(site)}</text>')
        top += BAR + GAP
        for row in (row for row in rows if row["site"] == site):
            parts += _bar(str(row["crawler"]), float(row["rate"] or 0), top)
            top += BAR + GAP
        top += GAP
    return "\n".join([*parts, "</svg>\n"])


def _grid(height: int) -> Iterator[str]:
    for power in range(int(LOWEST), int(HIGHEST) + 1):
        x = LEFT + _length(10.0**power)
        yield f'<line x1="{x}" y1="{HEAD}" x2="{x}" y2="{height - 20}" stroke="#dee2e6"/>'
        yield f'<text x="{x}" y="{height - 6}" text-anchor="middle" fill="#495057" font-size="11">{10**power:,}</text>'


def _bar(crawler: str, rate: float, top: int) -> Iterator[str]:
    length, base = _length(rate), top + BAR - 5
    colour = OURS if crawler == "gossamer" else THEIRS
    yield f'<text x="{LEFT - 8}" y="{base}" text-anchor="end">{escape(crawler)}</text>'
    yield f'<rect x="{LEFT}" y="{top}" width="{length}" height="{BAR}" fill="{colour}"/>'
    yield f'<text x="{LEFT + length + 6}" y="{base}">{rate:,.0f}</text>'


def _length(rate: float) -> int:
    share = (log10(max(rate, 1e-9)) - LOWEST) / (HIGHEST - LOWEST)
    return round(WIDTH * min(max(share, 0.0), 1.0))
