"""The visits that a worker has under way: by the token of their lease, and how many at each host.

Who visits a host is asked for every lease of a host with several connections, so nobody looks through all leases for it.
"""

from collections import Counter

from gossamer.records.lease import Lease


class VisitsUnderWay:
    """Leases that were given to a worker and have not ended, oldest first."""

    def __init__(self) -> None:
        self._leases: dict[int, Lease] = {}
        self._hosts: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._leases)

    @property
    def oldest(self) -> Lease | None:
        """The lease that was given first."""
        return next(iter(self._leases.values()), None)

    def get(self, token: int) -> Lease | None:
        """Return the lease of a visit that has not ended."""
        return self._leases.get(token)

    def visits(self, host: str) -> bool:
        """Tell whether a visit of that host has not ended."""
        return host in self._hosts

    def add(self, lease: Lease) -> None:
        """Begin a visit."""
        self._leases[lease.token] = lease
        self._hosts[lease.entry.host] += 1

    def end(self, token: int) -> None:
        """End a visit; a second time changes nothing."""
        lease = self._leases.pop(token, None)
        if lease is not None:
            host, hosts = lease.entry.host, self._hosts
            hosts[host] -= 1
            if not hosts[host]:
                del hosts[host]

    def end_expired(self, now: float) -> None:
        """End the visits whose leases have run out: the frontier has given them to somebody else."""
        for token in [token for token, lease in self._leases.items() if lease.until <= now]:
            self.end(token)

    def end_all(self) -> int:
        """End every visit; return how many there were."""
        count = len(self._leases)
        self._leases.clear()
        self._hosts.clear()
        return count
