"""URLs: seeds, those that wait, one that is taken out, and why one stands where it stands."""

from typing import Annotated, Any, cast

import msgspec
from litestar import Request, Response, delete, get, post
from litestar.params import Parameter

from gossamer.api.asking import ID, ByUrl, host_named, listed, number_of
from gossamer.api.hosts import host_row
from gossamer.api.reach import CrawlReach
from gossamer.api.refusal import all_unfit, unfit, unknown
from gossamer.api.strict import JSON, PLAIN
from gossamer.api.types import (
    ExplainUrls,
    Explanation,
    FieldProblem,
    ItemList,
    PendingUrls,
    RefusedSeed,
    Removal,
    Seeded,
    SeedUrls,
)
from gossamer.errors import UrlError
from gossamer.jobs.captures import id_of
from gossamer.url.parse import parse

QUEUE = 50  # URLs of a host's queue that are shown
MOST_SEEDS = 10_000
UrlId = Annotated[str, Parameter(description="The URL's id, 16 hexadecimal digits; or `-`, with `url`.", pattern=ID)]
_seeds = msgspec.json.Decoder(SeedUrls)


@post(
    "/urls/seed",
    status_code=200,
    summary="Add seeds",
    opt={"scope": "operate", "body": SeedUrls, "media": (JSON, PLAIN), "urls": True, "repeatable": True},
)
async def seed_urls(request: Request[Any, Any, Any], reach: CrawlReach, who: str) -> Seeded:
    """Add URLs to begin with: JSON, or text with one on each line. They are durable when this answers.

    Each that is not taken is named with its index and the rule that refuses it. If not one is a URL, nothing is done.
    """
    return await seeded(reach, who, await sent_seeds(request))


async def sent_seeds(request: Request[Any, Any, Any]) -> SeedUrls:
    """Read seeds from a body of either type."""
    body = await request.body()
    if request.content_type[0] != PLAIN:
        return _seeds.decode(body)
    try:
        lines = [line.strip() for line in body.decode("utf-8-sig").splitlines()]
    except UnicodeDecodeError as error:
        raise unfit("body", f"byte {error.start + 1} of it is no UTF-8") from None
    urls = [line for line in lines if line and not line.startswith("#")]
    if not urls:
        raise unfit("body", "there is no URL in it")
    if len(urls) > MOST_SEEDS:
        raise unfit("body", f"there are {len(urls):,} URLs in it, and at most {MOST_SEEDS:,} are taken at once")
    return SeedUrls(urls=urls)


async def seeded(reach: CrawlReach, who: str, seeds: SeedUrls) -> Seeded:
    """Enter seeds; refuse them all where none is a URL."""
    answer = await reach.ask("seed", who, urls=seeds.urls, priority=seeds.priority or "")
    refused = msgspec.convert(answer["refused"], list[RefusedSeed])
    if len(refused) == len(seeds.urls) and all(one.rule == "url" for one in refused):
        raise all_unfit([FieldProblem(f"body.urls[{one.index}]", one.reason) for one in refused])
    return Seeded(added=answer["added"], known=answer["known"], refused=refused)


@get("/urls/pending", summary="URLs that wait", opt={"scope": "read"})
async def pending_urls(
    reach: CrawlReach,
    host: Annotated[str, Parameter(description="Also show the next 50 URLs of this host.", max_length=300)] = "",
) -> PendingUrls:
    """Count the URLs that wait, by class; of one host also show its queue, in the order it would be fetched."""
    answer = await reach.ask("pending")
    if host:
        name = host_named(host, where="query.host")
        answer["queue"] = [_waiting(one) for one in await reach.ask("waiting_of", host=name, limit=QUEUE)]
    return msgspec.convert(answer, PendingUrls)


def _waiting(one: dict[str, Any]) -> dict[str, Any]:
    return {**one, "id": id_of(one["key"])}


@delete(
    "/urls/{id:str}",
    status_code=202,
    summary="Take a URL out of the frontier",
    opt={"scope": "operate", "empty": 204},
)
async def remove_url(reach: CrawlReach, who: str, id: UrlId, by_url: ByUrl = "") -> Response[Removal]:
    """Take a URL out for good: it is never visited again. One that is visited just now is taken out when its visit ends."""
    url, state = await _known(reach, number_of(id, by_url), by_url)
    if not url or not await reach.ask("remove", who, url=url):
        raise unknown(f"{by_url or id} is no URL of this crawl")
    if state == "leased":
        return Response(Removal(id=id, url=url, state=state), status_code=202)
    return Response(cast(Removal, None), status_code=204)


async def _known(reach: CrawlReach, number: int | None, url: str) -> tuple[str, str]:
    """Return the URL that an id stands for, and its state."""
    if number is not None:
        (found,) = await reach.ask("standings", fingerprints=[number])
        return (found["url"], found["state"]) if found is not None else ("", "")
    (told,) = await reach.ask("explain_all", urls=[checked(url, "query.url")])
    return (url, told["state"]) if told["state"] != "unknown" else ("", "")


@get("/urls/explain", summary="Explain a URL", opt={"scope": "read"})
async def explain_url(
    reach: CrawlReach, url: Annotated[str, Parameter(description="The URL.", min_length=1, max_length=4_096)]
) -> Explanation:
    """Say all there is to know about a URL: where it was found, each rule's verdict, its queue, how it ended.

    Of one that was never found (`state` is `unknown`), what would happen to it.
    """
    (told,) = await reach.ask("explain_all", urls=[checked(url, "query.url")])
    return _explanation(told)


@post("/urls/explain", status_code=200, summary="Explain URLs", opt={"scope": "read", "repeatable": True})
async def explain_urls(
    request: Request[Any, Any, Any], reach: CrawlReach, data: ExplainUrls
) -> Response[ItemList[Explanation]]:
    """Explain at most 100 URLs, in their order."""
    urls = [checked(url, f"body.urls[{index}]") for index, url in enumerate(data.urls)]
    return listed(request, [_explanation(one) for one in await reach.ask("explain_all", urls=urls)], None)


def checked(url: str, where: str) -> str:
    """Refuse a text that is no URL."""
    try:
        parse(url)
    except (UrlError, ValueError) as error:
        raise unfit(where, str(error)) from None
    return url


def _explanation(told: dict[str, Any]) -> Explanation:
    host = told["host_status"]
    told = {**told, "id": id_of(told["key"]), "host_status": None if host is None else host_row(host)}
    return msgspec.convert(told, Explanation, from_attributes=True)
