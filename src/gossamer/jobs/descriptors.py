"""File descriptors: as many as the system gives, and no more visits at once than they are enough for.

A visit under way holds a connection, and a file when its body is long, and another while that is packed; connections are kept
for the next visit. The stores, the log and the sockets of the crawl itself need a fixed number.
"""

import resource

from gossamer.config.sections import Settings

OWN = 64  # what a crawl needs before its first visit, generously
PER_VISIT = 3
ENOUGH = 65_536  # more are not asked for


def raise_limit() -> int:
    """Raise the limit of this process as far as it may be; return it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = ENOUGH if hard == resource.RLIM_INFINITY else min(hard, ENOUGH)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        return wanted
    return soft if soft != resource.RLIM_INFINITY else ENOUGH


def fit(settings: Settings, limit: int) -> Settings:
    """Return the settings with as many visits at once, and connections kept, as a limit of descriptors allows."""
    visits = max((limit - OWN) // (PER_VISIT + 1), 1)
    crawl = settings.crawl.model_copy(update={"concurrency": min(settings.crawl.concurrency, visits)})
    kept = min(settings.fetch.connections, max(limit - OWN - PER_VISIT * crawl.concurrency, 1))
    return settings.model_copy(update={"crawl": crawl, "fetch": settings.fetch.model_copy(update={"connections": kept})})
