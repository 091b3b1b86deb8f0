"""Requests that the door itself refuses, in short words."""

from collections.abc import Sequence
from typing import Any

from litestar import Request, Response
from litestar.exceptions import HTTPException

from gossamer.api.problems import PROBLEM, problem
from gossamer.api.types import FieldProblem


class RequestRefused(HTTPException):
    """A request that the server itself refuses: `kind` is the last part of the problem's type."""

    def __init__(
        self,
        status: int,
        kind: str,
        detail: str,
        headers: dict[str, str] | None = None,
        errors: tuple[FieldProblem, ...] = (),
    ) -> None:
        super().__init__(detail=detail, status_code=status, headers=headers)
        self.kind = kind
        self.errors = errors


def of_refused(request: Request[Any, Any, Any], error: RequestRefused) -> Response[bytes]:
    """Answer with a refusal."""
    body = problem(error.kind, error.status_code, error.detail, errors=list(error.errors), instance=request.scope["path"])
    return Response(body, status_code=error.status_code, media_type=PROBLEM, headers=dict(error.headers or {}))


def unfit(where: str, what: str) -> RequestRefused:
    """Return the refusal of one part of a request."""
    return all_unfit([FieldProblem(where, what)])


def all_unfit(errors: Sequence[FieldProblem]) -> RequestRefused:
    """Return the refusal of some parts of a request."""
    said = "; ".join(f"{one.where}: {one.what}" for one in errors[:3])
    more = f"; and {len(errors) - 3} more" if len(errors) > 3 else ""
    return RequestRefused(422, "unfit", said + more, errors=tuple(errors))


def unknown(what: str) -> RequestRefused:
    """Return the refusal of something that is not there."""
    return RequestRefused(404, "not-found", what)
