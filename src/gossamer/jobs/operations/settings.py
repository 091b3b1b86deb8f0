"""Settings of a crawl that has begun: what can be changed, by name, now and for the next run.

While a crawl runs only those of `LIVE` can be changed, because only these are looked at again and again; any other is refused
by name, and may be changed when the crawl does not run. What says where its stores are, and how URLs are told apart, never can.
"""

import asyncio
from collections.abc import Mapping
from typing import Any

from gossamer.assemble import Stores
from gossamer.config.load import describe
from gossamer.config.sections import Settings
from gossamer.errors import FixedSetting
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.operations.steering import Running
from gossamer.jobs.plain import plain

LIVE = (
    "crawl.max_pages",
    "crawl.max_bytes",
    "crawl.max_seconds",
    "crawl.drain",
    "crawl.longest_wait",
    "crawl.free_disk",
)
FOR_GOOD = ("storage.", "key.", "frontier.uri", "crawl.order")  # how these begin was decided when the crawl began


async def settings(stores: Stores, running: Running | None) -> dict[str, Any]:
    """Return the settings that count for the next run, those of this one that differ, and which can be changed now."""
    written = await asyncio.to_thread(CrawlDirectory(stores.directory).settings)
    values, now = _values(written), _values(stores.settings)
    if running is not None:
        now |= {f"crawl.{name}": part for name, part in running.pool.limits().items()}
    differing = {} if running is None else {name: part for name, part in now.items() if part != values.get(name)}
    return {"settings": values, "this_run": differing, "changeable": list(LIVE) if running is not None else _open(values)}


async def change_settings(stores: Stores, running: Running | None, changes: dict[str, Any]) -> dict[str, Any]:
    """Change settings, durably; in a crawl that runs they count from now on. None: as if it were not set."""
    refuse_fixed(changes, is_running=running is not None)
    given = {name: "none" if part is None else part for name, part in changes.items()}
    before, after = await asyncio.to_thread(CrawlDirectory(stores.directory).change_settings, given)
    if running is not None and changes:
        running.pool.adopt(stores.settings.crawl.model_copy(update=_of_crawl(running, after, changes)))
    were, are = _values(before), _values(after)
    return {"changed": {name: {"before": were[name], "after": are[name]} for name in changes}}


def refuse_fixed(names: Mapping[str, Any], is_running: bool) -> None:
    """Refuse what cannot be changed, by name."""
    fixed = sorted(name for name in names if name.startswith(FOR_GOOD))
    if fixed:
        raise FixedSetting(f"{', '.join(fixed)} cannot be changed once a crawl has begun; begin another one")
    known = {knob.key for knob in describe()}
    held = sorted(name for name in names if name in known and name not in LIVE) if is_running else []
    if held:
        raise FixedSetting(f"{', '.join(held)} cannot be changed while the crawl runs; stop it first")


async def settings_before(stores: Stores, changes: dict[str, Any]) -> dict[str, Any]:
    """Return what a change of settings is about."""
    values = _values(await asyncio.to_thread(CrawlDirectory(stores.directory).settings))
    return {name: values.get(name) for name in changes}


def _of_crawl(running: Running, after: Settings, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the limits in force, with those that were changed: this run may have been given others than the file says."""
    changed = {name.partition(".")[2] for name in changes}
    return running.pool.limits() | {name: getattr(after.crawl, name) for name in changed}


def _values(settings: Settings) -> dict[str, Any]:
    sections = settings.model_dump(mode="json", exclude={"requests"})
    return {f"{section}.{name}": plain(part) for section, knobs in sections.items() for name, part in knobs.items()}


def _open(values: Mapping[str, Any]) -> list[str]:
    return [name for name in values if not name.startswith(FOR_GOOD)]
