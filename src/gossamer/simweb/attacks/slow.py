"""Slowness: hosts that take all the time they are given, at the head, in the body, or at once."""

from gossamer.simweb.attacks.attack import Attack, ExpectedEnd, falling_silent, head, repeating

_PAUSE = 0.1  # fast enough that no reader thinks the server is gone


def attacks() -> list[Attack]:
    """List the attacks of this family."""
    timed_out = (ExpectedEnd("/", "timed_out", status=0),)
    kept = (ExpectedEnd("/", truncated="time"),)
    return [
        Attack("silent", falling_silent(), timed_out),
        Attack("slow-head", repeating(b"HTTP/1.1 200 OK\r\nX-Slow: ", b"y", _PAUSE), timed_out),
        Attack("slow-head-lines", repeating(b"HTTP/1.1 200 OK\r\n", b"X-Slow: y\r\n", _PAUSE), timed_out),
        Attack("silent-body", falling_silent(head("Content-Length: 100")), timed_out),
        Attack("slow-body", repeating(head("Content-Length: 100000"), b"<p>drop ", _PAUSE), kept),
        Attack("slow-body-without-length", repeating(head("Connection: close"), b"<p>drip ", _PAUSE), kept),
        Attack("slow-file", repeating(head("Connection: close", mime="video/mp4"), b"\0drop...", _PAUSE), kept),
        Attack("slow-chunks", repeating(head("Transfer-Encoding: chunked"), b"8\r\n<p>drap \r\n", _PAUSE), kept),
    ]
