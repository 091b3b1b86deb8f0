"""Charts as SVG that stands in an HTML page: no script, no style of its own, colours by the classes of the page."""

from collections.abc import Sequence

from msgspec import Struct

from gossamer.cli.markup import Markup, tag

WIDTH, HEIGHT = 300, 150
_TOP, _BOTTOM = 22, 24  # room for the numbers above, and for the names below
_GAP = 6


class ChartPart(Struct, frozen=True):
    """One column of a chart, or one piece of a bar."""

    name: str
    count: int
    style: str = ""  # a class of the page


def columns(label: str, parts: Sequence[ChartPart]) -> Markup:
    """Draw columns side by side, each with its number above and its name below."""
    most = max((part.count for part in parts), default=0) or 1
    width = WIDTH / max(len(parts), 1)
    drawn = [
        tag("line", x1=0, y1=HEIGHT - _BOTTOM + 0.5, x2=WIDTH, y2=HEIGHT - _BOTTOM + 0.5, class_="axis"),
    ]
    for number, part in enumerate(parts):
        height = part.count / most * (HEIGHT - _TOP - _BOTTOM)
        if part.count:
            height = max(height, 1.5)
        middle, top = (number + 0.5) * width, HEIGHT - _BOTTOM - height
        thick = min(width - _GAP, 44)
        drawn.append(
            tag(
                "rect",
                x=f"{middle - thick / 2:.1f}",
                y=f"{top:.1f}",
                width=f"{thick:.1f}",
                height=f"{height:.1f}",
                rx=2,
                class_="column",
            )
        )
        drawn.append(tag("text", f"{part.count:,}", x=f"{middle:.1f}", y=f"{top - 6:.1f}", class_="number"))
        drawn.append(tag("text", part.name, x=f"{middle:.1f}", y=HEIGHT - 7, class_="name"))
    return tag("svg", *drawn, viewBox=f"0 0 {WIDTH} {HEIGHT}", role="img", aria_label=label)


def pieces(label: str, parts: Sequence[ChartPart]) -> Markup:
    """Draw one bar, divided."""
    whole, width, height = sum(part.count for part in parts) or 1, 1000.0, 14
    drawn, at = [], 0.0
    for part in parts:
        wide = part.count / whole * width
        name = tag("title", f"{part.name}: {part.count:,}")
        drawn.append(
            tag("rect", name, x=f"{at:.1f}", y=0, width=f"{max(wide - 2, 1):.1f}", height=height, class_=part.style or "column")
        )
        at += wide
    return tag("svg", *drawn, viewBox=f"0 0 {width:g} {height}", role="img", aria_label=label, preserveAspectRatio="none")


def share(part: int, most: int) -> Markup:
    """Draw a thin bar that tells how much a row of a table is beside the largest."""
    wide = 100 * part / most if most else 0.0
    return tag(
        "svg",
        tag("rect", x=0, y=0, width=f"{wide:.1f}", height=6, rx=2, class_="column"),
        viewBox="0 0 100 6",
        preserveAspectRatio="none",
        class_="share",
        aria_hidden="true",
    )
