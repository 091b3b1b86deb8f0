"""Pages: listed, searched, one with its versions, its links, its near duplicates. What is kept of one is in `content.py`."""

from typing import Annotated, Any, Literal
from urllib.parse import quote

import msgspec
from litestar import Request, Response, get
from litestar.params import Parameter

from gossamer.api.asking import ID, ByUrl, Cursor, Limit, host_named, listed, number_of
from gossamer.api.content import PARTS, answer_content, links_of, part_named, wanted_by
from gossamer.api.reach import CrawlReach
from gossamer.api.refusal import unknown
from gossamer.api.types import ItemList, LinkRow, NearPage, PageDetail, PageRow, PageVersion
from gossamer.api.urls import checked
from gossamer.jobs.captures import FoundPage, find_page, id_of
from gossamer.jobs.plain import plain
from gossamer.jobs.search import refuse_unknown
from gossamer.records.page import Page
from gossamer.records.pagequery import Order, PageQuery, PageSlice
from gossamer.url.fingerprint import fingerprint

PageId = Annotated[str, Parameter(description="The page's id, 16 hexadecimal digits; or `-`, with `url`.", pattern=ID)]
TITLE = 500  # characters that are told in lists


@get("/pages", summary="Search pages", opt={"scope": "read"})
async def pages(
    request: Request[Any, Any, Any],
    reach: CrawlReach,
    q: Annotated[str, Parameter(description="Words in URL, title or text; a phrase in double quotes.", max_length=500)] = "",
    host: Annotated[str, Parameter(description="Only of this host, or host:port.", max_length=300)] = "",
    status: Annotated[int | None, Parameter(description="Only with this status.", ge=0, le=999)] = None,
    outcome: Annotated[str, Parameter(description="Only with this outcome.", max_length=40)] = "",
    mime: Annotated[str, Parameter(description="Only of this type, such as text/html.", max_length=200)] = "",
    rule: Annotated[str, Parameter(description="Only where this rule decided.", max_length=100)] = "",
    since: Annotated[float | None, Parameter(description="Only fetched then or later.")] = None,
    until: Annotated[float | None, Parameter(description="Only fetched before.")] = None,
    order: Annotated[
        Literal["new", "best", "key"] | None,
        Parameter(description="Newest first, best match first (words only), or by key. What suits, if not given."),
    ] = None,
    limit: Limit = 50,
    cursor: Cursor = "",
) -> Response[ItemList[PageRow]]:
    """List the pages that match, all conditions together. A part may be short, even empty, and yet have a next one."""
    query = PageQuery(
        words=q, host=host_named(host, port=True, where="query.host") if host else "", status=status, outcome=outcome,
        mime=mime.lower(), rule=rule, since=since, until=until, order=None if order is None else Order(order),
    )  # fmt: skip
    refuse_unknown(query)
    _ = query.ordered  # refuses an order that the rest of the query cannot have
    part = await reach.shelves.read(lambda shelves: shelves.catalog.page_list(query, limit, cursor), PageSlice())
    return listed(request, [page_row(page) for page in part.items], part.next)


@get(
    "/pages/{id:str}",
    summary="A page",
    opt={"scope": "read", "produces": ("text/html", "text/plain", "application/warc")},
)
async def page(request: Request[Any, Any, Any], reach: CrawlReach, id: PageId, by_url: ByUrl = "") -> Response[PageDetail]:
    """Return what is known of a page, and its versions; or, by `Accept`, what is kept of it, as `content` does."""
    found = await found_page(reach, number_of(id, by_url), by_url)
    part = wanted_by(request.headers.get("accept", ""))
    if part is not None:
        return await answer_content(request, reach, found, part, "")
    return Response(_detail(found, request.query_params.get("job")), headers={"Vary": "Accept"})


@get("/pages/{id:str}/content", summary="What is kept of a page", opt={"scope": "read", "produces": ("*/*",)})
async def content(
    request: Request[Any, Any, Any],
    reach: CrawlReach,
    id: PageId,
    by_url: ByUrl = "",
    part: Annotated[str, Parameter(query="as", description=f"Which form of it: {', '.join(PARTS)}.", max_length=40)] = "raw",
    version: Annotated[str, Parameter(description="A number, 1 is the newest, or a date: as it was then.", max_length=40)] = "",
) -> Response[bytes]:
    """Return a kept page: its bytes, its text, the page to look at (without scripts or requests), its head, its WARC record."""
    form = part_named(part)
    return await answer_content(request, reach, await found_page(reach, number_of(id, by_url), by_url), form, version)


