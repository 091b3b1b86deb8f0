"""The Python door of gossamer: readers that find items on pages, and crawls as Python values. This is the public API.

    from gossamer.script import reads                # shop.py;  gossamer crawl https://shop.test/ --script shop.py

    @reads("text/html", r"/item/\\d+")
    def item(page):
        yield {"url": page.url, "name": page.css_first("h1").text()}

    from gossamer.script import open_crawl           # look.py;  python look.py

    with open_crawl("shop.crawl") as crawl:
        for page in crawl.pages(host="shop.test", status=200):
            print(page.url, page.title, page.items)

What crawls need is imported when the first one is opened: a script that only has readers is loaded in children that import
little.
"""

from gossamer.programs.plain import PlainCrawl, create_crawl, open_crawl
from gossamer.programs.waiting import AsyncCrawl
from gossamer.readers.scripts.marks import reads
from gossamer.readers.scripts.page import ScriptPage
from gossamer.records.entry import Link

__all__ = ["AsyncCrawl", "Link", "PlainCrawl", "ScriptPage", "create_crawl", "open_crawl", "reads"]
