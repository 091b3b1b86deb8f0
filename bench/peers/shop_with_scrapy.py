"""The items of a shop with Scrapy, as its documentation would have it: `python shop_with_scrapy.py URL FILE`."""

import sys

from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule


class ShopSpider(CrawlSpider):
    """Follows every link, and reads items."""

    name = "shop"
    rules = (Rule(LinkExtractor(allow=r"/item/\d+"), callback="item", follow=True), Rule(LinkExtractor()))

    def item(self, response):
        """Read an item."""
        yield {"url": response.url, "name": response.css("h1::text").get(), "price": response.css(".price::text").get()}


if __name__ == "__main__":
    url, file = sys.argv[1:]
    process = CrawlerProcess(
        {
            "CONCURRENT_REQUESTS": 32,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 32,
            "DOWNLOAD_DELAY": 0,
            "FEEDS": {file: {"format": "jsonlines"}},
            "LOG_ENABLED": False,
            "ROBOTSTXT_OBEY": True,
            "TELNETCONSOLE_ENABLED": False,
        }
    )
    process.crawl(ShopSpider, start_urls=[url])
    process.start()
