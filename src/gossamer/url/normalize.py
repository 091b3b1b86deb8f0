"""The key of a URL: two URLs with the same key are the same page, and the second one is not fetched.

The wire form already has what every parser agrees on (lower-case scheme and host, no default port, no dot segments: WHATWG;
section 6.2.2 of RFC 3986). The rules here go further and lose something on purpose, so they touch the key only; each is one
small function and can be switched off.

Invariants: a key is a URL, and its own key: `key(parse(key(url))) == key(url)`. Rules apply to http, https and ftp; what they
know about paths and queries does not hold elsewhere, and the key of any other URL is its wire form. No rule can merge two
URLs by accident of spelling: an encoded reserved character stays apart from a bare one, and a stray `%` never completes
an escape. Scheme and host never change.

Two rules of the list have little to do, because a wire URL has neither default port nor fragment: switched off, the one
writes every default port out, the other keeps the fragment of a URL that was parsed with one (a seed).

The kept lists are names that many sites use for nothing but following visitors around or keeping a session.
"""

import re
from functools import lru_cache, partial

from gossamer.url.parse import Url

DEFAULT_PORTS = {"http": 80, "https": 443, "ftp": 21}

TRACKING_PREFIXES = ("utm_", "hsa_", "mtm_", "pk_", "piwik_", "matomo_", "oly_")
TRACKING = frozenset(
    """
    _branch_match_id _bta_c _bta_tid _ga _gl _hsenc _hsmi _ke _kx _openstat dclid dm_i ef_id epik fb_action_ids
    fb_action_types fb_ref fb_source fbclid gad_source gbraid gclid gclsrc gdffi gdfms gdftrk hsctatracking igsh igshid
    irclickid li_fat_id mc_cid mc_eid mkcid mkevt mkrid mkt_tok mkwid ml_subscriber ml_subscriber_hash msclkid
    rb_clickid redirect_log_mongo_id redirect_mongo_id s_cid s_kwcid sb_referer_host srsltid trk_contact trk_module
    trk_msg trk_sid ttclid twclid vero_conv vero_id wbraid wickedid yclid ymclid zanpid
    """.split()  # noqa: SIM905 - easier to keep as words
)
SESSION = frozenset(
    """
    aspsessionid asp.net_sessionid cfid cftoken jservsessionid jsessionid oscsid osessid php_sessid phpsessid
    s_id sess_id sessid session_id sessionid sid sidsess weborasid zenid
    """.split()  # noqa: SIM905 - easier to keep as words
)

NEEDLESS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")  # RFC 3986, 2.3: unreserved
DECODED = {
    code: chr(int(code, 16)) if chr(int(code, 16)) in NEEDLESS else f"%{code.upper()}"
    for code in (high + low for high in "0123456789abcdefABCDEF" for low in "0123456789abcdefABCDEF")
}
PATH_SESSION = re.compile(r";(?:" + "|".join(map(re.escape, sorted(SESSION))) + r")=[^;/]*", re.IGNORECASE)
DOT_SEGMENT = re.compile(r"/(?:\.|%2e){1,2}(?:/|$)", re.IGNORECASE)


class KeyRules:
    """The rules that are switched on, named like the knobs of the `key` section."""

    def __init__(
        self,
        *,
        sort_query: bool = True,
        drop_tracking: bool = True,
        drop_session: bool = True,
        drop_trailing_slash: bool = True,
        normalize_percent: bool = True,
        drop_empty_query: bool = True,
        drop_default_port: bool = True,
        drop_fragment: bool = True,
    ) -> None:
        self._sort = sort_query
        self._session = drop_session
        self._slash = drop_trailing_slash
        self._percent = normalize_percent
        self._empty = drop_empty_query
        self._fragment = drop_fragment
        self._with_port = not drop_default_port
        # The names of parameters repeat all through a crawl.
        self._is_dropped = lru_cache(maxsize=4096)(partial(is_dropped, tracking=drop_tracking, session=drop_session))

    def key(self, url: Url) -> str:
        """Return the key."""
        key, query = url.wire, url.query
        if query is not None:
            key = key[: -1 - len(query)]
        if "%" in key or ";" in key or (key[-1] == "/" and len(url.path) > 1) or self._with_port:
            key = self._head(key, url)
        if query is not None and (query := self._query(query, url.scheme)) is not None:
            key = f"{key}?{query}"
        return key if self._fragment else with_fragment(key, url.fragment)

    def _head(self, head: str, url: Url) -> str:
        path = url.path
        if url.scheme not in DEFAULT_PORTS:
            return head
        authority = head[: -len(path)]
        if self._with_port:
            authority = with_port(authority, url)
        if self._percent and "%" in path:
            path = normalize_percent(path)
        if self._session and ";" in path:
            path = drop_path_session(path)
        if self._slash:
            path = drop_trailing_slash(path)
        return authority + path

    def _query(self, query: str, scheme: str) -> str | None:
        if scheme not in DEFAULT_PORTS:
            return query
        if self._percent and "%" in query:
            query = normalize_percent(query)
        is_dropped = self._is_dropped
        pieces = [piece for piece in query.split("&") if not is_dropped(piece.partition("=")[0])]
        if self._empty and "" in pieces:
            pieces = drop_empty(pieces)
        if self._sort and len(pieces) > 1:
            pieces.sort()
        return "&".join(pieces) if pieces else None


def normalize_percent(text: str) -> str:
    """Decode what needs no percent-encoding; write the rest in upper case."""
    pieces = text.split("%")
    stray = False
    for index in range(1, len(pieces)):
        piece = pieces[index]
        # Right behind a stray "%" or "%A" nothing is decoded: it could complete an escape that nobody wrote.
        plain = None if stray else DECODED.get(piece[:2])
        pieces[index] = "%" + piece if plain is None else plain + piece[2:]
        stray = len(piece) < 2
    return "".join(pieces)


def drop_path_session(path: str) -> str:
    """Drop `;jsessionid=...` and its kind, unless a dot segment would be left, which a parser would resolve."""
    dropped = PATH_SESSION.sub("", path)
    return path if DOT_SEGMENT.search(dropped) else dropped


def drop_trailing_slash(path: str) -> str:
    """Make /a/ and /a one; the root stays."""
    return path.rstrip("/") or "/"


def is_dropped(name: str, *, tracking: bool, session: bool) -> bool:
    """Tell whether the parameter of that name, in any case, says nothing about the page."""
    name = name.lower()
    return (tracking and (name in TRACKING or name.startswith(TRACKING_PREFIXES))) or (session and name in SESSION)


def drop_empty(pieces: list[str]) -> list[str]:
    """Drop what stands between two `&` without a name or a value."""
    return [piece for piece in pieces if piece]


def with_port(authority: str, url: Url) -> str:
    """Write the default port out."""
    return authority if url.port is not None else f"{authority}:{DEFAULT_PORTS[url.scheme]}"


def with_fragment(key: str, fragment: str) -> str:
    """Keep the fragment, if there is one."""
    return f"{key}#{fragment}" if fragment else key
