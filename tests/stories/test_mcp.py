"""The MCP door, asked by the SDK's own client: over standard input and output, and over HTTP with a token."""

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from crawling import CLEAN, GOSSAMER, Simweb, run_gossamer, simweb_running, start_gossamer
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

READING = ["search_pages", "read_page", "explain_url", "crawl_status", "list_crawls"]


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Simweb]:
    """A small web."""
    with simweb_running(tmp_path_factory.mktemp("web"), hosts=2, pages=10) as web:
        yield web


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, web: Simweb) -> Path:
    """A home with one crawl that has ended."""
    place = tmp_path_factory.mktemp("assisted")
    run = run_gossamer("crawl", "--dir", place / "small", *web.crawl_options, "--delay", "0", "--quiet")
    assert run.returncode == 0, run.stderr
    return place


@asynccontextmanager
async def over_stdio(place: Path, *options: str) -> AsyncIterator[Client]:
    """A client that started the door itself."""
    command, *words = [*GOSSAMER, "mcp", str(place), *options]
    parameters = StdioServerParameters(command=command, args=words, env=CLEAN)
    with open(os.devnull, "w") as nowhere:
        async with Client(stdio_client(parameters, errlog=nowhere)) as client:
            yield client


@contextmanager
def door(place: Path, *options: str) -> Iterator[tuple[str, str]]:
    """The door over HTTP: its URL, and the token of its start."""
    server = start_gossamer("mcp", place, "--http", "--port", 0, "--json", *options)
    try:
        assert server.stdout is not None and server.stderr is not None
        line = server.stdout.readline()
        assert line, server.stderr.read()
        told = json.loads(line)
        yield told["url"], told["token"]
    finally:
        server.terminate()
        server.communicate(timeout=20)


@asynccontextmanager
async def over_http(url: str, token: str) -> AsyncIterator[Client]:
    """A client with a token."""
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, trust_env=False) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        yield client


async def told(client: Client, name: str, /, **arguments: Any) -> Any:
    """Return what a tool answers."""
    answer = await client.call_tool(name, arguments)
    assert not answer.is_error, answer.content
    [part] = answer.content
    assert json.loads(part.text) == answer.structured_content
    return answer.structured_content


async def refused(client: Client, name: str, /, **arguments: Any) -> str:
    """Return the sentence with which a tool fails."""
    answer = await client.call_tool(name, arguments)
    assert answer.is_error
    [part] = answer.content
    assert "\n" not in part.text
    return str(part.text)


def seed_of(web: Simweb) -> str:
    """Return where the crawl began."""
    return web.seeds.read_text().split()[0]


async def tools_of(client: Client) -> list[str]:
    """Return the names of the tools that are offered."""
    return [tool.name for tool in (await client.list_tools()).tools]


async def every_tool_answers(client: Client, web: Simweb) -> None:
    """Hold of a client, however it is connected."""
    seed = seed_of(web)
    assert await tools_of(client) == READING
    [crawl] = (await told(client, "list_crawls"))["items"]
    assert (crawl["job"], crawl["state"]) == ("small", "finished")
    status = await told(client, "crawl_status")
    assert status["state"] == "finished" and status["politeness_violations"] == 0 and status["pages"] > 0
    found = await told(client, "search_pages", host=f"h0000.sim:{web.port}", outcome="ok", limit=3)
    assert len(found["items"]) == 3 and found["next"]
    more = await told(client, "search_pages", host=f"h0000.sim:{web.port}", outcome="ok", limit=3, cursor=found["next"])
    assert {page["url"] for page in more["items"]}.isdisjoint(page["url"] for page in found["items"])
    read = await told(client, "read_page", url=seed)
    assert read["characters"] == len(read["text"]) > 0 and read["next_start"] is None
    part = await told(client, "read_page", url=seed, start=5, length=10)
    assert part["text"] == read["text"][5:15] and part["next_start"] == 15
    explained = await told(client, "explain_url", url=seed)
    assert explained["outcome"] == "ok"


