"""The table of what a key chooses: a URI's scheme, a URL's scheme, a MIME type. Nothing is imported until it is chosen.

A plugin adds a row with an entry point of group `gossamer.<family>` whose name is the key; it is built exactly like ours of the
same family (see `assemble.py`) and must look like its joint, or it is refused by name. A row of ours cannot be replaced.

    [project.entry-points."gossamer.fetcher"]
    gopher = "my_package.gopher:GopherFetcher"
"""

import inspect
import sys
from functools import lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from gossamer.errors import ConfigError, PluginError
from gossamer.joints.archive import Archive
from gossamer.joints.catalog import Catalog
from gossamer.joints.documents import Processor
from gossamer.joints.fetch import Fetcher
from gossamer.joints.frontier import Frontier
from gossamer.joints.graph import LinkGraph
from gossamer.joints.keyvalue import KeyValue
from gossamer.visit import admit

HTML = "gossamer.processors.html:HtmlProcessor"
XML = "gossamer.processors.xml:XmlProcessor"
PLAIN = "gossamer.processors.plain:PlainProcessor"
FEED = "gossamer.processors.feed:FeedProcessor"

TABLE: dict[str, dict[str, str]] = {
    "frontier": {
        "rocksdb": "gossamer.frontier.embedded.facade:EmbeddedFrontier",
    },
    "kv": {
        "rocksdb": "gossamer.kv.rocks:RocksKeyValue",
        "memory": "gossamer.kv.memory:MemoryKeyValue",
    },
    "archive": {
        "dir": "gossamer.storage.archive.directory:DirectoryArchive",
    },
    "catalog": {
        "sqlite": "gossamer.storage.catalog.sqlite:SqliteCatalog",
    },
    "graph": {
        "edges": "gossamer.storage.linkgraph:EdgeLog",
        "none": "gossamer.storage.nograph:NoGraph",
    },
    "fetcher": {
        "http": "gossamer.fetchers.http:HttpFetcher",
        "https": "gossamer.fetchers.http:HttpFetcher",
        "file": "gossamer.fetchers.file:FileFetcher",
    },
    "processor": {
        "text/html": HTML,
        "application/xhtml+xml": HTML,
        "application/xml": XML,
        "text/xml": XML,
        "application/gzip": XML,
        "application/x-gzip": XML,
        "text/plain": PLAIN,
        "application/rss+xml": FEED,
        "application/atom+xml": FEED,
    },
    "filter": {},
    "scorer": {},
}

JOINTS: dict[str, type] = {
    "frontier": Frontier,
    "kv": KeyValue,
    "archive": Archive,
    "catalog": Catalog,
    "graph": LinkGraph,
    "fetcher": Fetcher,
    "processor": Processor,
    "filter": admit.Filter,
    "scorer": admit.Scorer,
}


def keys(family: str) -> list[str]:
    """Return every key of a family, ours first, then the plugins'."""
    return [*TABLE[family], *(point.name for point in _plugins(family) if point.name not in TABLE[family])]


def choose(family: str, key: str) -> Any:
    """Import and return the class a key stands for."""
    row = TABLE[family].get(key)
    if row is not None:
        module, _, name = row.partition(":")
        return getattr(import_module(module), name)
    for point in _plugins(family):
        if point.name != key:
            continue
        try:
            chosen = point.load()
        except (ImportError, AttributeError) as error:
            raise PluginError(
                f"the {family} plugin {key!r} ({point.value}) cannot be imported: {error}; mend or remove it"
            ) from error
        _check(family, key, point.value, chosen)
        return chosen
    known = ", ".join(keys(family))
    raise PluginError(f"there is no {family} named {key!r}; known are {known}")


def located(uri: str, directory: Path, knob: str) -> tuple[str, Path]:
    """Split `scheme:path`; the path is below the crawl's directory."""
    scheme, colon, path = uri.partition(":")
    if not colon or not path:
        raise ConfigError(f"{knob} is {uri!r}, which is no store; write it like rocksdb:frontier")
    return scheme, directory / path


def named(family: str, key: str) -> str:
    """Return what a key that can be chosen stands for, as `module:class`, for another process to import."""
    row = TABLE[family].get(key)
    if row is not None:
        return row
    point = next(point for point in _plugins(family) if point.name == key)
    return f"{point.module}:{point.attr}"


def _plugins(family: str) -> tuple[EntryPoint, ...]:
    return _installed(tuple(sys.path))[family]


@lru_cache(maxsize=1)
def _installed(path: tuple[str, ...]) -> dict[str, tuple[EntryPoint, ...]]:
    """Return the entry points of what is installed on that path; to look takes milliseconds, and a crawl asks six times."""
    found = entry_points()
    return {family: tuple(found.select(group=f"gossamer.{family}")) for family in TABLE}


def _check(family: str, key: str, value: str, chosen: Any) -> None:
    """Refuse a plugin that does not look like its joint: a method missing, or of the other colour."""
    joint = JOINTS[family]
    for name, ours in inspect.getmembers(joint, inspect.isfunction):
        if name.startswith("_"):
            continue
        theirs = getattr(chosen, name, None)
        if not callable(theirs):
            fault = f"has no method {name}"
        elif inspect.iscoroutinefunction(ours) != inspect.iscoroutinefunction(theirs):
            fault = f"has a method {name} that should {'' if inspect.iscoroutinefunction(ours) else 'not '}be async"
        else:
            continue
        raise PluginError(f"the {family} plugin {key!r} ({value}) {fault}; run the checker gossamer.testing.{family} on it")
