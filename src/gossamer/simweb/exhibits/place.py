"""Puts every exhibit on some host: all of them in a web of the default size, more of each in a larger one."""

from gossamer.simweb.builder import Builder
from gossamer.simweb.exhibits import addresses, answers, directives, documents, formats, links, moved, sitemaps
from gossamer.simweb.exhibits.ailing import clinic
from gossamer.simweb.exhibits.copies import copies, short_links, variants_first
from gossamer.simweb.exhibits.documents import CHARSETS, Exhibit, charset_exhibit
from gossamer.simweb.robots import TELLING_PATHS
from gossamer.simweb.sites import SimHost

_EXHIBITS: tuple[Exhibit, ...] = (
    answers.redirects,
    answers.redirect_loops,
    answers.redirect_chain,
    answers.missing,
    answers.forbidden,
    directives.nofollow_pages,
    directives.followed_pages,
    directives.nofollow_links,
    *map(charset_exhibit, CHARSETS),
    documents.head_links,
    documents.body_links,
    documents.based_links,
    documents.images,
    documents.other_types,
    addresses.spellings,
    addresses.outside,
    addresses.length_limit,
    addresses.segment_limits,
)
# What ordinary sites do, learned from software that nobody here wrote. Spread last, so that the rest of a web stays as it was.
_ORDINARY: tuple[Exhibit, ...] = (
    moved.directories,
    moved.untracked,
    moved.half_there,
    moved.cookie_gate,
    addresses.other_schemes,
    formats.atom_feed,
    formats.rdf_feed,
    formats.rss_feed,
    formats.long_file,
    addresses.other_services,
    links.many_links,
    links.many_fragments,
    links.stubs,
    links.framesets,
    links.listings,
    variants_first,
    short_links,
)
_SITEMAPS: tuple[Exhibit, ...] = (sitemaps.single_sitemap, sitemaps.sitemap_index)  # need a robots.txt that is read
_FAILURES: tuple[Exhibit, ...] = (answers.always_failing, answers.throttled, answers.recovering)  # one a host
_HOSTS_PER_ROUND = 36
_RULED = ("rules", "groups", "moved", "elsewhere", "oversized")


def install(builder: Builder) -> None:
    """Add every special case to a web that is not plain."""
    if builder.settings.plain:
        return
    willing = [host for host in builder.hosts if host.role in ("open", "missing")]
    _spread(builder, _EXHIBITS, willing)
    _spread(builder, _SITEMAPS, [host for host in willing if host.role == "open"])
    _spread(builder, _FAILURES[: len(willing)], willing)
    copies(builder, willing)
    for host in builder.hosts:
        if host.role in _RULED:
            _show_rules(builder, host)
        elif host.role in ("deny", "unreachable"):
            _point_to(builder, host, willing)
    _spread(builder, _ORDINARY, willing)
    moved.moved_site(builder)
    clinic(builder)


def _spread(builder: Builder, exhibits: tuple[Exhibit, ...], hosts: list[SimHost]) -> None:
    """Put each exhibit on one host of every round, as far apart as there is room."""
    step = max(1, min(len(hosts), _HOSTS_PER_ROUND) // len(exhibits))
    for round_start in range(0, max(1, len(hosts) - _HOSTS_PER_ROUND + 1), _HOSTS_PER_ROUND):
        for number, exhibit in enumerate(exhibits):
            place = round_start + number * step
            exhibit(builder, hosts[place % len(hosts)], hosts[(place + 1) % len(hosts)])


def _show_rules(builder: Builder, host: SimHost) -> None:
    """Add a page at each path that the rules tell apart, and a redirect from an open path to a closed one."""
    for path in TELLING_PATHS:
        builder.add(builder.perch(host), path)
    door = builder.add(builder.perch(host), "/door", kind="note", status=302)
    builder.add(door, "/private/behind-the-door.html", link="redirect")


def _point_to(builder: Builder, host: SimHost, hosts: list[SimHost]) -> None:
    """Link every page of a host that lets nobody in from a page that is fetched."""
    for page in host.pages[1:]:
        builder.link(builder.rng.choice(hosts).root, page)