async def test_a_program_that_starts_the_door_searches_reads_and_asks_why(home: Path, web: Simweb) -> None:
    async with over_stdio(home) as client:
        await every_tool_answers(client, web)


async def test_over_http_a_reading_token_does_the_same(home: Path, web: Simweb) -> None:
    token = run_gossamer("token", "new", home, "--name", "assistant", "--json")
    with door(home) as (url, _):
        async with over_http(url, json.loads(token.stdout)["token"]) as client:
            await every_tool_answers(client, web)


async def test_a_crawl_is_submitted_only_when_the_door_was_opened_for_writing(home: Path, web: Simweb) -> None:
    asked = {"urls": [f"http://h0001.sim:{web.port}/"], "name": "asked", "start": False}
    async with over_stdio(home) as client:
        assert "--write" in await refused(client, "submit_crawl", **asked)
    assert not (home / "asked").exists()
    async with over_stdio(home, "--write") as client:
        assert await tools_of(client) == [*READING, "submit_crawl"]
        assert (await told(client, "submit_crawl", **asked))["job_id"] == "asked"
        assert {crawl["job"] for crawl in (await told(client, "list_crawls"))["items"]} == {"asked", "small"}
        unsafe = {**asked, "name": "loose", "settings": {"robots.obey": False}}
        assert "robots.obey" in await refused(client, "submit_crawl", **unsafe)
        assert "file" in await refused(client, "submit_crawl", urls=["file:///etc/hostname"])
    assert (home / "asked" / "crawl.json").exists() and not (home / "loose").exists()


async def test_a_token_that_only_reads_submits_nothing_though_the_door_writes(home: Path, web: Simweb) -> None:
    token = json.loads(run_gossamer("token", "new", home, "--name", "reader", "--json").stdout)["token"]
    with door(home, "--write") as (url, _):
        async with over_http(url, token) as client:
            assert "scope operate" in await refused(client, "submit_crawl", urls=[seed_of(web)], name="weak")
    assert not (home / "weak").exists()


async def test_bad_input_is_told_in_a_sentence(home: Path) -> None:
    async with over_stdio(home / "small") as client:
        assert "limit" in await refused(client, "search_pages", limit=0)
        assert "unknown field `lmit`" in await refused(client, "search_pages", lmit=3)
        assert "url" in await refused(client, "read_page")
        assert "no page of this crawl" in await refused(client, "read_page", url="http://h0000.sim/never-found")
        assert "there is no crawl" in await refused(client, "crawl_status", crawl="../../etc")
        assert "cursor" in await refused(client, "search_pages", cursor="zzz")
        assert "there is no tool" in await refused(client, "forget_everything")


async def test_over_http_token_and_host_are_asked_for_like_everywhere(home: Path) -> None:
    question = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accept = {"Accept": "application/json, text/event-stream"}
    with door(home) as (url, token):
        async with httpx2.AsyncClient(trust_env=False, headers=accept) as http:
            assert (await http.post(url, json=question)).status_code == 401
            assert (await http.post(url, json=question, headers={"Authorization": "Bearer guessed"})).status_code == 401
            known = {"Authorization": f"Bearer {token}"}
            assert (await http.post(url, json=question, headers={**known, "Host": "evil.example"})).status_code == 421
            assert (await http.post(url, json=question, headers=known)).status_code == 200


def test_a_place_that_is_none_is_told_in_a_sentence(tmp_path: Path) -> None:
    result = run_gossamer("mcp", tmp_path / "nowhere", stdin="")
    assert result.returncode == 2 and "is no directory" in result.stderr


def test_help_does_not_import_what_only_the_door_needs() -> None:
    program = (
        "import sys; sys.argv = ['gossamer', '--help']\n"
        "from gossamer.cli.main import run\n"
        "try: run()\n"
        "except SystemExit: pass\n"
        "print([name for name in ('mcp', 'litestar', 'uvicorn', 'prometheus_client') if name in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=CLEAN, check=True, timeout=60)
    assert said.stdout.strip().endswith("[]")
