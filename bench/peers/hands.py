"""Single steps of other people's code over one page: microseconds of a call, the least of several rounds, as JSON."""

import io
import json
import sys
from pathlib import Path
from typing import Any

from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor
from w3lib.url import canonicalize_url
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from bench.measure import least


def main(place: Path, url: str) -> dict[str, float]:
    """Measure."""
    page, packed = (place / "page.html").read_bytes(), (place / "page.gz").read_bytes()
    extractor = LinkExtractor(canonicalize=True)

    def links() -> list[Any]:
        return list(extractor.extract_links(HtmlResponse(url, body=page, encoding="utf-8")))

    def record() -> None:
        writer = WARCWriter(io.BytesIO(), gzip=True)
        head = StatusAndHeaders("200 OK", [("Content-Type", "text/html"), ("Content-Encoding", "gzip")], protocol="HTTP/1.1")
        writer.write_record(writer.create_warc_record(url, "response", payload=io.BytesIO(packed), http_headers=head))

    urls = [link.url for link in links()]
    return {
        "parse, links and keys": least(links, 10),
        "key of a URL": least(lambda: [canonicalize_url(each) for each in urls], 20) / len(urls),
        "WARC record": least(record, 50),
    }


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), sys.argv[2])))
