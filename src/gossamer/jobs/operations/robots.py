"""robots.txt as it is known: from the cache, nobody is asked for it."""

import asyncio
from typing import Any

from gossamer.assemble import Stores, robots_rules
from gossamer.jobs.plain import reason_parts
from gossamer.records.consultation import RobotsCopy
from gossamer.url.parse import parse

MOST = 500 * 1024  # bytes of its text that are told
LONG = 32 * 1024  # bytes of a file that takes more than a few milliseconds to read
FIELDS = {True: "allow", False: "disallow"}


async def robots(stores: Stores, host: str) -> dict[str, Any] | None:
    """Return the robots.txt of a host, or of one of its origins (`http://a.example:8080`); None: it was never asked for."""
    found = await _files(stores, host)
    if not found:
        return None
    file, agent = found[0], await _agent(stores, host)
    read = _read if len(file.text) <= LONG else _read_on_a_thread
    group, rules, delay, sitemaps = await read(stores, file, agent)
    return {
        "origin": file.origin,
        "origins": [each.origin for each in found],
        "kind": file.kind,
        "detail": file.detail,
        "agent": group,
        **{FIELDS[allow]: [rule for is_allowed, rule in rules if is_allowed is allow] for allow in (True, False)},
        "crawl_delay": delay,
        "sitemaps": sitemaps,
        "fetched_at": file.fetched_at or None,
        "expires_at": file.expires_at,
        "status": file.status or None,
        "source": file.text[:MOST].decode("utf-8", "replace"),
    }


async def decides(stores: Stores, host: str, path: str) -> dict[str, Any] | None:
    """Say what robots.txt says of a path, and which line decides; None: it was never asked for."""
    found = await _files(stores, host)
    if not found:
        return None
    url = parse(f"{found[0].origin}/{path.removeprefix('/')}").wire
    told = await stores.robots.peek(url, await _agent(stores, host), stores.clock.now())
    line = told.reason.facts.get("line", "") if told.reason is not None else ""
    return {"url": url, "verdict": told.verdict, "line": line, **reason_parts(told.reason)}


async def _files(stores: Stores, host: str) -> list[RobotsCopy]:
    """Return what is known of a host's origins, the one that was asked last first."""
    named = parse(host) if "://" in host else None
    files = await stores.robots.files(named.host if named is not None else host.partition(":")[0])
    if named is not None:
        files = [file for file in files if file.origin == named.origin]
    elif ":" in host:
        files = [file for file in files if file.origin.endswith(f"//{host}")]
    return sorted(files, key=lambda file: -file.fetched_at)


async def _agent(stores: Stores, host: str) -> str:
    known = await stores.frontier.host(parse(host).host if "://" in host else host.partition(":")[0])
    return (known.policy.user_agent if known is not None else None) or stores.user_agent


_Told = tuple[str, list[tuple[bool, str]], float | None, list[str]]


async def _read_on_a_thread(stores: Stores, file: RobotsCopy, agent: str) -> _Told:
    return await asyncio.to_thread(_told, stores, file, agent)


async def _read(stores: Stores, file: RobotsCopy, agent: str) -> _Told:
    return _told(stores, file, agent)


def _told(stores: Stores, file: RobotsCopy, agent: str) -> _Told:
    rules = robots_rules(file.text, stores.settings)
    group, lines = rules.spoken_to(agent)
    patterns = [(line.allow, str(line).partition(": ")[2]) for line in lines]
    return group, patterns, rules.delay(agent), list(rules.sitemaps)
