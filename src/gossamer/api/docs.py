"""The API's description, for programs (OpenAPI) and for people: one page of all routes, without a script."""

import asyncio
from html import escape
from typing import Any

import msgspec
from litestar import MediaType, Response, get
from litestar.datastructures import State

from gossamer.api.problems import PROBLEM

METHODS = ("get", "post", "put", "delete")


@get("/api/v1/openapi.json", summary="This description", opt={"scope": "anybody", "produces": ("application/json",)})
async def openapi(state: State) -> Response[bytes]:
    """Return the description of the API, as OpenAPI 3.1."""
    described = await asyncio.to_thread(state.description)
    return Response(msgspec.json.encode(described), media_type=MediaType.JSON)


@get("/docs", include_in_schema=False, opt={"scope": "file"})
async def docs(state: State) -> Response[str]:
    """Return the page of the routes."""
    return Response(page_of(await asyncio.to_thread(state.description)), media_type=MediaType.HTML)


def page_of(described: dict[str, Any]) -> str:
    """Return a description as a page."""
    routes = [
        (path, method, operation) for path, methods in described["paths"].items() for method, operation in methods.items()
    ]
    contents = "".join(
        f'<li><a href="#{escape(operation["operationId"])}"><b>{method.upper()}</b> {escape(path)}</a></li>'
        for path, method, operation in routes
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>gossamer API</title>'
        '<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/docs.css"></head><body><main>'
        f"<h1>gossamer API {escape(described['info']['version'])}</h1><p>{escape(described['info']['description'])}</p>"
        '<p>For programs: <a href="/api/v1/openapi.json">openapi.json</a>. A token goes into Authorization: Bearer.</p>'
        f"<nav><ul>{contents}</ul></nav>{''.join(_section(*route, described) for route in routes)}</main></body></html>"
    )


def _section(path: str, method: str, operation: dict[str, Any], described: dict[str, Any]) -> str:
    rows = "".join(
        f"<tr><td><code>{escape(one['name'])}</code></td><td>{one['in']}</td><td>{escape(_kind(one['schema']))}</td>"
        f"<td>{escape(one.get('description', ''))}</td></tr>"
        for one in operation["parameters"]
    )
    table = f"<table><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr>{rows}</table>" if rows else ""
    body = operation.get("requestBody", {}).get("content", {})
    sent = f"<p>Body: {_contents(body)}</p>" if body else ""
    answers = "".join(_answer(status, one, described) for status, one in operation["responses"].items())
    words = "".join(f"<p>{escape(part)}</p>" for part in operation["description"].split("\n\n"))
    return (
        f'<section id="{escape(operation["operationId"])}"><h2><b>{method.upper()}</b> {escape(path)}</h2>'
        f"<p>{escape(operation['summary'])}</p>{words}{table}{sent}<dl>{answers}</dl></section>"
    )


def _answer(status: str, answer: dict[str, Any], described: dict[str, Any]) -> str:
    if "$ref" in answer:
        answer = described["components"]["responses"][answer["$ref"].rpartition("/")[2]]
    content = {media: one for media, one in answer.get("content", {}).items() if media != PROBLEM}
    return f"<dt>{status}</dt><dd>{escape(answer['description'])} {_contents(content)}</dd>"


def _contents(content: dict[str, Any]) -> str:
    return ", ".join(f"<code>{escape(media)}</code> {escape(_kind(one.get('schema', {})))}" for media, one in content.items())


def _kind(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    return str(schema.get("type", ""))
