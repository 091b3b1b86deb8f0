"""A new project: a directory with a script, settings, and a test that runs, to begin with."""

from pathlib import Path

from gossamer.errors import UsageError

SCRIPT = '''\
"""Readers: functions that find items on pages.

    gossamer shell https://example.org/ --script readers.py                # try one out: list(product(page))
    gossamer crawl https://example.org/ --config gossamer.toml --contact you@example.org
    gossamer problems example.org.crawl                                    # what went wrong
"""

from gossamer.script import reads


@reads("text/html", r"/item/\\d+")
def product(page):
    yield {
        "url": page.url,
        "name": page.css_first("h1").text(strip=True),
        "price": page.css_first(".price").text(strip=True),
    }
'''
SETTINGS = """\
# Settings of a crawl; `gossamer config` lists all of them. An option of the command line stands above what is written here.

[documents]
scripts = ["readers.py"]

[politeness]
delay = 1.0

[scope]
max_depth = 5
"""
TEST = '''\
"""The readers, held against a page that was kept: `gossamer fetch URL --body > page.html` keeps another one."""

from pathlib import Path

from readers import product

from gossamer.testing.reader import items_of, page_of

PAGE = page_of(Path(__file__).with_name("page.html").read_bytes(), url="https://example.org/item/1")


def test_a_product_has_its_name_and_price():
    assert items_of(product, PAGE) == [{"url": "https://example.org/item/1", "name": "A blue teapot", "price": "12.50"}]
'''
PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>A blue teapot</title></head>
<body>
<h1>A blue teapot</h1>
<p>It costs <span class="price">12.50</span> EUR.</p>
</body>
</html>
"""
FILES = {"readers.py": SCRIPT, "gossamer.toml": SETTINGS, "test_readers.py": TEST, "page.html": PAGE}


def make_project(path: Path) -> list[Path]:
    """Make the directory of a new project; return its files. One that has anything in it is left alone."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise UsageError(f"{path} is there already; choose another name")
    try:
        path.mkdir(parents=True, exist_ok=True)
        for name, text in FILES.items():
            (path / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot make {path}: {(error.strerror or str(error)).lower()}; choose another place") from None
    return [path / name for name in FILES]
