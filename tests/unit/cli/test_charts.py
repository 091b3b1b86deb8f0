"""Charts: every part is drawn, as large as its number, within the picture."""

import re

from gossamer.cli.charts import HEIGHT, WIDTH, ChartPart, columns, pieces, share


def numbers(svg: str, name: str) -> list[float]:
    return [float(found) for found in re.findall(rf'<rect[^>]* {name}="([\d.]+)"', svg)]


def test_columns_are_as_high_as_their_numbers_and_stay_within_the_picture() -> None:
    drawn = columns("depth", [ChartPart("0", 10), ChartPart("1", 5), ChartPart("2", 0), ChartPart("3", 1)])
    heights = numbers(drawn, "height")
    assert heights[0] == 2 * heights[1] and heights[2] == 0 and heights[3] > 0
    assert all(y + height <= HEIGHT for y, height in zip(numbers(drawn, "y"), heights, strict=True))
    assert all(x + width <= WIDTH for x, width in zip(numbers(drawn, "x"), numbers(drawn, "width"), strict=True))
    assert drawn.count("<rect") == 4 == drawn.count('class="name"')


def test_the_pieces_of_a_bar_share_all_of_it() -> None:
    drawn = pieces("outcomes", [ChartPart("ok", 3, "good"), ChartPart("gone", 1, "bad")])
    assert numbers(drawn, "x") == [0, 750] and 'class="bad"' in drawn and "gone: 1" in drawn


def test_of_nothing_nothing_is_drawn() -> None:
    assert "<rect" not in columns("depth", []) and "<rect" not in pieces("outcomes", [])
    assert numbers(share(0, 0), "width") == [0]
