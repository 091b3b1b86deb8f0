"""Words that nobody asked for: answers behind an answer, and before the first request, over TLS and without.

No byte that came before a request was sent is part of its answer. Whoever takes it for one keeps the words under the URL of
another page, and finds a link in them that must never be asked for. When a server speaks as soon as somebody connects, its
words and the first request may cross: then nobody can tell, and the words are as good an answer as a failure is.
"""

from gossamer.simweb.attacks.attack import PLAIN, Attack, Door, ExpectedEnd, Unasked, page, routing, whole

FORGED = "/forged"
_PATHS = ("/one", "/two", "/three")
_WORDS = whole(page(FORGED, title="words that nobody asked for"))
_GREETING = whole(page(title="words before the first request"))
_MOMENT = 0.05  # seconds; shorter than most delays
_GREETED = ("ok", "duplicate", "near_duplicate", "protocol_error", "connect_failed")


def attacks() -> list[Attack]:
    """List the attacks of this family."""
    return _family("unasked", tls=False)


def over_tls() -> list[Attack]:
    """List the same attacks over TLS."""
    return _family("tls", tls=True)


def _family(name: str, tls: bool) -> list[Attack]:
    door = PLAIN._replace(tls=tls)
    return [
        _attack(f"{name}-at-once", door, Unasked(_WORDS)),
        _attack(f"{name}-later", door, Unasked(_WORDS, _MOMENT)),
        _attack(f"{name}-first", door._replace(greeting=_GREETING), None),
    ]


def _attack(name: str, door: Door, unasked: Unasked | None) -> Attack:
    pages = {"/": whole(page(*_PATHS, title=name))} | {path: whole(page(title=f"{name}{path}")) for path in _PATHS}
    if unasked is None:
        return Attack(name, routing(dict(pages)), (ExpectedEnd("/", outcomes=_GREETED),), door=door)
    return Attack(name, routing(dict(pages)), tuple(map(ExpectedEnd, pages)), door=door, unasked=unasked)
