"""The table of what a key chooses: a URI's scheme, a URL's scheme, a MIME type. Nothing is imported until it is chosen.

A plugin adds a row with an entry point of group `gossamer.<family>` whose name is the key. It must look like its joint, which
says how it is built or opened, too; else it is refused by name. A row of ours is replaced only where a setting says so
(`documents.processors`); else a plugin for it is refused by name, never ignored. See docs/plugins.md.

    [project.entry-points."gossamer.fetcher"]
    gopher = "my_package.gopher:GopherFetcher"
"""

import inspect
import sys
from collections.abc import Collection, Mapping
from functools import lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from gossamer.errors import ConfigError, PluginError
from gossamer.joints.archive import Archive
from gossamer.joints.catalog import Catalog
from gossamer.joints.chronicle import Chronicle
from gossamer.joints.documents import PageReader, Processor
from gossamer.joints.export import Exporter
from gossamer.joints.fetch import Fetcher
from gossamer.joints.filter import Filter
from gossamer.joints.frontier import Frontier
from gossamer.joints.graph import LinkGraph
from gossamer.joints.keyvalue import KeyValue
from gossamer.joints.scorer import Scorer
from gossamer.joints.sink import Sink
from gossamer.records.location import Location

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
    "chronicle": {
        "jsonl": "gossamer.storage.chronicle.jsonl:JsonlChronicle",
        "none": "gossamer.storage.chronicle.none:NoChronicle",
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
    "export": {  # Markdown joins here
        "parquet": "gossamer.storage.export.parquet:ParquetExport",
        "jsonl": "gossamer.storage.export.jsonl:JsonlExport",
        "csv": "gossamer.storage.export.csv:CsvExport",
        "text": "gossamer.storage.export.text:TextExport",
        "broken": "gossamer.storage.export.broken:BrokenExport",
        "redirects": "gossamer.storage.export.redirects:RedirectsExport",
        "sitemap": "gossamer.storage.export.sitemap:SitemapExport",
        "warc": "gossamer.storage.export.warc:WarcExport",
        "wacz": "gossamer.storage.export.wacz:WaczExport",
    },
    "reader": {},
    "filter": {},
    "scorer": {},
    "sink": {
        "stdout": "gossamer.sinks.stdout:StdoutSink",
        "webhook+http": "gossamer.sinks.webhook:WebhookSink",
        "webhook+https": "gossamer.sinks.webhook:WebhookSink",
        "redis": "gossamer.sinks.redis:RedisSink",
        "rediss": "gossamer.sinks.redis:RedisSink",
        "nats": "gossamer.sinks.nats:NatsSink",
        "kafka": "gossamer.sinks.kafka:KafkaSink",
        "kafka+ssl": "gossamer.sinks.kafka:KafkaSink",
    },
}
EXTRAS = {"sink": "events"}  # what to install for families that need more than gossamer itself

JOINTS: dict[str, type] = {
    "frontier": Frontier,
    "kv": KeyValue,
    "archive": Archive,
    "catalog": Catalog,
    "graph": LinkGraph,
    "chronicle": Chronicle,
    "fetcher": Fetcher,
    "processor": Processor,
    "export": Exporter,
    "reader": PageReader,
    "filter": Filter,
    "scorer": Scorer,
    "sink": Sink,
}


def keys(family: str) -> list[str]:
    """Return every key of a family, ours first, then the plugins'."""
    return [*TABLE[family], *(point.name for point in _plugins(family) if point.name not in TABLE[family])]


def only(family: str) -> str | None:
    """Return the key of a family of which a crawl has one or none; several are refused, as nobody says which one counts."""
    found = keys(family)
    if len(found) > 1:
        raise PluginError(
            f"{len(found)} {family} plugins are installed ({', '.join(found)}); a crawl has one: remove the others"
        )
    return found[0] if found else None


def plugins(family: str) -> dict[str, str]:
    """Return the plugins of a family: by key what each stands for."""
    return {point.name: point.value for point in _plugins(family)}


