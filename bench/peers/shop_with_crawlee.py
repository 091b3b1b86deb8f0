"""The items of a shop with Crawlee, as its documentation would have it: `python shop_with_crawlee.py URL FILE`."""

import asyncio
import json
import logging
import re
import sys
from pathlib import Path

from crawlee import ConcurrencySettings, service_locator
from crawlee.configuration import Configuration
from crawlee.crawlers import ParselCrawler, ParselCrawlingContext
from crawlee.storage_clients import MemoryStorageClient


async def main(url: str, file: str) -> None:
    """Follow every link, and read items."""
    service_locator.set_storage_client(MemoryStorageClient())
    service_locator.set_configuration(Configuration(log_level="CRITICAL"))
    crawler = ParselCrawler(
        respect_robots_txt_file=True,
        concurrency_settings=ConcurrencySettings(min_concurrency=16, desired_concurrency=32, max_concurrency=32),
        configure_logging=False,
    )

    @crawler.router.default_handler
    async def item(context: ParselCrawlingContext) -> None:
        if re.search(r"/item/\d+", context.request.url):
            name, price = (context.selector.css(f"{where}::text").get() for where in ("h1", ".price"))
            await context.push_data({"url": context.request.url, "name": name, "price": price})
        await context.enqueue_links()

    await crawler.run([url])
    found = await crawler.get_data()
    Path(file).write_text("".join(json.dumps(item) + "\n" for item in found.items))


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    asyncio.run(main(*sys.argv[1:]))
