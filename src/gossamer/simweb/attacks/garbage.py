"""Garbage: other protocols, no protocol, half a head, and connections that end in the middle of everything."""

import random

from gossamer.simweb.attacks.attack import Attack, ExpectedEnd, head, page, resetting, saying

_RUBBISH = {
    "garbage-bytes": random.Random(1).randbytes(100_000),
    "garbage-zeros": bytes(1_000_000),
    "garbage-ssh": b"SSH-2.0-OpenSSH_9.9\r\n",
    "garbage-mail": b"220 mail.attack.sim ESMTP\r\n",
    "garbage-icy": b"ICY 200 OK\r\n\r\nhello",
    "garbage-tls": b"\x15\x03\x01\x00\x02\x02\x28",
    "garbage-page": page(),  # HTTP/0.9, as its author would say
    "garbage-version": b"HTTP/9.9 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    "garbage-blank": b"\r\n\r\n\r\n",
    "closed": b"",
    "closed-in-status": b"HTTP/1.1 20",
    "closed-in-head": b"HTTP/1.1 200 OK\r\nContent-Type: text/ht",
    "closed-after-interim": b"HTTP/1.1 100 Continue\r\n\r\n",
}


def attacks() -> list[Attack]:
    """List the attacks of this family."""
    refused = (ExpectedEnd("/", "protocol_error", status=0),)
    rubbish = [Attack(name, saying(raw, close=True), refused) for name, raw in _RUBBISH.items()]
    return [
        *rubbish,
        Attack("reset", resetting(), (ExpectedEnd("/", "connect_failed", status=0),)),
        Attack("reset-in-head", resetting(b"HTTP/1.1 200 OK\r\nContent-Ty"), refused),
        Attack(
            "reset-in-body",
            resetting(head("Content-Length: 5000") + page(title="reset")),
            (ExpectedEnd("/", truncated="disconnect"),),
        ),
    ]
