from gossamer.frontier.schedule import PureHost as Host
from gossamer.records.host import HostClock, HostPolicy

__all__ = ["Host"]

def shared(policy: HostPolicy, clock: HostClock) -> None: ...
