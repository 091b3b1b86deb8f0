"""The truth about a synthetic web: every URL that exists or is linked, and how it must end for a correct crawler.

The crawler meant here starts from the root of every host, keeps to these hosts, and has default settings. The walk follows the
web's own links, not its HTML, and owes nothing to any crawler. Robots files are not listed; aliases stand with their page.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain
from os import PathLike
from urllib.parse import urlsplit

import msgspec

from gossamer.simweb.sites import PageLink, Resource
from gossamer.simweb.web import Web

LONGEST_URL = 2048
MOST_SEGMENTS = 15
MOST_REPEATS = 3
MOST_REDIRECTS = 10
TIMES_TRIED = 4  # once, and three times again


class ManifestEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One URL. Of the members of a group one ends as ok, the others as duplicate or near_duplicate.

    It is the one whose outcome says so, the canonical one; in a group without one, whichever came first.
    """

    url: str
    host: str
    fetch: bool  # a correct crawler requests it
    outcome: str
    rule: str = ""  # that refuses it
    reason: str = ""
    status: int = 0  # of the last answer; 0: none was asked for
    group: str = ""
    requests_max: int = 0
    title: str = ""
    found_by: str = ""  # the URL of one page that leads to it, or "seed"
    aliases: tuple[str, ...] = ()
    attack: str = ""  # the hostile host it belongs to
    truncated: str = ""  # why its body is not whole, as WARC says it
    maze: str = ""  # the exhibit of the trap zoo it belongs to; a URL of it that is not to be fetched may be, while learning
    own: bool = False  # in a maze: it says something that no URL listed before it says
    outcomes: tuple[str, ...] = ()  # every way it may rightly end, where there are several
    traps: tuple[str, ...] = ()  # in a maze: the rules that may rightly end it
    length: int = 0  # bytes of a file, all of which must be kept; 0: nobody counts
    item: dict[str, str] | None = None  # what the page of a thing in the shop says


class _Refusal(msgspec.Struct, frozen=True):
    outcome: str
    rule: str
    reason: str = ""


class _Lead(msgspec.Struct, frozen=True):
    """A URL to look at."""

    url: str
    target: Resource | None
    found_by: str
    redirects: int = 0


def manifest(web: Web) -> list[ManifestEntry]:
    """Walk the web from its seeds and say how every URL ends, in the order of the walk."""
    entries: dict[str, ManifestEntry] = {}
    passed_over: dict[str, tuple[_Lead, _Refusal]] = {}
    leads = deque(_beginnings(web))
    while leads:
        lead = leads.popleft()
        if lead.url in entries:
            continue
        if lead.target is None:
            entries[lead.url] = _refused_entry(lead, _leave(lead.url))
        elif refusal := _refuse(web, lead, lead.target):
            entries[lead.url] = _refused_entry(lead, refusal)
        else:
            entries[lead.url] = _fetched_entry(web, lead, lead.target)
            _follow(web, lead, lead.target, leads, passed_over)
    for url, (lead, refusal) in passed_over.items():
        entries.setdefault(url, _refused_entry(lead, refusal))
    return list(entries.values())


def write(web: Web, path: str | PathLike[str], more: Iterable[ManifestEntry] = ()) -> None:
    """Write the manifest as JSON lines; `more` is what is known of other hosts."""
    encode = msgspec.json.Encoder().encode
    with open(path, "wb") as file:
        file.writelines(encode(entry) + b"\n" for entry in chain(manifest(web), more))


def read(path: str | PathLike[str]) -> list[ManifestEntry]:
    """Read a manifest back."""
    decode = msgspec.json.Decoder(ManifestEntry).decode
    with open(path, "rb") as file:
        return [decode(line) for line in file]


def _beginnings(web: Web) -> Iterator[_Lead]:
    """Begin with the seeds and with the sitemaps that readable robots files name."""
    for host in [host for host in web.hosts if host.is_seed]:
        yield _Lead(host.root.url, host.root, "seed")
    for host in web.hosts:
        for url in host.robots.sitemaps:
            yield _Lead(url, web.lookup(url), f"{host.origin}/robots.txt")


def _follow(web: Web, lead: _Lead, page: Resource, leads: deque[_Lead], passed_over: dict[str, tuple[_Lead, _Refusal]]) -> None:
    """Add what a fetched resource leads to; what it only names, and does not lead to, is passed over unless found elsewhere."""
    for link in web.links(page):
        found = _Lead(link.url, link.target, lead.url, lead.redirects + 1 if link.kind == "redirect" else 0)
        refusal = _pass_over(page, link)
        if refusal is None:
            leads.append(found)
        else:
            passed_over.setdefault(link.url, (found, refusal))


def _pass_over(page: Resource, link: PageLink) -> _Refusal | None:
    if link.kind == "image":
        return _Refusal("out_of_scope", "documents.follow", "image")
    if link.nofollow or page.stops:
        return _Refusal("out_of_scope", "robots.meta", "nofollow")
    return None


def _leave(url: str) -> _Refusal:
    """Name the rule that keeps a correct crawler from a URL of no host of this web."""
    is_web = url.startswith(("http://", "https://"))
    return _Refusal("out_of_scope", "scope.within") if is_web else _Refusal("unsupported", "scope.schemes")


def _refuse(web: Web, lead: _Lead, target: Resource) -> _Refusal | None:
    """Name the rule that keeps a correct crawler from a URL of this web, if there is one."""
    if lead.redirects > MOST_REDIRECTS:
        return _Refusal("trap", "fetch.max_redirects")
    if len(lead.url) > LONGEST_URL:
        return _Refusal("trap", "traps.max_length")
    segments = [segment for segment in target.path.partition("?")[0].split("/") if segment]
    if len(segments) > MOST_SEGMENTS:
        return _Refusal("trap", "traps.max_segments")
    if any(segments.count(segment) > MOST_REPEATS for segment in segments):
        return _Refusal("trap", "traps.max_repeats")
    judgement = web.judge(target.host.name, target.path)
    return None if judgement.allowed else _Refusal("robots_denied", "robots.txt", judgement.reason)


def _refused_entry(lead: _Lead, refusal: _Refusal) -> ManifestEntry:
    return ManifestEntry(
        url=lead.url,
        host=urlsplit(lead.url).hostname or "",
        fetch=False,
        outcome=refusal.outcome,
        rule=refusal.rule,
        reason=refusal.reason,
        found_by=lead.found_by,
    )


def _fetched_entry(web: Web, lead: _Lead, target: Resource) -> ManifestEntry:
    return ManifestEntry(
        url=lead.url,
        host=target.host.name,
        fetch=True,
        outcome=_outcome(target),
        status=target.status,
        group=target.group,
        requests_max=TIMES_TRIED if target.status in (429, 500) else 1 + target.failures + bool(target.cookie),
        title=web.title(target),
        found_by=lead.found_by,
        aliases=tuple(target.host.origin + alias for alias in target.aliases),
        length=target.size if target.kind == "file" else 0,
    )


def _outcome(resource: Resource) -> str:
    """Say how a fetched resource ends."""
    if resource.group and not resource.is_canonical:
        return "near_duplicate" if resource.kind == "listing" else "duplicate"
    if resource.status < 300:
        return "ok"
    if resource.status < 400:
        return "redirected"
    if resource.status >= 500:
        return "server_error"
    return {404: "gone", 410: "gone", 429: "throttled"}.get(resource.status, "client_error")
