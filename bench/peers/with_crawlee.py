"""Crawl a site with Crawlee as cheaply as it can be told to: its HTTP crawler with Parsel, all in memory, nothing stored."""

import asyncio
import logging
import sys
from datetime import timedelta

from crawlee import ConcurrencySettings, service_locator
from crawlee.configuration import Configuration
from crawlee.crawlers import ParselCrawler, ParselCrawlingContext
from crawlee.http_clients import ImpitHttpClient
from crawlee.storage_clients import MemoryStorageClient


async def crawl(start: str) -> None:
    """Follow every link of one host."""
    service_locator.set_storage_client(MemoryStorageClient())
    service_locator.set_configuration(Configuration(log_level="CRITICAL", purge_on_start=True))
    crawler = ParselCrawler(
        http_client=ImpitHttpClient(verify=False, http3=False),
        concurrency_settings=ConcurrencySettings(min_concurrency=16, desired_concurrency=32, max_concurrency=32),
        max_request_retries=1,
        statistics_log_format="inline",
        configure_logging=False,
        request_handler_timeout=timedelta(seconds=60),
    )

    seen: set[str] = set()  # as with Scrapy: what was handed over once costs no second look by the queue

    @crawler.router.default_handler
    async def follow(context: ParselCrawlingContext) -> None:
        found = await context.extract_links(strategy="same-hostname")
        new = [request for request in found if request.unique_key not in seen]
        seen.update(request.unique_key for request in new)
        await context.add_requests(new)

    await crawler.run([start])


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    asyncio.run(crawl(sys.argv[1]))