@get("/pages/{id:str}/links", summary="The links of a page", opt={"scope": "read"})
async def links(
    request: Request[Any, Any, Any],
    reach: CrawlReach,
    id: PageId,
    by_url: ByUrl = "",
    direction: Annotated[Literal["out", "in"], Parameter(description="Out of the page, or into it.")] = "out",
    limit: Limit = 50,
    cursor: Cursor = "",
) -> Response[ItemList[LinkRow]]:
    """List the links of a page, or those that lead to it."""
    number = number_of(id, by_url)
    if number is None:
        number = fingerprint((await found_page(reach, None, by_url)).page.key)
    answer = await links_of(reach, number, direction, limit, cursor)
    return listed(request, msgspec.convert(answer["items"], list[LinkRow]), answer["next"])


@get("/pages/{id:str}/near", summary="Near duplicates of a page", opt={"scope": "read"})
async def near(
    request: Request[Any, Any, Any], reach: CrawlReach, id: PageId, by_url: ByUrl = ""
) -> Response[ItemList[NearPage]]:
    """List the pages whose text is nearly that of one page, nearest first; a page without text has none."""
    found = await found_page(reach, number_of(id, by_url), by_url)
    if found.page.simhash is None:
        return listed(request, list[NearPage](), None)
    rows = await reach.ask("near", url=found.page.url)
    return listed(request, [_near(one) for one in rows], None)


async def found_page(reach: CrawlReach, number: int | None, url: str) -> FoundPage:
    """Find a page by its id or its URL."""
    if number is None:
        checked(url, "query.url")
    found = await reach.shelves.read(lambda shelves: find_page(shelves, number, url), None)
    if (found is None or found.page.place is None) and number is None:
        keys = tuple(await reach.ask("keys", url=url))  # those that were learned
        found = await reach.shelves.read(lambda shelves: find_page(shelves, number, url, keys), None)
    if found is None:
        raise unknown(f"{url or f'{number:016x}'} is no page of this crawl")
    return found


def page_row(page: Page) -> PageRow:
    """Return a page as lists tell it."""
    return PageRow(**_row(page))


def _row(page: Page) -> dict[str, Any]:
    return {
        "id": id_of(page.key),
        "url": page.url,
        "host": page.host,
        "outcome": page.outcome.value,
        "rule": page.reason.rule if page.reason is not None else "",
        "reason": page.reason.text if page.reason is not None else "",
        "status": page.status,
        "mime": page.mime,
        "title": page.title[:TITLE],
        "bytes": page.length,
        "fetched_at": page.fetched_at,
        "duplicate_of": page.duplicate_of,
        "language": page.language,
    }


def _near(row: dict[str, Any]) -> NearPage:
    return NearPage(
        id=id_of(row["key"]), url=row["url"], host=row["host"], outcome=row["outcome"], rule=row["rule"], reason=row["reason"],
        status=row["status"], mime=row["mime"], title=row["title"][:TITLE], bytes=row["length"], fetched_at=row["fetched_at"],
        duplicate_of=row["duplicate_of"], language=row["language"], distance=row["distance"],
    )  # fmt: skip


def _detail(found: FoundPage, job: str | None) -> PageDetail:
    page, base = found.page, f"/api/v1/pages/{id_of(found.page.key)}"
    which = f"?job={job}" if job else ""
    versions = [
        PageVersion(
            number=number, fetched_at=one.captured_at, status=one.status, mime=one.mime, digest=one.digest, bytes=one.length
        )
        for number, one in enumerate(found.versions, start=1)
    ]
    return PageDetail(
        **_row(page),
        versions=versions,
        facts=plain(page),
        links={
            "content": f"{base}/content{which}",
            "links": f"{base}/links{which}",
            "near": f"{base}/near{which}",
            "explain": f"/api/v1/urls/explain?url={quote(page.url, safe='')}" + (f"&job={job}" if job else ""),
        },
    )
