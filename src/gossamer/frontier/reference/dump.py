"""A checkpoint of the reference frontier: all of it in one file of MessagePack."""

from pathlib import Path

from msgspec import DecodeError, Struct
from msgspec.msgpack import Decoder, Encoder
from msgspec.structs import replace

from gossamer.errors import StoreError
from gossamer.frontier.reference.accounts import Accounts
from gossamer.frontier.reference.model import ModelUrl
from gossamer.records.host import HostClock, HostPolicy

NAME = "frontier.msgpack"


class Saved(Struct):
    """A host in a dump."""

    number: int
    policy: HostPolicy
    clock: HostClock
    recent: str  # of the clock: MessagePack has no integers of 100 bits


class Dump(Struct):
    """All that a reference frontier knows."""

    urls: list[ModelUrl]
    hosts: dict[str, Saved]
    later: set[str]  # keys of the URLs that wait for a date
    sequence: int
    count: int  # of leases ever given
    accounts: Accounts | None = None


def saved(number: int, policy: HostPolicy, clock: HostClock) -> Saved:
    """Return a host as it is written."""
    return Saved(number, policy, replace(clock, recent=0), str(clock.recent))


def encode(dump: Dump) -> bytes:
    """Return a dump as `read` finds it again in a file called `NAME`."""
    return Encoder().encode(dump)


def read(source: Path) -> Dump:
    """Read the dump in a directory."""
    try:
        return Decoder(Dump).decode((source / NAME).read_bytes())
    except (OSError, DecodeError, UnicodeDecodeError) as problem:
        raise StoreError(f"no checkpoint can be read in {source}: {problem}") from problem
