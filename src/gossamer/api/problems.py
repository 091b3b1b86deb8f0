"""Errors as they leave the server: problem details (RFC 9457), whoever raised them, and nothing about our insides."""

import logging
from secrets import token_hex
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException

from gossamer.api.home import NoSuchJob, WhichJob
from gossamer.api.types import FieldProblem, ProblemDetail
from gossamer.errors import (
    ConfigError,
    CrawlError,
    CrawlInUse,
    CrawlReadOnly,
    CrawlSilent,
    DiskFull,
    GossamerError,
    NameTaken,
    NotACrawl,
    StoreAway,
    TookTooLong,
    UsageError,
)

PROBLEM = "application/problem+json"
_log = logging.getLogger(__name__)
_encode = msgspec.json.Encoder().encode

# The first class that fits decides: status and kind.
KINDS: tuple[tuple[type[Exception], int, str], ...] = (
    (NoSuchJob, 404, "no-such-job"),
    (WhichJob, 409, "which-job"),
    (NotACrawl, 404, "no-such-job"),
    (CrawlSilent, 503, "silent"),
    (StoreAway, 503, "silent"),
    (DiskFull, 507, "disk-full"),
    (CrawlReadOnly, 507, "read-only"),
    (CrawlInUse, 409, "in-use"),
    (NameTaken, 409, "name-taken"),
    (CrawlError, 409, "crawl"),
    (ConfigError, 422, "setting"),
    (UsageError, 422, "usage"),
    (TookTooLong, 503, "slow"),
)
RETRY = {"Retry-After": "5"}
TITLES = {
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    409: "Conflict",
}


def problem(kind: str, status: int, detail: str, **more: Any) -> bytes:
    """Return the body of an answer that tells a problem."""
    told = ProblemDetail(
        type=f"urn:gossamer:problem:{kind}", title=kind.replace("-", " "), status=status, detail=detail, **more
    )
    return _encode(told)


def of_ours(request: Request[Any, Any, Any], error: GossamerError) -> Response[bytes]:
    """Answer with an error of ours."""
    status, kind = next(((status, kind) for fits, status, kind in KINDS if isinstance(error, fits)), (500, "error"))
    headers = RETRY if status == 503 else {}
    return Response(
        problem(kind, status, str(error), instance=request.url.path), status_code=status, media_type=PROBLEM, headers=headers
    )


def of_framework(request: Request[Any, Any, Any], error: HTTPException) -> Response[bytes]:
    """Answer with an error that the framework found."""
    errors, status = [], error.status_code
    if isinstance(error, ValidationException) and isinstance(error.extra, list):
        status = 422
        errors = [
            FieldProblem(f"{one.get('source', 'body')}.{one.get('key', '')}".rstrip("."), str(one.get("message", "")))
            for one in error.extra
            if isinstance(one, dict)
        ]
    body = problem(
        TITLES.get(status, "error").lower().replace(" ", "-"), status, error.detail, errors=errors, instance=request.url.path
    )
    return Response(body, status_code=status, media_type=PROBLEM, headers=dict(error.headers or {}))


def of_bug(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    """Answer with a reference to the log, where the trace is."""
    reference = token_hex(8)
    _log.error("bug %s in %s %s", reference, request.method, request.url.path, exc_info=error)
    return Response(
        problem("bug", 500, f"this is a bug in gossamer; its trace is in the server's log as {reference}"),
        status_code=500,
        media_type=PROBLEM,
    )
