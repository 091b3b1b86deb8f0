"""Who asks: tokens, and the sessions that browsers have traded them for.

A token comes with each request (`Authorization: Bearer`), or once, for a session: a cookie that no script can read and no
other site can send. A session has the scope of its token and ends with it, after twelve hours, or when it is deleted. Sessions
and the token of this start are in memory alone, so that both end with the server. What is compared are digests, all of them, in
constant time.
"""

from hmac import compare_digest

from msgspec import Struct

from gossamer.api.rates import Failures
from gossamer.clock import Clock
from gossamer.jobs.tokens import SCOPES, START, Token, TokenFile, TokenScope, digest_of, new_text

SESSION = 12 * 3600.0  # seconds
SESSIONS = 1_000  # at once; the oldest ends when there are more


class Identity(Struct, frozen=True, kw_only=True):
    """Who asks, and what they may do."""

    name: str
    scope: TokenScope
    digest: str  # of the token
    expires: float | None = None
    session: str = ""  # digest of the session; empty: the token itself came with the request

    def may(self, scope: str) -> bool:
        """Tell whether this is enough for a scope."""
        return SCOPES.index(self.scope) >= SCOPES.index(scope)


class Porter:
    """Knows tokens and sessions."""

    def __init__(self, tokens: TokenFile, clock: Clock) -> None:
        self.start = new_text()  # the token of this start
        self.tokens = tokens
        self.clock = clock
        self.failures = Failures()
        self._start = Token(name=START, scope="admin", digest=digest_of(self.start), created=clock.now())
        self._sessions: dict[str, Identity] = {}
        self.last_used: dict[str, float] = {}  # by the name of a token

    def by_token(self, text: str) -> Identity | None:
        """Return whose token this is; None: nobody's, or it has expired."""
        return self._by_digest(digest_of(text))

    def by_session(self, text: str) -> Identity | None:
        """Return whose session this is; None: it is over."""
        session = digest_of(text)
        known = self._sessions.get(session)
        return known if known is not None and self.is_good(known) else None

    def open_session(self, identity: Identity) -> tuple[str, Identity]:
        """Begin a session; return the text of its cookie."""
        text, until = new_text(), self.clock.now() + SESSION
        expires = until if identity.expires is None else min(until, identity.expires)
        session = Identity(
            name=identity.name, scope=identity.scope, digest=identity.digest, expires=expires, session=digest_of(text)
        )
        while len(self._sessions) >= SESSIONS:
            self._sessions.pop(next(iter(self._sessions)))
        self._sessions[session.session] = session
        return text, session

    def close_session(self, identity: Identity) -> None:
        """End a session."""
        self._sessions.pop(identity.session, None)

    def is_good(self, identity: Identity) -> bool:
        """Tell whether somebody who was let in still may: token and session have not ended meanwhile."""
        if identity.expires is not None and identity.expires <= self.clock.now():
            return False
        if identity.session and identity.session not in self._sessions:
            return False
        return self._by_digest(identity.digest) is not None

    def _by_digest(self, digest: str) -> Identity | None:
        found = None
        for token in (self._start, *self.tokens.all()):
            if compare_digest(token.digest, digest):
                found = token
        if found is None or (found.expires is not None and found.expires <= self.clock.now()):
            return None
        self.last_used[found.name] = self.clock.now()
        return Identity(name=found.name, scope=found.scope, digest=found.digest, expires=found.expires)
