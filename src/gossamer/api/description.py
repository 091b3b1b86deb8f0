"""The API described as OpenAPI 3.1, from the handlers themselves: their paths, parameters, types, scopes and sentences.

Written here, and not by the framework, because it must say exactly what `strict.py` and msgspec do: which fields a body may
have and no others, which an answer always has, and that everything that goes wrong is a problem (docs/decisions/0047).
"""

import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, get_args, get_origin

import msgspec
from litestar import Litestar, Response
from litestar.handlers import HTTPRouteHandler
from litestar.params import ParameterKwarg
from litestar.response import Stream
from litestar.routes import HTTPRoute
from litestar.typing import FieldDefinition

from gossamer.api.problems import PROBLEM
from gossamer.api.strict import JSON, parameters_of
from gossamer.api.types import ProblemDetail

REFERENCE = "#/components/schemas/{name}"
ANYBODY = ("anybody", "file")
LOOKING = ("GET", "HEAD")
STATUSES = {  # what a problem of each status says
    400: "The body is no JSON.",
    401: "There is no token, or a wrong one.",
    403: "The token's scope is not enough, or this server does not allow it.",
    404: "There is no such thing.",
    405: "The path has other methods.",
    408: "The body has not arrived in time.",
    409: "The crawl is not in a state for this, or there are several and none was named.",
    412: "It was changed since you looked.",
    413: "The body is too long.",
    415: "The body is of a type that is not taken here.",
    416: "There are fewer bytes.",
    421: "The Host is not one of this server's.",
    422: "A parameter or a field makes no sense; `errors` says which.",
    429: "Too many requests; `Retry-After` says when again.",
    431: "The head of the request is too long.",
    500: "A bug of the server; its log has the trace.",
    503: "The crawl does not answer now, or there are too many connections or streams.",
    507: "The disk is full, or cannot be written.",
}
TOKEN = {"type": "http", "scheme": "bearer", "description": "Scopes: read < operate < admin."}
ALWAYS = (404, 409, 421, 422, 429, 431, 500, 503)
KNOWN = (401, 403)  # where a token is needed, or sent
CHANGING = (400, 408, 413, 415, 507)
_LIST = re.compile(r"ItemList_(\w+)_")
_CONSTRAINTS = {
    "ge": "minimum",
    "le": "maximum",
    "gt": "exclusiveMinimum",
    "lt": "exclusiveMaximum",
    "min_length": "minLength",
    "max_length": "maxLength",
    "pattern": "pattern",
}


def describe(app: Litestar, version: str) -> dict[str, Any]:
    """Return the description of an application's routes."""
    told = _Described()
    paths: dict[str, dict[str, Any]] = {}
    for route in sorted((one for one in app.routes if isinstance(one, HTTPRoute)), key=lambda one: one.path_format):
        for method, (handler, _) in sorted(route.route_handler_map.items()):
            if method != "OPTIONS" and handler.resolve_include_in_schema():
                paths.setdefault(route.path_format, {})[method.lower()] = told.operation(route, method, handler)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "gossamer",
            "version": version,
            "description": (
                "What a server of crawls can be asked. Times are Unix seconds, sizes bytes. An id is the fingerprint of a "
                "URL's key: 16 hexadecimal digits. Only ever added to: what is lost needs /api/v2."
            ),
        },
        "paths": paths,
        "components": {
            "schemas": told.schemas(),
            "responses": {f"Problem{status}": _problem(status) for status in STATUSES},
            "securitySchemes": {"token": TOKEN},
        },
    }


