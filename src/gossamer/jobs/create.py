"""Make a crawl without running it: for programs, which run it when they like."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from gossamer.clock import SystemClock
from gossamer.config.load import load
from gossamer.jobs.begin import begin
from gossamer.jobs.extensions import with_whole_paths
from gossamer.jobs.seeds import read_seeds


def create_crawl(path: Path, seeds: Sequence[str], scripts: Sequence[str], settings: Mapping[str, object]) -> None:
    """Make the directory of a new crawl; settings by their dotted names, on top of the environment's."""
    given = {key: list(value) if isinstance(value, tuple) else value for key, value in settings.items()}
    loaded = with_whole_paths(load((), {**given, **({"documents.scripts": list(scripts)} if scripts else {})}))
    found = read_seeds([(f"seed {seed!r}", seed) for seed in seeds], skip_invalid=False)
    with begin(path, loaded, found.urls, SystemClock().now()):
        pass
