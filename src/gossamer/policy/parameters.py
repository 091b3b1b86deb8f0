"""Learned cosmetic parameters: query parameters of a host whose value makes no difference to what it answers.

Two URLs of a host that differ in the value of one parameter only are an observation: they gave the same content, or not.
Several of them, on several pages, make the parameter cosmetic: it leaves the key. One that was taken for cosmetic is watched
on: of the URLs that it would merge a sample is fetched all the same, and what differs undoes the rule. What was observed long
ago counts less: a host may change.

Two URLs that differ in several parameters say nothing of any of them. Where some always change together (a session beside the
place of a click), the set of them is the one thing that differs: it is a rule of its own, by the name `pos&src`, and drops them
only together.

A folder that holds a session is one too (`folders.py`). A host that has what another has under the same path is a mirror, and
its name a parameter without effect: it is learned, told and undone by the same rules, under the name of the other host behind
two slashes.
"""

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from gossamer.config.sections import Traps
from gossamer.policy.folders import folder_apart, is_folder, taken_out
from gossamer.records.evidence import Parameter, Ruling, Sighting
from gossamer.records.reason import Reason, because
from gossamer.records.rules import Rule
from gossamer.url.fingerprint import hashed
from gossamer.url.parse import Url, split

MOST = 12  # parameters of a URL that are looked at
PLACES = 3  # pages on which it was observed
DOUBT = 10  # one observation to the contrary needs so many for it
SAMPLE = 32  # of the URLs that a rule would merge, one in so many is fetched
NEAR = 3  # bits by which the SimHashes of the same text may differ
NEAR_ELSEWHERE = 10  # the same on another host, whose name may be in it; of texts with nothing in common 20 differ at least
EXAMPLES = 3
MOST_TOGETHER = 4  # parameters that may be a set
LONG = 64  # observations of which the older half is forgotten when one to the contrary is made
_JOIN = "&"


class Skeleton(NamedTuple):
    """A URL without one parameter, or without some that change together."""

    name: str
    value: int  # its hash
    place: int  # hash of the host, the path and all other parameters, with the name of this one


def skeletons(url: Url, known: Iterable[str] = ()) -> Iterator[Skeleton]:
    """Give a URL without each of its parameters in turn, and without each known set of them or known folder."""
    known = list(known)
    for name in filter(is_folder, known):
        path, folder = taken_out(url.path, name)
        if folder:
            yield Skeleton(name, hashed(folder), _place_of_folder(url, name, path))
    if not url.query:
        return
    pieces = _pieces(url)
    names = [piece.partition("=")[0] for piece in pieces]
    for index, piece in enumerate(pieces[:MOST]):
        name = names[index]
        if names.count(name) > 1:
            continue  # a list: one value of it says nothing
        yield Skeleton(name, hashed(piece), _place(url, name, pieces[:index] + pieces[index + 1 :]))
    for title in known:
        if _JOIN in title and len(own := parts_in(title, names)) > 1:
            values = [piece for piece, name in zip(pieces, names, strict=True) if name in own]
            yield Skeleton(title, hashed(_JOIN.join(values)), place_of(url, title, own))


def together(names: Iterable[str]) -> str:
    """Return what parameters are called that are left out together; one alone has its own name."""
    return _JOIN.join(sorted(names))


def parts_in(title: str, names: Collection[str]) -> frozenset[str]:
    """Return the parameters of a rule if all of them are among the names of a URL's; none: it says nothing of this URL."""
    parts = title.split(_JOIN)
    return frozenset(parts) if all([part in names for part in parts]) else frozenset()


def place_of(url: Url, name: str, left_out: Collection[str]) -> int:
    """Return the place of a URL without some parameters, as seen by one of them; a folder is left out alone."""
    if is_folder(name):
        return _place_of_folder(url, name, taken_out(url.path, name)[0])
    return _place(url, name, [piece for piece in _pieces(url) if piece.partition("=")[0] not in left_out])


def _pieces(url: Url) -> list[str]:
    return sorted(piece for piece in (url.query or "").split("&") if piece)


def _place_of_folder(url: Url, name: str, path: str) -> int:
    return hashed(f"{url.origin}{path}?{url.query or ''}#{name}")


def _place(url: Url, name: str, rest: list[str]) -> int:
    return hashed(f"{url.origin}{url.path}?{'&'.join(rest)}#{name}")


def name_of(host: str) -> str:
    """Return what another host is called among the parameters of a host."""
    return f"//{host}"


def is_host(name: str) -> bool:
    """Tell whether a parameter is the name of another host."""
    return name.startswith("//")


