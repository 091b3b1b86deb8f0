"""What a crawl runs beside gossamer's own code: scripts and plugins. They are checked and named before it begins.

A script is remembered with its crawl by path and digest: `resume` reads it from there, and says when it has changed.
"""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path

from gossamer.assemble import read_script, reader_sources, readers_of
from gossamer.config.sections import Settings
from gossamer.readers.scripts.travel import ReaderRule
from gossamer.registry import plugins, refuse_ignored

_BY_URI = ("frontier", "kv", "archive", "catalog", "graph", "chronicle")


def with_whole_paths(settings: Settings) -> Settings:
    """Return settings whose scripts are found from any directory."""
    scripts = tuple(str(Path(path).resolve()) for path in settings.documents.scripts)
    documents = settings.documents.model_copy(update={"scripts": scripts})
    return settings.model_copy(update={"documents": documents}) if scripts else settings


def check_extensions(settings: Settings) -> tuple[ReaderRule, ...]:
    """Return the readers of a crawl; raise a `PluginError` for whatever would be ignored, is missing, or cannot be loaded."""
    refuse_ignored(settings.documents.processors)
    return readers_of(reader_sources(settings))


def script_digests(settings: Settings) -> dict[str, str]:
    """Return the digests of a crawl's scripts, by path."""
    return {path: sha256(read_script(Path(path))).hexdigest() for path in settings.documents.scripts}


def told_of(settings: Settings, remembered: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Name readers and plugins in force, and scripts that are not what they were when the crawl began."""
    for rule in check_extensions(settings):
        yield "reader", str(rule)
    for path, digest in script_digests(settings).items():
        if remembered.get(path, digest) != digest:
            yield "script", f"{path} has changed since the crawl began; what is fetched from now on is read by it as it is"
    storage = settings.storage
    uris = (settings.frontier.uri, storage.kv, storage.archive, storage.catalog, storage.graph, storage.chronicle)
    chosen = {family: uri.partition(":")[0] for family, uri in zip(_BY_URI, uris, strict=True)}
    for family in (*_BY_URI, "fetcher", "processor", "filter", "scorer"):
        for name, value in plugins(family).items():
            if chosen.get(family, name) == name:
                yield "plugin", f"{family} {name} ({value})"
