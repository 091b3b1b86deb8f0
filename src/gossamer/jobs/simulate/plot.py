"""The picture of a comparison, as an SVG that needs nothing to make or to show: a panel for what differs, a line a contender.

Policies differ in freshness over time, orders in how soon the important pages were fetched.
"""

from collections.abc import Callable, Iterator, Sequence
from xml.sax.saxutils import escape

from gossamer.jobs.simulate.measure import Result
from gossamer.jobs.simulate.plan import WebPlan

LEFT, TOP, WIDTH, HEIGHT, BOTTOM, RIGHT = 50, 50, 600, 300, 45, 240
COLOURS = {
    **{"fixed": "#adb5bd", "adaptive": "#e8590c", "optimal": "#0b7285", "known": "#5f3dc4"},
    **{"breadth-first": "#adb5bd", "depth-first": "#e8590c", "priority": "#0b7285", "opic": "#5f3dc4"},
}
NAMES = {"known": "optimal, rates known"}
DASHES = ("", "6 3", "2 3", "9 2 2 2")  # by the order, where policies differ too

Curve = Callable[[Result], tuple[float, ...]]


def svg(plan: WebPlan, results: Sequence[Result]) -> str:
    """Draw the curves."""
    orders = list(dict.fromkeys(result.order for result in results))
    policies = {result.policy for result in results}
    panels = []
    if len(policies) > 1 or len(orders) == 1:
        title = f"Freshness weighted by importance: {plan.pages:,} pages, one fetch a page in {plan.cycle:g} days"
        panels.append((title, lambda result: result.curve, lambda result: f"{100 * result.freshness:.1f} %"))
    if len(orders) > 1:
        title = f"Share of the most important tenth that was fetched: {plan.pages:,} pages on {plan.hosts:,} hosts"
        panels.append((title, lambda result: result.fetched, _by))
    height = TOP + HEIGHT + BOTTOM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + RIGHT} {height * len(panels)}" '
        'font-family="sans-serif" font-size="13">',
        f'<rect width="{LEFT + WIDTH + RIGHT}" height="{height * len(panels)}" fill="white"/>',
    ]
    for number, (title, curve, words) in enumerate(panels):
        parts += [
            f'<g transform="translate(0 {number * height})">',
            f'<text x="{LEFT}" y="25" font-size="15" font-weight="bold">{escape(title)}</text>',
            *_axes(plan),
            *_curves(results, orders, len(policies) > 1, curve, words),
            "</g>",
        ]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _by(result: Result) -> str:
    return "not 90 %" if result.most_by is None else f"90 % by {result.most_by:,}"


def _axes(plan: WebPlan) -> Iterator[str]:
    for percent in range(0, 101, 20):
        y = _height(percent / 100)
        yield f'<path d="M{LEFT} {y:.1f}h{WIDTH}" stroke="#dee2e6"/>'
        yield f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{percent} %</text>'
    for part in range(7):
        x = LEFT + WIDTH * part / 6
        yield f'<text x="{x:.1f}" y="{TOP + HEIGHT + 18}" text-anchor="middle">{plan.days * part / 6:.3g}</text>'
    yield f'<text x="{LEFT + WIDTH / 2}" y="{TOP + HEIGHT + 36}" text-anchor="middle">days</text>'


def _curves(
    results: Sequence[Result], orders: list[str], by_policy: bool, curve: Curve, words: Callable[[Result], str]
) -> Iterator[str]:
    labels: list[float] = []
    for result in sorted(results, key=lambda each: -curve(each)[-1]):
        colour = COLOURS[result.policy if by_policy else result.order]
        dash = DASHES[orders.index(result.order)] if by_policy else ""
        values = curve(result)
        step = WIDTH / len(values)
        points = " ".join(f"{LEFT + (index + 0.5) * step:.1f},{_height(value):.1f}" for index, value in enumerate(values))
        yield f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>'
        y = max(_height(values[-1]) + 4, labels[-1] + 16 if labels else 0.0)  # below the one before
        labels.append(y)
        text = escape(f"{_name(result, orders, by_policy)}: {words(result)}")
        yield f'<text x="{LEFT + WIDTH + 8}" y="{y:.1f}" fill="{colour}">{text}</text>'


def _name(result: Result, orders: list[str], by_policy: bool) -> str:
    policy = NAMES.get(result.policy, result.policy)
    if not by_policy and len(orders) > 1:
        return result.order
    return f"{policy}, {result.order}" if len(orders) > 1 else policy


def _height(share: float) -> float:
    return TOP + HEIGHT * (1 - share)
