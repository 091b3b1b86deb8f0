"""What a request may carry: parameters that its route knows, each once, and a body of the right type, exactly.

The framework reads a request generously: it passes over parameters nobody asked for, and takes "1" for 1 in a body. A typo
would go unnoticed, so this looks first, and says where it is wrong (docs/decisions/0047).
"""

import re
from functools import cache
from math import isfinite
from typing import Any, get_args

import msgspec
from litestar import Request
from litestar.handlers import HTTPRouteHandler
from litestar.params import ParameterKwarg
from litestar.typing import FieldDefinition
from msgspec import Struct

from gossamer.api.problems import placed
from gossamer.api.refusal import RequestRefused, all_unfit, unfit
from gossamer.api.types import FieldProblem

PLAIN = "text/plain"
JSON = "application/json"
OURS = frozenset(("request", "state", "data", "headers", "scope", "body"))  # what a handler may ask the framework for
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WHOLE = re.compile(r"-?[0-9]+")
_MOST = 1 << 63


class _Taken(Struct, frozen=True):
    """What a route takes."""

    parameters: dict[str, type | None]  # and whether it is a number
    body: msgspec.json.Decoder[Any] | None
    media: tuple[str, ...]


async def look(request: Request[Any, Any, Any]) -> None:
    """Refuse a request that carries what its route does not take."""
    handler: Any = request.route_handler
    taken = _taken(handler, request.scope["path_template"])
    errors = _of_parameters(taken, request)
    if errors:
        raise all_unfit(errors)
    if taken.media:
        await _look_into_body(taken, request)


def _of_parameters(taken: _Taken, request: Request[Any, Any, Any]) -> list[FieldProblem]:
    errors = []
    for name, values in request.query_params.dict().items():
        where = f"query.{name[:100]}"
        if name not in taken.parameters:
            known = ", ".join(sorted(taken.parameters)) or "none"
            errors.append(FieldProblem(where, f"there is no such parameter here; there are: {known}"))
        elif len(values) > 1:
            errors.append(FieldProblem(where, "it is there more than once"))
        elif (number := taken.parameters[name]) is not None and (what := _amiss(values[0], number)):
            errors.append(FieldProblem(where, what))
    return errors


def _amiss(text: str, number: type) -> str:
    """Say what is wrong with the text of a number; an empty text: nothing."""
    if number is int and not (_WHOLE.fullmatch(text) and -_MOST <= int(text[:30]) < _MOST):
        return "it is no whole number"
    if number is float and not (_NUMBER.fullmatch(text) and isfinite(float(text))):
        return "it is no number"
    return ""


async def _look_into_body(taken: _Taken, request: Request[Any, Any, Any]) -> None:
    media = request.headers.get("content-type", JSON).partition(";")[0].strip().lower()
    if media not in taken.media:
        raise RequestRefused(
            415, "media-type", f"a body of type {media[:100]!r} is not taken here; send {' or '.join(taken.media)}"
        )
    if media != JSON or taken.body is None:
        return
    body = await request.body()
    try:
        taken.body.decode(body)
    except msgspec.ValidationError as error:
        place, what = placed(str(error))
        raise unfit(f"body{place}", what) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RequestRefused(400, "not-json", f"the body is no JSON: {error}") from None


@cache
def _taken(handler: HTTPRouteHandler, path: str) -> _Taken:
    """Return what a handler takes on one of its paths, with what it depends on; asked once for each."""
    known: dict[str, type | None] = {}
    for name, field in parameters_of(handler).items():
        given = field.kwarg_definition if isinstance(field.kwarg_definition, ParameterKwarg) else None
        if f"{{{name}:" not in path and (given is None or not (given.header or given.cookie)):
            known[(given.query if given is not None else None) or name] = _number(field.annotation)
    body = handler.parsed_fn_signature.parameters.get("data")
    decoded = handler.opt.get("body", body.annotation if body is not None else None)
    media = handler.opt.get("media", (JSON,) if decoded is not None else ())
    return _Taken(known, None if decoded is None else msgspec.json.Decoder(decoded), tuple(media))


def parameters_of(handler: HTTPRouteHandler) -> dict[str, FieldDefinition]:
    """Return the parameters of a handler and of what it depends on: of the path, the query and the head."""
    providers = handler.resolve_dependencies()
    fields = dict(handler.parsed_fn_signature.parameters)
    for name in [name for name in fields if name in providers]:
        fields |= providers[name].parsed_fn_signature.parameters
    return {name: field for name, field in fields.items() if name not in providers and name not in OURS}


def _number(annotation: Any) -> type | None:
    kinds = get_args(annotation) or (annotation,)
    return next((kind for kind in (int, float) if kind in kinds), None)