def host_of(name: str) -> str:
    """Return the host that a parameter names."""
    return name[2:]


def mirrored(url: str, first: str) -> str:
    """Return the name, as a parameter, of the other host that had a page under the same path first; an empty text: none had."""
    one, two = split(url), split(first) if first else None
    if two is None or one.host == two.host or (one.path, one.query) != (two.path, two.query):
        return ""
    return name_of(two.host.rstrip("."))


def common_place(url: str, name: str) -> int:
    """Return what the URLs of two hosts have in common that differ in nothing but their host."""
    parsed = split(url)
    hosts = sorted((parsed.host.rstrip("."), host_of(name)))
    return hashed(f"{' '.join(hosts)}{parsed.path}?{parsed.query}")


def is_same(one: Sighting, two: Sighting, bits: int = NEAR) -> bool:
    """Tell whether two sightings show the same content, or texts that differ in so many bits at most."""
    if one.content == two.content:
        return True
    return one.simhash is not None and two.simhash is not None and (one.simhash ^ two.simhash).bit_count() <= bits


def apart(one: Url, two: Url) -> str:
    """Return the one thing in which two URLs differ: a parameter, a set of them, or a folder; nothing: it is no one thing.

    Either their paths are the same but for one folder; or their paths are the same, and both have the same parameters and some
    other values, or one of them has more and is the other but for that.
    """
    if (one.origin, one.path) != (two.origin, two.path):
        return folder_apart(one, two)
    ours, theirs = _pieces(one), _pieces(two)
    own, other = [piece.partition("=")[0] for piece in ours], [piece.partition("=")[0] for piece in theirs]
    differing = {piece.partition("=")[0] for piece in set(ours) ^ set(theirs)}
    more, less = set(own) - set(other), set(other) - set(own)
    if len(differing) > MOST_TOGETHER or (more and less) or ((more or less) and differing != more | less):
        return ""
    if any([own.count(name) > 1 or other.count(name) > 1 for name in differing]):
        return ""  # a list: one value of it says nothing
    return together(differing)


def observed(evidence: Parameter, place: int, before: Sighting, now: Sighting, settings: Traps, bits: int = NEAR) -> Parameter:
    """Return the evidence after one more page was seen with another value."""
    pair = (before.url, now.url)
    if is_same(before, now, bits):
        return confirmed(evidence, place, pair, settings)
    same, other = evidence.same, evidence.other
    if same > LONG:  # half of what was observed is forgotten: a host that has changed is believed soon
        same, other = (same + 1) // 2, other // 2
    return replace(evidence, same=same, other=other + 1, counter=(*evidence.counter[1 - EXAMPLES :], pair))


def confirmed(evidence: Parameter, place: int, pair: tuple[str, str], settings: Traps) -> Parameter:
    """Return the evidence after two URLs that differ in one thing gave the same."""
    places = evidence.places
    if place not in places and len(places) < PLACES:
        places = (*places, place)
    changed = replace(evidence, same=evidence.same + 1, places=places, examples=(*evidence.examples[1 - EXAMPLES :], pair))
    return replace(changed, was_cosmetic=True) if is_cosmetic(changed, settings) else changed


def is_cosmetic(evidence: Parameter, settings: Traps) -> bool:
    """Tell whether a parameter leaves the key."""
    if evidence.ruling is not Ruling.NONE:
        return evidence.ruling is Ruling.BLOCK
    enough = evidence.same >= settings.parameter_evidence and len(evidence.places) >= PLACES
    return enough and evidence.other * DOUBT <= evidence.same


def dropped(query: str, cosmetic: Iterable[str]) -> frozenset[str]:
    """Return the parameters of a query that rules take out of it: a set of them only if all are there."""
    names = {piece.partition("=")[0] for piece in query.split(_JOIN)}
    return frozenset(part for title in cosmetic for part in parts_in(title, names))


def without(query: str, names: Collection[str]) -> str:
    """Return a query without some parameters."""
    return "&".join(piece for piece in query.split("&") if piece.partition("=")[0] not in names)


def reason_for(name: str, evidence: Parameter, same_as: str = "") -> Reason:
    """Say why a parameter is cosmetic, or a host a mirror; `same_as`: and which page the one in question is."""
    rule = Rule.TRAPS_MIRROR if is_host(name) else Rule.TRAPS_PARAMETER
    if evidence.ruling is Ruling.BLOCK:
        return because(rule, name=name, same_as=same_as or None)
    one, two = evidence.examples[-1] if evidence.examples else ("", "")
    return because(rule, name=name, same=evidence.same, other=evidence.other, one=one, two=two, same_as=same_as or None)
