"""The specification's own paths: the same resources under the names that other programs may already use."""

from typing import Any

from litestar import Request, get, post, put

from gossamer.api.hosts import Domain, changed_policy, pause_host, resume_host
from gossamer.api.reach import CrawlReach
from gossamer.api.stats import today_of
from gossamer.api.strict import JSON, PLAIN
from gossamer.api.types import Added, Policy, PolicyChange, SeedUrls, TodayStatus
from gossamer.api.urls import seeded, sent_seeds


@post(
    "/crawler/seeds",
    status_code=200,
    summary="Add seeds",
    opt={"scope": "operate", "body": SeedUrls, "media": (JSON, PLAIN), "urls": True, "repeatable": True},
)
async def crawler_seeds(request: Request[Any, Any, Any], reach: CrawlReach, who: str) -> Added:
    """Add URLs to begin with; as `POST /api/v1/urls/seed`."""
    return Added((await seeded(reach, who, await sent_seeds(request))).added)


@put("/crawler/policies/{domain:str}", summary="Change the policy of a host", opt={"scope": "operate"})
async def crawler_policy(
    request: Request[Any, Any, Any], reach: CrawlReach, who: str, domain: Domain, data: PolicyChange
) -> Policy:
    """Change what is given; as `PUT /api/v1/domains/{domain}/policy`."""
    return await changed_policy(request, reach, who, domain, data)


@get("/crawler/status", summary="A day in numbers", opt={"scope": "read"})
async def crawler_status(reach: CrawlReach) -> TodayStatus:
    """Return the five numbers of today (UTC); as `GET /api/v1/stats`."""
    return await today_of(reach)


@post(
    "/crawler/domains/{domain:str}/pause", status_code=204, summary="Pause a host", opt={"scope": "operate", "repeatable": True}
)
async def crawler_pause(reach: CrawlReach, who: str, domain: Domain) -> None:
    """Give a host no turn; as `POST /api/v1/domains/{domain}/pause`."""
    await pause_host.fn(reach, who, domain)


@post(
    "/crawler/domains/{domain:str}/resume",
    status_code=204,
    summary="Resume a host",
    opt={"scope": "operate", "repeatable": True},
)
async def crawler_resume(reach: CrawlReach, who: str, domain: Domain) -> None:
    """Give a host its turns again; as `POST /api/v1/domains/{domain}/resume`."""
    await resume_host.fn(reach, who, domain)
