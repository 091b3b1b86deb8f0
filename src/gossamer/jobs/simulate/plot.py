"""The picture of a comparison: freshness over time, a line a policy, as an SVG that needs nothing to make or to show."""

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

from gossamer.jobs.simulate.measure import Result
from gossamer.jobs.simulate.web import Plan

LEFT, TOP, WIDTH, HEIGHT, BOTTOM, RIGHT = 50, 50, 600, 300, 45, 210
COLOURS = {"fixed": "#adb5bd", "adaptive": "#e8590c", "optimal": "#0b7285", "known": "#5f3dc4"}
NAMES = {"known": "optimal, rates known"}


def svg(plan: Plan, results: Sequence[Result]) -> str:
    """Draw the curves."""
    width, height = LEFT + WIDTH + RIGHT, TOP + HEIGHT + BOTTOM
    title = f"Freshness weighted by importance: {plan.pages:,} pages, one fetch a page in {plan.cycle:g} days"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{LEFT}" y="25" font-size="15" font-weight="bold">{escape(title)}</text>',
        *_axes(plan),
        *_curves(results),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _axes(plan: Plan) -> Iterator[str]:
    for percent in range(0, 101, 20):
        y = _height(percent / 100)
        yield f'<path d="M{LEFT} {y:.1f}h{WIDTH}" stroke="#dee2e6"/>'
        yield f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{percent} %</text>'
    for part in range(7):
        x = LEFT + WIDTH * part / 6
        yield f'<text x="{x:.1f}" y="{TOP + HEIGHT + 18}" text-anchor="middle">{plan.days * part / 6:g}</text>'
    yield f'<text x="{LEFT + WIDTH / 2}" y="{TOP + HEIGHT + 36}" text-anchor="middle">days</text>'


def _curves(results: Sequence[Result]) -> Iterator[str]:
    labels: list[float] = []
    for result in sorted(results, key=lambda each: -each.curve[-1]):
        colour = COLOURS[result.policy]
        step = WIDTH / len(result.curve)
        points = " ".join(f"{LEFT + (index + 0.5) * step:.1f},{_height(value):.1f}" for index, value in enumerate(result.curve))
        yield f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
        y = max(_height(result.curve[-1]) + 4, labels[-1] + 16 if labels else 0.0)  # below the one before
        labels.append(y)
        words = escape(f"{NAMES.get(result.policy, result.policy)} {100 * result.freshness:.1f} %")
        yield f'<text x="{LEFT + WIDTH + 8}" y="{y:.1f}" fill="{colour}">{words}</text>'


def _height(share: float) -> float:
    return TOP + HEIGHT * (1 - share)
