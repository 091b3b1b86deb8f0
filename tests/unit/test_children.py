"""Children: a program gets its end of a socket, messages arrive whole, and the end of the other side is noticed."""

import socket
import sys
from threading import Thread

import pytest

from gossamer.children import PIECE, framed, receive, start

ECHO = (
    "import socket, sys; from gossamer.children import framed, receive;"
    "end = socket.socket(fileno=int(sys.argv[1])); end.sendall(framed(receive(end)[::-1]))"
)


def test_a_message_longer_than_a_piece_arrives_whole() -> None:
    ours, theirs = socket.socketpair()
    message = bytes(range(256)) * (2 * PIECE // 256) + b"end"
    with ours, theirs:
        sending = Thread(target=lambda: [ours.sendall(framed(message)), ours.sendall(framed(b""))])
        sending.start()
        assert (receive(theirs), receive(theirs)) == (message, b"")
        sending.join()


@pytest.mark.parametrize("sent", [b"", b"\0\0", b"\0\0\0\x05half"])
def test_the_end_of_the_other_side_is_no_message(sent: bytes) -> None:
    ours, theirs = socket.socketpair()
    with theirs:
        with ours:
            ours.sendall(sent)
        with pytest.raises(EOFError):
            receive(theirs)


def test_a_program_is_connected_to_whoever_starts_it() -> None:
    ours, process = start((sys.executable, "-P", "-c", ECHO), silent=False)
    with ours:
        ours.sendall(framed(b"abc"))
        assert receive(ours) == b"cba"
    assert process.wait() == 0


def test_a_program_that_cannot_be_started_leaves_no_socket_open(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs: list[tuple[socket.socket, socket.socket]] = []
    made = socket.socketpair
    monkeypatch.setattr("gossamer.children.socket.socketpair", lambda: pairs.append(made()) or pairs[-1])
    with pytest.raises(FileNotFoundError):
        start(("/nowhere/python",), silent=True)
    assert [end.fileno() for end in pairs[0]] == [-1, -1]
