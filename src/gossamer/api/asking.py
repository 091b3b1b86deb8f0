"""What every resource needs of a request: which crawl it is about, who asks, what an id or a name means; parts of lists."""

import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import Annotated, Any, TypeVar
from urllib.parse import quote, urlencode

import msgspec
from litestar import Request, Response
from litestar.datastructures import State
from litestar.params import Parameter

from gossamer.api.home import Home
from gossamer.api.reach import CrawlReach
from gossamer.api.refusal import RequestRefused, unfit, unknown
from gossamer.api.types import ItemList
from gossamer.errors import UrlError
from gossamer.url.parse import parse

_Item = TypeVar("_Item")
ID = "^([0-9a-f]{16}|-)$"
_ID = re.compile(r"[0-9a-f]{16}")
_HOST = re.compile(r"[^\s/?#@\\:%]+|\[[0-9A-Fa-f:.]+\]")
_PORT = re.compile(r":[0-9]{1,5}$")

Job = Annotated[
    str | None, Parameter(description="The crawl, by name; it may be left out where there is only one.", max_length=300)
]
Limit = Annotated[int, Parameter(description="The most items of a part.", ge=1, le=200)]
Cursor = Annotated[str, Parameter(description="What `next` of the part before said.", max_length=4_000)]
IfMatch = Annotated[str | None, Parameter(header="If-Match", description="The ETag that it had when you looked.")]
ByUrl = Annotated[
    str, Parameter(query="url", description="Instead of an id: the URL, with `-` in the place of the id.", max_length=4_096)
]


def reach_of(state: State, job: Job = None) -> CrawlReach:
    """Return the way to the crawl that a request is about."""
    home: Home = state.home
    return home.reach(job)


def who_of(request: Request[Any, Any, Any]) -> str:
    """Return the name of the token that a request came with."""
    return str(request.scope["state"].get("who", ""))


def need(request: Request[Any, Any, Any], scope: str) -> None:
    """Refuse who may not do that; for what needs more than its route does."""
    if not request.user.may(scope):
        raise RequestRefused(
            403, "scope", f"this needs a token of scope {scope}; {request.user.name} has scope {request.user.scope}"
        )


def number_of(text: str, url: str) -> int | None:
    """Return the fingerprint that an id is; None: the URL counts."""
    if url:
        if text != "-":
            raise unfit("query.url", "there is an id already; write - in its place")
        return None
    if not _ID.fullmatch(text):
        raise unfit("path.id", "an id has 16 hexadecimal digits, in lower case; or write - and give ?url=")
    return int(text, 16)


def host_named(text: str, port: bool = False, where: str = "path.domain") -> str:
    """Return a host's name as the crawl has it; with `port` one may stand behind it."""
    tail = _PORT.search(text) if port else None
    name = text[: tail.start()] if tail else text
    if not _HOST.fullmatch(name) or len(name) > 300:
        raise unfit(where, "this is no name of a host")
    try:
        return parse(f"http://{name}/").host + (tail.group() if tail else "")
    except (UrlError, ValueError) as error:
        raise unfit(where, str(error)) from None


def no_host(name: str) -> RequestRefused:
    """Return the refusal of a host that is not known."""
    return unknown(f"{name} is no host of this crawl")


def listed(
    request: Request[Any, Any, Any], items: Sequence[_Item], following: str | None, as_of: float | None = None
) -> Response[ItemList[_Item]]:
    """Return a part of a list, with a link to the next."""
    part = ItemList(items=list(items), next=following or None, as_of=as_of)
    headers = {}
    if part.next:
        asked = [(name, value) for name, value in request.query_params.multi_items() if name != "cursor"]
        query = urlencode([*asked, ("cursor", part.next)], quote_via=quote)
        headers["Link"] = f'<{quote(request.url.path)}?{query}>; rel="next"'
    return Response(part, headers=headers)


def etag_of(value: object) -> str:
    """Return a strong tag of what an answer says."""
    return f'"{blake2b(msgspec.json.encode(value, order="sorted"), digest_size=12).hexdigest()}"'


def check_match(wanted: str | None, tag: str) -> None:
    """Refuse a change of something that is not as whoever changes it has seen it."""
    if wanted is None or wanted.strip() == "*":
        return
    if tag not in [one.strip() for one in wanted.split(",")]:
        raise RequestRefused(412, "changed", "it was changed since you looked; look again, then change it", {"ETag": tag})