class _Described:
    """Gathers the types that operations speak of; they are described together at the end."""

    def __init__(self) -> None:
        self._types: dict[str, Any] = {"ProblemDetail": ProblemDetail}
        self._bodies: set[str] = set()

    def operation(self, route: HTTPRoute, method: str, handler: HTTPRouteHandler) -> dict[str, Any]:
        """Describe one method of a path."""
        scope = handler.opt.get("scope", "read" if method in LOOKING else "operate")
        is_open = scope in ANYBODY
        words = _sentences(handler)
        told: dict[str, Any] = {
            "operationId": handler.handler_name,
            "summary": handler.summary or words.partition("\n")[0],
            "description": words if is_open else f"{words}\n\nScope: {scope}.",
            "tags": [_tag(route.path_format)],
            "security": [] if is_open else [{"token": []}],
            "x-scope": scope,
            "parameters": self._parameters(route, handler),
        }
        if (body := self._request(handler)) is not None:
            told["requestBody"] = body
        told["responses"] = self._responses(method, handler, is_open, body is not None)
        return told

    def _parameters(self, route: HTTPRoute, handler: HTTPRouteHandler) -> list[dict[str, Any]]:
        found, fields = [], parameters_of(handler)
        for name in route.path_parameters:
            field = fields.get(name)
            shown = self._parameter(name, "path", field) if field is not None else _text(name)
            found.append({**shown, "required": True})
        for name, field in fields.items():
            if name in route.path_parameters:
                continue
            given = field.kwarg_definition if isinstance(field.kwarg_definition, ParameterKwarg) else None
            if given is not None and given.header:
                found.append(self._parameter(given.header, "header", field))
            else:
                found.append(self._parameter((given.query if given is not None else None) or name, "query", field))
        return found

    def _parameter(self, name: str, place: str, field: FieldDefinition) -> dict[str, Any]:
        given = field.kwarg_definition if isinstance(field.kwarg_definition, ParameterKwarg) else None
        schema = _schema(_without_none(field.annotation))
        if given is not None:
            limits = {word: getattr(given, name) for name, word in _CONSTRAINTS.items() if getattr(given, name) is not None}
            schema |= limits
        if field.has_default and field.default is not None and field.default != "":
            schema["default"] = field.default
        told: dict[str, Any] = {"name": name, "in": place, "required": not field.has_default, "schema": schema}
        if given is not None and given.description:
            told["description"] = given.description
        return told

    def _request(self, handler: HTTPRouteHandler) -> dict[str, Any] | None:
        field = handler.parsed_fn_signature.parameters.get("data")
        body = handler.opt.get("body", field.annotation if field is not None else None)
        if body is None:
            return None
        self._bodies.add(body.__name__)
        content: dict[str, Any] = {JSON: {"schema": self._reference(body)}}
        for media in handler.opt.get("media", ()):
            content.setdefault(media, {"schema": {"type": "string"}})
        return {"required": True, "content": content}

    def _responses(self, method: str, handler: HTTPRouteHandler, is_open: bool, has_body: bool) -> dict[str, Any]:
        answer = _answered(handler)
        status = handler.status_code
        told: dict[int, Any] = {status: {"description": HTTPStatus(status).phrase}}
        content = self._content(answer, handler)
        if content:
            told[status]["content"] = content
        if (empty := handler.opt.get("empty")) is not None:
            told[empty] = {"description": HTTPStatus(empty).phrase}
        statuses = {*ALWAYS, *(() if is_open and not has_body else KNOWN), *(CHANGING if method not in LOOKING else ())}
        fields = parameters_of(handler)
        if "if_match" in fields:
            statuses.add(412)
            told[status]["headers"] = {"ETag": {"schema": {"type": "string"}, "description": "For `If-Match`."}}
        if get_origin(answer) is not None and "cursor" in fields:
            told[status]["headers"] = {"Link": {"schema": {"type": "string"}, "description": 'The next part: `rel="next"`.'}}
        if "produces" in handler.opt and "by_url" in fields:
            told[206] = {"description": "A range of the bytes.", "content": {"*/*": {}}}
            told[304] = {"description": "It is as it was."}
            statuses.add(416)
        for one in statuses:
            told.setdefault(one, {"$ref": f"#/components/responses/Problem{one}"})
        return {str(one): told[one] for one in sorted(told)}

    def _content(self, answer: Any, handler: HTTPRouteHandler) -> dict[str, Any]:
        if answer is None or answer is type(None):
            return {}
        content: dict[str, Any] = {}
        if answer is Stream:
            return {"text/event-stream": {"schema": {"type": "string"}}}
        if answer is bytes or answer is str:
            media = handler.opt.get("produces") or (str(handler.media_type or "text/plain"),)
            return {one: {} for one in media}
        content[JSON] = {"schema": self._reference(answer)}
        for media in handler.opt.get("produces", ()):
            content[media] = {}
        return content

    def _reference(self, kind: Any) -> dict[str, Any]:
        """Return a reference to a type, which is described later."""
        (told,), _ = msgspec.json.schema_components([kind], ref_template=REFERENCE)
        if "$ref" not in told:
            self._types[str(kind)] = kind  # it may be a list of what has a name
            return dict(told)
        name = told["$ref"].rpartition("/")[2]
        self._types[name] = kind
        renamed: dict[str, Any] = _renamed(told)
        return renamed

    def schemas(self) -> dict[str, Any]:
        """Describe the types: an answer has all of its fields, always."""
        _, found = msgspec.json.schema_components(list(self._types.values()), ref_template=REFERENCE)
        told = {}
        for name, schema in sorted(found.items()):
            if name not in self._bodies and name != "ProblemDetail" and "properties" in schema:
                schema["required"] = list(schema["properties"])
            told[_LIST.sub(r"\1List", name)] = _renamed(schema)
        return told


def _answered(handler: HTTPRouteHandler) -> Any:
    """Return what a handler answers with."""
    answer = handler.parsed_fn_signature.return_type.annotation
    origin = get_origin(answer)
    return get_args(answer)[0] if isinstance(origin, type) and issubclass(origin, Response) else answer


def _sentences(handler: HTTPRouteHandler) -> str:
    words = handler.fn.__doc__ or ""
    return "\n".join(line.strip() for line in words.strip().splitlines())


def _tag(path: str) -> str:
    parts = [part for part in path.removeprefix("/api/v1").split("/") if part]
    return parts[0] if parts else "gossamer"


def _text(name: str) -> dict[str, Any]:
    return {"name": name, "in": "path", "schema": {"type": "string"}}


def _schema(kind: Any) -> dict[str, Any]:
    (told,), _ = msgspec.json.schema_components([kind], ref_template=REFERENCE)
    return dict(told)


def _without_none(kind: Any) -> Any:
    """Return a type without None: a parameter that is not there is not sent."""
    kinds = [one for one in get_args(kind) if one is not type(None)]
    return kinds[0] if len(kinds) == 1 and type(None) in get_args(kind) else kind


def _renamed(schema: Any) -> Any:
    """Call a list of rows by their name."""
    if isinstance(schema, Mapping):
        return {name: _LIST.sub(r"\1List", part) if name == "$ref" else _renamed(part) for name, part in schema.items()}
    if isinstance(schema, Sequence) and not isinstance(schema, str):
        return [_renamed(part) for part in schema]
    return schema


def _problem(status: int) -> dict[str, Any]:
    told: dict[str, Any] = {
        "description": STATUSES[status],
        "content": {PROBLEM: {"schema": {"$ref": REFERENCE.format(name="ProblemDetail")}}},
    }
    if status in (429, 503):
        told["headers"] = {"Retry-After": {"schema": {"type": "string"}, "description": "Seconds."}}
    return told
