"""Lies: lengths, types and codings that are not what they say, and an answer smuggled in behind a length."""

import gzip
import random

from gossamer.simweb.attacks.attack import (
    Attack,
    ExpectedEnd,
    Voice,
    falling_silent,
    head,
    page,
    resetting,
    routing,
    saying,
    whole,
)

_PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 64
_FAKE = whole(b"smuggled\n", status="404 Not Found")
_GZIP = "Content-Encoding: gzip"


def attacks() -> list[Attack]:
    """List the attacks of this family."""
    return [*_lengths(), *_types(), *_codings()]


def _lengths() -> list[Attack]:
    short = head("Content-Length: 60") + page(title="length-too-short" * 4)
    return [
        Attack("length-too-long", saying(_long("length-too-long"), close=True), (ExpectedEnd("/", truncated="disconnect"),)),
        Attack("length-never-met", falling_silent(_long("length-never-met")), (ExpectedEnd("/", truncated="time"),)),
        Attack("length-too-short", saying(short), (ExpectedEnd("/"),)),
        Attack(
            "length-overflow",
            saying(head(f"Content-Length: {'9' * 40}") + page(title="overflow"), close=True),
            (ExpectedEnd("/"),),
        ),
        # Whoever takes the second answer for that to the next request finds the next page gone.
        Attack("smuggled", _leading("smuggled", whole(_page("smuggled")) + _FAKE), (ExpectedEnd("/"), ExpectedEnd("/next"))),
    ]


def _types() -> list[Attack]:
    charset = whole(_page("type-charset"), mime="text/html; charset=\x01no-such-charset")
    return [
        Attack("type-image", saying(whole(_page("type-image"), mime="image/png")), (ExpectedEnd("/"),)),
        Attack("type-page", saying(whole(_PNG)), (ExpectedEnd("/"),)),
        Attack("type-charset", _leading("type-charset", charset), (ExpectedEnd("/"), ExpectedEnd("/next"))),
        Attack("type-sitemap", saying(whole(b"<urlset>" + _PNG, mime="application/xml")), (ExpectedEnd("/"),)),
        Attack("type-pdf", saying(whole(b"%PDF-1.7\n" + _PNG, mime="application/pdf")), (ExpectedEnd("/"),)),
    ]


def _codings() -> list[Attack]:
    """Say gzip, and send something else, or half of it; what can be read leads to the next page."""
    cut, broken, lost = (_packed(name) for name in ("coding-cut", "coding-broken", "coding-reset"))
    at = len(broken) - 1500
    roots: dict[str, bytes | Voice] = {
        "coding-unknown": whole(_page("coding-unknown"), "Content-Encoding: rot13"),
        "coding-none": whole(_page("coding-none"), _GZIP),
        "coding-cut": whole(cut[:-2000], _GZIP),
        "coding-broken": whole(broken[:at] + b"\xff" * 100 + broken[at + 100 :], _GZIP),
        "coding-reset": resetting(head(_GZIP, f"Content-Length: {len(lost)}") + lost[:-2000]),
    }
    return [Attack(name, _leading(name, root), (_first(name), ExpectedEnd("/next"))) for name, root in roots.items()]


def _first(name: str) -> ExpectedEnd:
    return ExpectedEnd("/", truncated="disconnect" if name == "coding-reset" else "")


def _page(name: str) -> bytes:
    return page("/next", title=name)


def _long(name: str) -> bytes:
    return head("Content-Length: 5000") + page(title=name)


def _packed(name: str) -> bytes:
    """Pack a page with so much noise behind it that the end can be lost."""
    return gzip.compress(_page(name) + random.Random(name).randbytes(4000).hex().encode())


def _leading(name: str, root: bytes | Voice) -> Voice:
    """Answer at the root with something that leads to a plain page, if it can be read."""
    return routing({"/": root, "/next": whole(page(title=f"behind {name}"))})
