"""Begin a crawl: a start that fails before the first URL is accepted takes back what it made, and nothing else.

A directory that was there stays, and so does everything that was in it or that is not a crawl's. Nothing is taken back from
under another process: whoever takes back holds the lock.
"""

import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from gossamer.assemble import make_admission
from gossamer.config.choice import remedy
from gossamer.config.sections import Settings
from gossamer.credentials import read_access
from gossamer.errors import ConfigError, CrawlError, CrawlReadOnly
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.extensions import check_extensions
from gossamer.registry import keys
from gossamer.url.parse import Url

BESIDE = ("-wal", "-shm", ".new", ".seal")  # what stands for a moment beside a file of ours


@contextmanager
def begin(
    path: Path, settings: Settings, seeds: Iterable[Url], now: float, secrets: Mapping[str, str] = {}
) -> Iterator[CrawlDirectory]:
    """Make a new crawl and let it run; the directory is as before if that fails while the crawl knows no URL."""
    _check_schemes(settings.scope.schemes)
    check_extensions(settings)
    make_admission(settings, ())  # refuses patterns that cannot be, before anything is made
    missing = [each for each in (path, *path.parents) if not each.exists()]
    before = {each.name for each in path.iterdir()} if path.is_dir() else set()
    try:
        directory = CrawlDirectory.create(path, settings, seeds, now, secrets)
    except CrawlReadOnly:
        _take_back(CrawlDirectory(path), settings, before, missing)
        raise
    try:
        read_access(settings)
        yield directory
    except BaseException:
        if not directory.has_urls:
            _take_back(directory, settings, before, missing)
        raise


def _check_schemes(schemes: Iterable[str]) -> None:
    """Refuse to begin with a scheme that nothing fetches; a crawl that has begun may be looked at without its plugins."""
    for scheme in schemes:
        if scheme not in keys("fetcher"):
            raise ConfigError(f"scope.schemes has {scheme!r}, which nothing fetches; {remedy(scheme, keys('fetcher'))}")


def _take_back(directory: CrawlDirectory, settings: Settings, before: set[str], missing: list[Path]) -> None:
    with suppress(CrawlError, OSError), directory.lock():  # somebody works on it, or it can be neither written nor cleared
        for each in sorted(directory.path.iterdir()):
            if each.name not in before and _is_ours(each.name, settings):
                shutil.rmtree(each) if each.is_dir() else each.unlink()
    for each in missing:  # the innermost first
        with suppress(OSError):  # somebody put something there
            each.rmdir()


def _is_ours(name: str, settings: Settings) -> bool:
    """Tell whether a crawl makes something of that name."""
    storage = settings.storage
    stores = (settings.frontier.uri, storage.kv, storage.catalog, storage.archive, storage.graph, storage.chronicle)
    made = {*CrawlDirectory.FILES, *(Path(uri.partition(":")[2]).parts[0] for uri in stores if uri.partition(":")[2])}
    return name in made or any(name == f"{each}{end}" for each in made for end in BESIDE)
