"""Sockets that know when their bytes arrived: the kernel's time, not that of whoever reads them.

On a busy machine a server looks late, and sees requests close together that came well apart. A ledger that is to judge a
crawler's pace there must not count its own lateness. Linux notes the arrival with every read (SO_TIMESTAMPNS, socket(7)).
"""

import socket
import struct
from time import monotonic, time

_TIMESTAMPNS = 35  # SO_TIMESTAMPNS: Python has no name for it
_SPEC = struct.Struct("qq")
_AT_ONCE = 0.0005  # seconds within which two clocks are read


def arrival_of_last_read() -> float:
    """Return when the last bytes that any stamped socket gave had arrived, on the monotonic clock; now, if there is none."""
    return StampedSocket.arrived or monotonic()


class StampedSocket(socket.socket):
    """A connection that notes when its bytes arrived: whoever is handed them looks at once, so it is noted for all together."""

    arrived = 0.0

    def recv(self, size: int, flags: int = 0) -> bytes:
        """Read, and note when the bytes arrived."""
        data, notes, *_ = self.recvmsg(size, socket.CMSG_SPACE(_SPEC.size), flags)
        for level, kind, stamp in notes:
            if level == socket.SOL_SOCKET and kind == _TIMESTAMPNS:
                seconds, nanoseconds = _SPEC.unpack(stamp)
                StampedSocket.arrived = seconds + nanoseconds / 1e9 - _ahead()
        return data


def _ahead() -> float:
    """Return how far the wall clock is ahead of the monotonic one, read so that nobody came between."""
    while True:
        before, wall, after = monotonic(), time(), monotonic()
        if after - before < _AT_ONCE:
            return wall - after


class StampedListener(socket.socket):
    """A listening socket whose connections are stamped; for a loop that reads through Python's sockets, as asyncio's own."""

    def accept(self) -> tuple[socket.socket, object]:
        """Accept a connection."""
        descriptor, address = self._accept()  # type: ignore[attr-defined]  # typeshed leaves it out
        connection = StampedSocket(self.family, self.type, self.proto, fileno=descriptor)
        connection.setsockopt(socket.SOL_SOCKET, _TIMESTAMPNS, 1)
        connection.setblocking(False)
        return connection, address
