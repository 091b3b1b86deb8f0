"""The documentation, typed as it stands: every command of every page runs against simweb and prints what the page shows."""

import json
import time
from pathlib import Path

import pytest
from typed import Block, blocks, missing_line, type_page

from gossamer.simweb.settings import SimwebSettings
from gossamer.simweb.shop import ItemShop

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SCRAPY = DOCS / "how-to" / "from-scrapy.md"
PAGES = [page for page in sorted(DOCS.rglob("*.md")) if any(block.is_run for block in blocks(page.read_text(encoding="utf-8")))]
PAGES.remove(SCRAPY)  # has a test of its own
# What stands before the README's blocks when they are typed: a web in which example.org and this machine are two of its hosts.
BEFORE = """
<!-- beside -->
```sh
gossamer simweb --port 8000
```

```sh
export GOSSAMER_DNS__OVERRIDES='*.sim:127.0.0.1' GOSSAMER_FETCH__ALLOW_PRIVATE=127.0.0.0/8 GOSSAMER_POLITENESS__DELAY=0.02
```
"""
STANDS_FOR = {
    "https://example.org": "http://h0015.sim:8000",
    "http://localhost:8000": "http://h0009.sim:8000",
    "example.org.crawl": "h0015.sim-8000.crawl",
}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_a_page_can_be_typed_as_it_stands_and_prints_what_it_shows(page: Path, tmp_path: Path) -> None:
    type_page(page.read_text(encoding="utf-8"), tmp_path)


def test_who_knows_scrapy_has_every_item_of_the_shop_within_five_minutes_by_the_page_alone(tmp_path: Path) -> None:
    began = time.monotonic()
    type_page(SCRAPY.read_text(encoding="utf-8"), tmp_path)
    assert time.monotonic() - began < 300
    items = [json.loads(line) for line in (tmp_path / "items.jsonl").read_text().splitlines()]
    shop = ItemShop(60, SimwebSettings().seed)
    known = {number: shop.item(number) for number in range(60)}
    assert {int(item["url"].rpartition("/")[2]): {"name": item["name"], "price": item["price"]} for item in items} == known
    assert len(items) == len(known)


def test_what_the_readme_says_after_its_first_block_can_be_typed_with_a_site_of_ones_own(tmp_path: Path) -> None:
    """The first block is typed by `test_readme.py`."""
    rest = (ROOT / "README.md").read_text(encoding="utf-8").split("```sh\n", 2)
    text = BEFORE + "```sh\n" + rest[2]
    for name, ours in STANDS_FOR.items():
        text = text.replace(name, ours)
    type_page(text, tmp_path)


def test_the_tutorial_begins_like_the_readme() -> None:
    first = blocks((ROOT / "README.md").read_text(encoding="utf-8"))[0]
    assert first.text == blocks((DOCS / "tutorial.md").read_text(encoding="utf-8"))[0].text


def test_a_command_that_fails_or_prints_something_else_is_told_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"(?s)gossamer pages nowhere\.crawl.*no crawl"):
        type_page("```sh\ntrue\n```\n\n```sh\ngossamer pages nowhere.crawl\n```\n", tmp_path)
    with pytest.raises(AssertionError, match="Purple: 3 is not printed"):
        type_page("```sh\necho Red: 7\n```\n\n```text\nRed: 1\nPurple: 3\n```\n", tmp_path)
    with pytest.raises(AssertionError, match="ended otherwise"):
        type_page("<!-- exits 3 -->\n```sh\ntrue\n```\n", tmp_path)


def test_numbers_and_widths_are_not_compared_and_words_are() -> None:
    assert missing_line("a  1,234 kB in 2 s\n...\nb...", "b and more\na 7 MB   in 0.1 min\n") is None
    assert missing_line("a 1 page", "a 1 host\n") == "a 1 page"


def test_blocks_are_read_with_what_is_said_about_them() -> None:
    text = '<!-- exits 6 -->\n```sh\none\n```\n\n```text\nout\n```\n\nwords\n\n```python title="shop.py"\ncode\n```\n'
    assert blocks(text) == [
        Block("sh", "", "one\n", "exits 6", True),
        Block("text", "", "out\n", "", True),
        Block("python", "shop.py", "code\n", "", False),
    ]
