"""Vocabulary: the words that an application uses in its URLs, as against the names of what it shows.

`/repo/tree/setup.py` and `/repo/log/setup.py` are two views of one thing: `tree` and `log` are words of the application, few
and repeated, while `setup.py` is a name, one of many. Nobody has a list of them; they are learned by host from where words
stand: in one folder of a path, or as the value of one parameter (`do=edit`). A place with more than sixteen words that are
repeated has names in it. So has one that a maze fills with ever new words: each of them comes once or twice and is forgotten.

What is learned names a narrower template (`templates.py`), and tells two views of one page from two pages: `/en/guide/setup`
and `/fr/guide/setup` differ in one word of a vocabulary, and there are only so many of them.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache

from gossamer.policy.templates import is_word, narrowed
from gossamer.records.evidence import Words
from gossamer.url.parse import Url

MOST_WORDS = 16  # that a place may have
REPEATED = 4  # pages that a word has to be seen in
DEEPEST = 4  # folders of a path that are looked at
MOST_PARAMETERS = 6  # of a query that are
ANYTHING = "*"  # stands for a folder, whatever it is

Verbs = Mapping[str, frozenset[str]]  # the vocabulary of a host, by place
NO_VERBS: Verbs = {}
_NOTHING: frozenset[str] = frozenset()


@lru_cache(maxsize=4096)  # pages of one folder follow each other
def folders_of(head: str) -> tuple[tuple[int, str, str], ...]:
    """Return the words in a path, given up to its last slash: how deep each stands, the name of that place, and the word."""
    folders = head.split("/")[1 : DEEPEST + 1]
    places = ["/", *(f"/{folders[0]}/{f'{ANYTHING}/' * depth}" for depth in range(DEEPEST))] if folders else []
    return tuple([(depth, places[depth], word) for depth, word in enumerate(folders) if is_word(word)])


def words_of(path: str, query: str | None) -> Iterator[tuple[str, str]]:
    """Give the words of a URL that may be an application's, each behind the name of the place where it stands."""
    for _, place, word in folders_of(path[: path.rfind("/")]):
        yield place, word
    for piece in query.split("&")[:MOST_PARAMETERS] if query else ():
        name, _, value = piece.partition("=")
        if is_word(value):
            yield f"?{name}", value


def met(words: Words, word: str) -> Words | None:
    """Return what is known of a place after a word was met there once more; None: nothing changes by it."""
    counts, count = words.counts, words.counts.get(word, 0)
    if words.is_full or count >= REPEATED:
        return None  # nearly always
    if not count and len(counts) >= MOST_WORDS:
        rare = min(counts, key=counts.__getitem__)
        if counts[rare] >= REPEATED:
            return Words(is_full=True)
        counts = {known: times for known, times in counts.items() if known != rare}
    return Words(counts | {word: count + 1})


def verbs_in(words: Words) -> frozenset[str]:
    """Return the vocabulary of a place: words that are repeated; one alone tells nothing apart."""
    repeated = frozenset([word for word, count in words.counts.items() if count >= REPEATED])
    return repeated if len(repeated) > 1 else _NOTHING


def verbs_of(places: Mapping[str, Words]) -> Verbs:
    """Return the vocabulary of a host.

    A folder that is repeated at several depths is no word of its application, but of a link that is written before itself.
    """
    found = {place: verbs for place, words in places.items() if (verbs := verbs_in(words))}
    depths: dict[str, set[int]] = {}
    for place, verb in [(place, verb) for place, verbs in found.items() for verb in verbs if place.startswith("/")]:
        depths.setdefault(verb, set()).add(place.count("/"))
    repeated = {verb for verb, known in depths.items() if len(known) > 1}
    return {place: verbs - repeated if place.startswith("/") else verbs for place, verbs in found.items()}


def narrow_of(path: str, query: str | None, verbs: Verbs) -> str:
    """Return the template of a URL in which the words of the vocabulary are kept; nothing: it has none of them."""
    said = [depth for depth, place, word in folders_of(path[: path.rfind("/")]) if word in verbs.get(place, ())]
    asked = [piece for piece in query.split("&") if _is_said(piece, verbs)] if query else []
    return narrowed(path, query, said, asked) if asked or any(said) else ""


def _is_said(piece: str, verbs: Verbs) -> bool:
    name, _, value = piece.partition("=")
    return value in verbs.get(f"?{name}", ())


def is_plainer(one: Url, two: Url) -> bool:
    """Tell whether the second URL is the first with something more in its query: another view of that page."""
    return (one.origin, one.path) == (two.origin, two.path) and set(_pieces(one)) < set(_pieces(two))


def is_parallel(one: Url, two: Url, verbs: Verbs) -> bool:
    """Tell whether two URLs differ in one folder only, which is a word of the vocabulary in both."""
    return bool(set(unspoken(one, verbs)) & set(unspoken(two, verbs)))


def bases_of(url: Url, verbs: Verbs) -> list[str]:
    """Name the pages that a URL is a view of: without its query, without a word in it, without one in its path."""
    found = unspoken(url, verbs)
    if url.query:
        pieces = _pieces(url)
        plain = [[other for other in pieces if other is not piece] for piece in pieces if _is_said(piece, verbs)]
        found += [_named(url, url.path, rest) for rest in ([], *plain)]
    return found


def base(url: Url) -> str:
    """Name a URL as `bases_of` does when others are views of it."""
    return _named(url, url.path, _pieces(url))


def unspoken(url: Url, verbs: Verbs) -> list[str]:
    """Name what all URLs have in common that differ from one in a word of its path."""
    head = url.path[: url.path.rfind("/")]
    folders, pieces = url.path.split("/"), _pieces(url)
    said = [depth for depth, place, word in folders_of(head) if word in verbs.get(place, ())]
    return [_named(url, "/".join([*folders[: depth + 1], ANYTHING, *folders[depth + 2 :]]), pieces) for depth in said]


def _pieces(url: Url) -> list[str]:
    return sorted(piece for piece in (url.query or "").split("&") if piece)


def _named(url: Url, path: str, pieces: list[str]) -> str:
    return f"{url.origin}{path}?{'&'.join(pieces)}"