def refuse_ignored(replaced: Collection[str]) -> None:
    """Refuse plugins that would be ignored: for a key of ours, but for MIME types to be `replaced`; two for one key."""
    for mime in replaced:
        if mime not in plugins("processor"):
            raise PluginError(
                f"documents.processors has {mime!r}, but no plugin for it is installed; install it or leave it out"
            )
    for family in TABLE:
        seen: dict[str, str] = {}
        for point in _plugins(family):
            who = f"the {family} plugin {point.name!r} ({point.value})"
            if point.name in seen:
                raise PluginError(f"{who} has the key of another one ({seen[point.name]}); remove one of them")
            seen[point.name] = point.value
            if point.name in TABLE[family] and not (family == "processor" and point.name in replaced):
                choice = f", or choose it with --set documents.processors={point.name}" if family == "processor" else ""
                raise PluginError(f"{who} has a key of ours, so it would never be asked; remove it{choice}")


def choose(family: str, key: str, replaced: bool = False) -> Any:
    """Import and return the class a key stands for; that of a plugin where ours is `replaced`."""
    row = None if replaced else TABLE[family].get(key)
    if row is not None:
        module, _, name = row.partition(":")
        try:
            return getattr(import_module(module), name)
        except ModuleNotFoundError as error:
            raise _not_installed(family, key, error) from error
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


def import_ours(*families: str) -> None:
    """Import all of ours of some families, so that processes forked from now on share them."""
    for family in families:
        for row in TABLE[family].values():
            import_module(row.partition(":")[0])


def located(uri: str, directory: Path, knob: str) -> Location:
    """Take the URI of a store apart: `scheme:path` is below the crawl's directory, `scheme://...` is elsewhere."""
    scheme, colon, path = uri.partition(":")
    if not colon or not path.strip("/"):
        raise ConfigError(f"{knob} is {uri!r}, which is no store; write it like rocksdb:frontier")
    return Location(scheme, None if path.startswith("//") else directory / path, uri)


def named(family: str, key: str, replaced: bool = False) -> str:
    """Return what a key that can be chosen stands for, as `module:class`, for another process to import."""
    row = None if replaced else TABLE[family].get(key)
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
    """Refuse a plugin that does not look like its joint: something missing, of the other colour, or with other arguments."""
    joint = JOINTS[family]
    for name, ours in inspect.getmembers(joint):
        if name.startswith("_") or not (inspect.isroutine(ours) or isinstance(ours, property)):
            continue
        fault = _fault(name, ours, getattr(chosen, name, None))
        if fault:
            raise _misfit(family, key, value, fault)
    if not hasattr(joint, "open") and not _takes(chosen, wanted := parameters_of(joint)):
        raise _misfit(family, key, value, f"cannot be built with ({', '.join(wanted)})")


def _fault(name: str, ours: Any, theirs: Any) -> str:
    """Say what is wrong with a plugin's method or attribute; nothing, if it looks like the joint's."""
    if isinstance(ours, property):
        return "" if theirs is not None else f"has no attribute {name} in its class"
    if not callable(theirs):
        return f"has no method {name}"
    if inspect.iscoroutinefunction(ours) != inspect.iscoroutinefunction(theirs):
        return f"has a method {name} that should {'' if inspect.iscoroutinefunction(ours) else 'not '}be async"
    wanted = parameters_of(ours)
    return "" if _takes(theirs, wanted) else f"has a method {name} that should take ({', '.join(wanted)})"


def parameters_of(ours: Any) -> dict[str, inspect.Parameter]:
    """Return what something of a joint is called with; a protocol cannot be built, so its constructor is looked at."""
    if inspect.isclass(ours):
        return {name: each for name, each in parameters_of(ours.__init__).items() if name != "self"}
    return dict(inspect.signature(ours).parameters)


def _takes(theirs: Any, wanted: Mapping[str, inspect.Parameter]) -> bool:
    """Tell whether something can be called like that: by place, and by name what has only a name."""
    named = {name: None for name, each in wanted.items() if each.kind is inspect.Parameter.KEYWORD_ONLY}
    try:
        inspect.signature(theirs).bind(*[None] * (len(wanted) - len(named)), **named)
    except TypeError:
        return False
    return True


def _not_installed(family: str, key: str, error: ModuleNotFoundError) -> Exception:
    """Return what to raise when a row of ours needs a package that is not there."""
    package = (error.name or "").partition(".")[0]
    if family not in EXTRAS or package in ("", "gossamer"):
        return error
    return PluginError(f"the {family} {key!r} needs {package}, which is not installed: pip install gossamer[{EXTRAS[family]}]")


def _misfit(family: str, key: str, value: str, fault: str) -> PluginError:
    return PluginError(
        f"the {family} plugin {key!r} ({value}) {fault}; run the checker gossamer.testing.{family} on it (docs/plugins.md)"
    )
