"""What we did wrong, as one tree; what the web does wrong is an `Outcome`, never an exception.

    GossamerError           1   anything below that nobody told apart
    ├── UsageError          2   the command line or the configuration says something that makes no sense
    │   ├── ConfigError         an unknown key, a value out of range
    │   ├── UrlError            a text that is no URL
    │   ├── CursorError         a place in a list that this list never gave
    │   ├── NoSuchJob           a server has no crawl of that name
    │   ├── WhichJob            a server has several crawls, and none was named
    │   └── FixedSetting        a setting that a crawl that runs, or has begun, cannot change
    ├── CrawlError          3   the crawl's directory
    │   ├── NotACrawl           there is no crawl there
    │   ├── CrawlInUse          another process works on it
    │   ├── CrawlReadOnly       it cannot be written
    │   ├── CrawlSilent         whoever works on it does not answer
    │   │   └── CrawlEnded          it ended while it was asked
    │   ├── CrawlTooNew         a newer gossamer wrote it
    │   ├── NameTaken           there is another crawl of that name
    │   └── NotRunning          no process runs the crawl
    ├── StoreError          4   a store failed under us
    │   ├── DiskFull            no space left where the crawl keeps its state
    │   └── StoreAway           a store elsewhere cannot be reached now; a crawl waits for it
    ├── SpoolError          4   a temporary file cannot be written; in a crawl it costs its page some time
    ├── SinkError           1   a consumer of events has not taken them; it is told again
    │   └── ConsumerGone        and never will
    ├── TookTooLong         1   an answer that takes longer than its time; nothing was changed
    ├── CannotGoOn          1   something of ours fails again and again, and nothing gets done meanwhile
    └── PluginError         5   a plugin is missing or failed its checker
        └── ScriptError         a script cannot be loaded, or is missing

The message is one sentence: what, which one, what to do. `exit_code` is what the command line exits with. A run that met none
of these ends with 0 (done), 6 (all that waits is paused or blocked), 7 (the end, and nothing was kept) or 130 (interrupted).

A running crawl is ended by what `ENDING` names; anything else that is raised is a bug of ours, and costs what it struck
(docs/decisions/0013).
"""


class GossamerError(Exception):
    """Anything gossamer did wrong or cannot do."""

    exit_code = 1


class UsageError(GossamerError):
    """The caller asked for something that makes no sense."""

    exit_code = 2


class ConfigError(UsageError):
    """A configuration key is unknown or its value is out of range."""


class UrlError(UsageError):
    """A text is not a URL."""


class CursorError(UsageError):
    """A cursor that this question, with these filters, never gave."""


class FixedSetting(UsageError):
    """A setting that cannot be changed, while a crawl runs or at all."""


class NoSuchJob(UsageError):
    """There is no crawl of that name at the server."""


class WhichJob(UsageError):
    """There are several crawls at the server, and none was named."""


class CrawlError(GossamerError):
    """A crawl's directory cannot be used."""

    exit_code = 3


class NotACrawl(CrawlError):
    """There is no crawl in that directory."""


class CrawlInUse(CrawlError):
    """Another process works on that directory."""


class CrawlReadOnly(CrawlError):
    """The directory cannot be written."""


class CrawlSilent(CrawlError):
    """Whoever works on the crawl does not answer."""


class CrawlEnded(CrawlSilent):
    """Whoever worked on the crawl has ended; what was asked was done or not."""


class CrawlTooNew(CrawlError):
    """A newer gossamer wrote the directory."""


class NameTaken(CrawlError):
    """There is something of that name already."""


class NotRunning(CrawlError):
    """No process runs the crawl, so there is nothing to stop."""


class StoreError(GossamerError):
    """A store failed under us."""

    exit_code = 4


class DiskFull(StoreError):
    """No space is left where the crawl keeps its state."""


class StoreAway(StoreError):
    """A store elsewhere cannot be reached now: what was asked of it may have happened or not, and may be asked again."""


class SpoolError(GossamerError):
    """A temporary file cannot be written."""

    exit_code = 4


class SinkError(GossamerError):
    """A consumer of events has not acknowledged some; they are sent again."""


class ConsumerGone(SinkError):
    """A consumer of events has gone for good: nobody reads our output any more."""


class TookTooLong(GossamerError):
    """An answer could not be had in the time that a question may take."""


class CannotGoOn(GossamerError):
    """Something of ours fails again and again, and nothing gets done meanwhile."""


class PluginError(GossamerError):
    """A plugin is missing or failed its checker."""

    exit_code = 5


class ScriptError(PluginError):
    """A script cannot be loaded, or is missing."""


ENDING = (StoreError, CrawlError, CannotGoOn)
NOT_LOST = "nothing that was done is lost; the traces are in crawl.log, and gossamer resume goes on"  # after a bug of ours
