"""robots.txt as the attack: silent, slow, broken, endless, packed, moved to where nobody may go, or full of patterns."""

import gzip

from gossamer.simweb.attacks.attack import (
    DOMAIN,
    Attack,
    ExpectedEnd,
    Voice,
    falling_silent,
    head,
    page,
    repeating,
    resetting,
    routing,
    saying,
    whole,
)
from gossamer.simweb.attacks.bombs import gzip_bomb

_READ = 500 * 1024  # what RFC 9309 asks a crawler to read
_RULES = b"User-agent: *\nDisallow: /no\n"
_JUNK = b"Disallow: /junk-%d\n"
_PLAIN = "text/plain"
_DENIED = "robots_denied"  # a server that answers but cannot give its robots.txt allows nothing (RFC 9309, 2.3.1.4)
_NOBODY = f"http://nobody.{DOMAIN}:1/"


def attacks() -> list[Attack]:
    """List the attacks of this family."""
    unreachable: dict[str, tuple[Voice, str]] = {
        "robots-silent": (falling_silent(), "timed_out"),
        "robots-slow": (repeating(head("Content-Length: 100000", mime=_PLAIN), b"Allow: /\n", 0.1), _DENIED),
        "robots-error": (saying(whole(b"", status="500 Internal Server Error")), _DENIED),
        "robots-reset": (resetting(head("Content-Length: 100000", mime=_PLAIN) + _RULES), _DENIED),
        "robots-garbage": (saying(b"\0\1\2\3" * 1000, close=True), "protocol_error"),
        "robots-closed": (saying(b"", close=True), "protocol_error"),
    }
    return [
        *(
            Attack(name, _site(name), (ExpectedEnd("/", outcome, status=0, asked=False),), robots=robots)
            for name, (robots, outcome) in unreachable.items()
        ),
        *(Attack(name, _site(name), _obeyed(), robots=robots) for name, robots in _readable().items()),
        *(Attack(name, _site(name), _ignored(), robots=robots) for name, robots in _unusable().items()),
        Attack(
            "robots-private",
            _site("private"),
            (ExpectedEnd("/", "address_refused", status=0),),
            robots=saying(_moved("http://10.2.0.1/r")),
        ),
        Attack(
            "robots-nobody",
            routing({"/": whole(page(_NOBODY, title="links to a port where nobody listens"))}),
            (ExpectedEnd("/"), ExpectedEnd(_NOBODY, "connect_failed", status=0, asked=False)),
        ),
    ]


def _site(name: str) -> Voice:
    plain: dict[str, bytes | Voice] = {path: whole(page(title=f"{path} {name}")) for path in ("/yes", "/no", "/late")}
    return routing({"/": whole(page("/yes", "/no", "/late", title=name)), **plain})


def _obeyed() -> tuple[ExpectedEnd, ...]:
    """The first rule is read; one beyond what has to be read is not."""
    return (
        ExpectedEnd("/"),
        ExpectedEnd("/yes"),
        ExpectedEnd("/late"),
        ExpectedEnd("/no", "robots_denied", rule="robots.txt", status=0),
    )


def _ignored() -> tuple[ExpectedEnd, ...]:
    return ExpectedEnd("/"), ExpectedEnd("/yes"), ExpectedEnd("/no"), ExpectedEnd("/late")


def _readable() -> dict[str, Voice]:
    junk = b"".join(_JUNK % number for number in range(_READ // 12))
    late = b"Disallow: /late\n"
    patterns = b"".join(b"Disallow: /%s$\n" % (b"*%x" % number * 40) for number in range(3000))
    return {
        "robots-huge": saying(whole(_RULES + junk + late, mime=_PLAIN)),
        "robots-endless": repeating(head("Connection: close", mime=_PLAIN) + _RULES, b"# endless\n" * 6000),
        "robots-bomb": saying(whole(gzip.compress(_RULES) + gzip_bomb(), "Content-Encoding: gzip", mime=_PLAIN)),
        "robots-line": saying(whole(_RULES + b"Disallow: /" + b"y" * 400_000 + b"\n", mime=_PLAIN)),
        "robots-patterns": saying(whole(_RULES + patterns, mime=_PLAIN)),
        "robots-controls": saying(whole(b"\xef\xbb\xbf\0\x1b[31m\r" + _RULES + b"\0Disallow: /\x01\xff\n", mime=_PLAIN)),
    }


def _unusable() -> dict[str, Voice]:
    return {
        "robots-circle": saying(_moved("/robots.txt")),
        "robots-binary": saying(whole(bytes(range(256)) * 400, mime="image/png")),
        "robots-page": saying(whole(page("/no"))),
        "robots-forbidden": saying(whole(b"", status="403 Forbidden")),
    }


def _moved(location: str) -> bytes:
    return whole(b"", f"Location: {location}", status="302 Found")
