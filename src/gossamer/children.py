"""Processes of our own at the other end of a socket: how one is started, what a message to it looks like, how it ends with us.

A message is its length in four bytes, big-endian, then so many bytes. A child is connected by a socket that nobody else has, in
a session of its own (Ctrl-C is for the parent), and the kernel ends it when its parent ends, however that ends.
"""

import ctypes
import signal
import socket
import subprocess
from collections.abc import Sequence

LENGTH = 4  # bytes before a message
PIECE = 1024 * 1024  # bytes taken from a socket at once

_PARENT_DEATH_SIGNAL = 1  # an option of prctl(2)


def start(program: Sequence[str], *, silent: bool) -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """Start a program with the descriptor of a socket as its last argument; return our end of it, and the process.

    The thread that calls this must live as long as the child shall: the kernel counts the thread as the parent.
    """
    ours, theirs = socket.socketpair()
    with theirs:
        try:
            process = subprocess.Popen(
                [*program, str(theirs.fileno())],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL if silent else None,
                start_new_session=True,
            )
        except BaseException:
            ours.close()
            raise
    return ours, process


def end_with_parent() -> None:
    """Have the kernel end this process when its parent is gone."""
    ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)


def stop_with_parent() -> None:
    """Have the kernel ask this process to stop when its parent is gone."""
    ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGTERM)


def framed(message: bytes) -> bytes:
    """Return a message as it is sent."""
    return len(message).to_bytes(LENGTH, "big") + message


def receive(connection: socket.socket) -> bytes:
    """Wait for a message; raise `EOFError` when the other end is gone."""
    return exactly(connection, int.from_bytes(exactly(connection, LENGTH), "big"))


def exactly(connection: socket.socket, length: int) -> bytes:
    """Wait for so many bytes; raise `EOFError` when the other end is gone."""
    received = bytearray()
    while len(received) < length:
        piece = connection.recv(min(length - len(received), PIECE))
        if not piece:
            raise EOFError
        received += piece
    return bytes(received)
