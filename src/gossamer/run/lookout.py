"""The lookout: what may change around a running crawl, looked at once a second: list files and the free space of the disk."""

import shutil
from pathlib import Path

from gossamer.config.sections import CrawlSettings
from gossamer.errors import ConfigError
from gossamer.run.lists import Lists
from gossamer.visit.admit import LinkJudge
from gossamer.watch.events import Events, ListsRead, Paused, Resumed, Trouble

LOOK_AROUND = 1.0  # seconds between two looks


class Lookout:
    """Reads changed list files and watches the disk."""

    def __init__(self, lists: Lists, admission: LinkJudge, settings: CrawlSettings, directory: Path, events: Events) -> None:
        self._lists = lists
        self._admission = admission
        self.floor = settings.free_disk
        self._directory = directory
        self._events = events
        self._looked = 0.0
        self.short_of_disk = False

    def adopt(self, settings: CrawlSettings) -> None:
        """Go by another floor for the disk from now on."""
        self.floor = settings.free_disk

    def look(self, now: float) -> bool:
        """Look around, unless that was done less than a second ago; return whether it was time."""
        if now - self._looked < LOOK_AROUND:
            return False
        self._looked = now
        try:
            scope = self._lists.refreshed(self._admission.scope)
            if scope is not self._admission.scope:
                self._admission.scope = scope
                self._events.publish(ListsRead())
        except ConfigError as error:
            self._events.publish(Trouble(f"{error}; the crawl goes on with the list as it was"))
        self._watch_disk()
        return True

    def _watch_disk(self) -> None:
        free = shutil.disk_usage(self._directory).free
        short = free < self.floor
        if short and not self.short_of_disk:
            self._events.publish(
                Paused(f"only {free} bytes are free, crawl.free_disk asks for {self.floor}; make room to go on", "disk")
            )
        elif self.short_of_disk and not short:
            self._events.publish(Resumed("disk"))
        self.short_of_disk = short
