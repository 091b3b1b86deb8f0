"""Errors as they leave the server: problem details (RFC 9457), whoever raised them, and nothing about our insides."""

import logging
import re
from contextlib import suppress
from http import HTTPStatus
from secrets import token_hex
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException

from gossamer.api.types import FieldProblem, ProblemDetail
from gossamer.errors import (
    ConfigError,
    CrawlError,
    CrawlInUse,
    CrawlReadOnly,
    CrawlSilent,
    CursorError,
    DiskFull,
    FixedSetting,
    GossamerError,
    NameTaken,
    NoSuchJob,
    NotACrawl,
    StoreAway,
    TookTooLong,
    UrlError,
    UsageError,
    WhichJob,
)

PROBLEM = "application/problem+json"
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_log = logging.getLogger(__name__)
_encode = msgspec.json.Encoder().encode
_PLACE = re.compile(r" - at `\$(.{0,200})`$")

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
    (TookTooLong, 503, "took-too-long"),
    (CursorError, 404, "cursor"),
    (FixedSetting, 409, "fixed-setting"),
    (ConfigError, 422, "setting"),
    (UrlError, 422, "url"),
    (UsageError, 422, "usage"),
)
RETRY = {"Retry-After": "5"}


def problem(kind: str, status: int, detail: str, **more: Any) -> bytes:
    """Return the body of an answer that tells a problem."""
    told = ProblemDetail(
        type=f"urn:gossamer:problem:{kind}", title=kind.replace("-", " "), status=status, detail=detail, **more
    )
    return _encode(told)


def of_ours(request: Request[Any, Any, Any], error: GossamerError) -> Response[bytes]:
    """Answer with an error of ours; one that nobody told apart is our bug."""
    found = next(((status, kind) for fits, status, kind in KINDS if isinstance(error, fits)), None)
    if found is None:
        return of_bug(request, error)
    status, kind = found
    return _answer(request, status, kind, str(error), RETRY if status == 503 else {})


def of_framework(request: Request[Any, Any, Any], error: HTTPException) -> Response[bytes]:
    """Answer with an error that the framework found."""
    headers, status = dict(error.headers or {}), error.status_code
    if status >= 500:
        return of_bug(request, error)
    if status == 405:
        headers["Allow"] = ", ".join(_methods(request))
    errors, detail = [], error.detail
    if isinstance(error, ValidationException):
        status, errors = 422, _field_problems(error.extra)
        detail = "; ".join(f"{one.where}: {one.what}" for one in errors[:3]) or detail
    return _answer(request, status, _kind(status), detail, headers, errors)


def of_bug(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    """Answer with a reference to the log, where the trace is."""
    reference = token_hex(8)
    _log.error("bug %s in %s %s", reference, request.method, request.url.path, exc_info=error)
    return _answer(request, 500, "bug", f"this is a bug in gossamer; its trace is in the server's log as {reference}", {})


def _answer(
    request: Request[Any, Any, Any],
    status: int,
    kind: str,
    detail: str,
    headers: dict[str, str],
    errors: list[FieldProblem] | None = None,
) -> Response[bytes]:
    body = problem(kind, status, detail, instance=request.url.path, errors=errors or [])
    return Response(body, status_code=status, media_type=PROBLEM, headers=headers)


def _kind(status: int) -> str:
    """Return the kind of a problem that has no name of its own: what its status is called."""
    return HTTPStatus(status).phrase.lower().replace(" ", "-")


def placed(sentence: str) -> tuple[str, str]:
    """Take msgspec's sentence about a value apart: where it stands in the body, and what is wrong with it."""
    place = _PLACE.search(sentence)
    return place[1] if place else "", _PLACE.sub("", sentence)


def _field_problems(extra: Any) -> list[FieldProblem]:
    """Return what the framework says about the parts of a request; a place within the body is part of its sentence."""
    told = []
    for one in extra if isinstance(extra, list) else []:
        what, source, key = str(one.get("message", "")), str(one.get("source", "body")), str(one.get("key", ""))
        place, what = placed(what)
        if source == "body":
            where = f"body{place}" if place or key in ("", "data") else f"body.{key}"
        else:
            where = f"{source}.{key}".rstrip(".")
        told.append(FieldProblem(where, what))
    return told


def _methods(request: Request[Any, Any, Any]) -> list[str]:
    """Return the methods that a path has."""
    known = []
    for method in METHODS:
        with suppress(HTTPException):
            request.app.asgi_router.handle_routing(path=request.scope["path"].rstrip("/") or "/", method=method)
            known.append(method)
    return known
