"""When readers are left alone because they are late: for a host whose pages take them too long, and for all when it is theirs.

A page may be made to take long, so one host says nothing about the others; late for pages of several hosts in a row, and it is
the script. Without a rest the visits that wait would outlive their leases.
"""

MOST_LATE = 3  # pages in a row of a host, or hosts in a row
REST = 60.0  # seconds after so many


class Lateness:
    """Counts pages for which readers were late."""

    def __init__(self) -> None:
        self._pages: dict[str, int] = {}  # in a row, by host
        self._hosts: set[str] = set()  # since readers were last in time
        self._host_rests: dict[str, float] = {}  # until when
        self._rests_until = 0.0

    def rests(self, host: str, now: float) -> bool:
        """Tell whether readers are left alone with a page of a host."""
        return now < self._rests_until or now < self._host_rests.get(host, 0.0)

    def note(self, host: str, is_late: bool, now: float) -> None:
        """Take note of how readers did with a page of a host."""
        if not is_late:
            self._hosts.clear()
            self._pages.pop(host, None)
            self._host_rests.pop(host, None)
            return
        self._hosts.add(host)
        self._pages[host] = self._pages.get(host, 0) + 1
        if self._pages[host] >= MOST_LATE:
            del self._pages[host]
            self._host_rests[host] = now + REST
        if len(self._hosts) >= MOST_LATE:
            self._hosts.clear()
            self._rests_until = now + REST
