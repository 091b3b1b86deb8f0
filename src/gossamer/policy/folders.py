"""Folders that make no difference: sites that write a session into the path instead of the query.

Only a folder that holds a token and says what it is can be one, as frameworks write them: `/(S(4f9a01bc))/page/3` or
`/sid=4f9a01bc/`. Words, numbers and dates are what honest sites sort their pages by, and a bare token is a record or revision.

Such a folder is a cosmetic parameter like those of a query (`parameters.py`): it is learned, told and undone by the same rules,
under the name of its make between two slashes, `/(S({id}))/`. In a key its make stands in its place, which no URL can have
there, because braces are escaped in a path.
"""

from collections.abc import Collection

from gossamer.policy.templates import make_of
from gossamer.url.parse import Url

_TOKENS = ("{id}", "{uuid}")
_MARKS = ("(", "=", ";")  # around or before a token that belongs to the visitor and not to the page
_BEHIND_SCHEME = len("https://")


def is_folder(name: str) -> bool:
    """Tell whether a parameter is the make of a folder; that of a host begins with two slashes."""
    is_named_so = name.startswith("/") and name.endswith("/")
    return is_named_so and any([token in name for token in _TOKENS]) and any([mark in name for mark in _MARKS])


def folder_apart(one: Url, two: Url) -> str:
    """Return the make of the one folder in which two URLs differ; nothing: they differ in more, or in another way."""
    if (one.origin, one.query) != (two.origin, two.query):
        return ""
    ours, theirs = one.path.split("/"), two.path.split("/")
    if len(ours) != len(theirs) or ours[-1] != theirs[-1]:
        return ""
    differing = [(own, other) for own, other in zip(ours, theirs, strict=True) if own != other]
    if len(differing) != 1:
        return ""
    own, other = map(make_of, differing[0])
    name = f"/{own}/"
    return name if own == other and is_folder(name) else ""


def taken_out(path: str, name: str) -> tuple[str, str]:
    """Return a path with the make of a folder in place of the first one of that make, and that folder; nothing: it has none."""
    folders = path.split("/")
    for depth, folder in enumerate(folders[:-1]):
        if folder and f"/{make_of(folder)}/" == name:
            return "/".join([*folders[:depth], name[1:-1], *folders[depth + 1 :]]), folder
    return "", ""


def without_folders(key: str, names: Collection[str]) -> str:
    """Return a key with the makes of all folders that make no difference in place of those."""
    start = key.find("/", _BEHIND_SCHEME)
    for name in names:
        if start > 0 and is_folder(name):
            path, mark, query = key[start:].partition("?")
            key = f"{key[:start]}{taken_out(path, name)[0] or path}{mark}{query}"
    return key
