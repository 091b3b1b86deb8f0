"""Exhibits about URLs: many that name one page, some out of scope, some that no honest site has.

Beside each URL that goes beyond a limit stands one that just keeps it.
"""

from gossamer.simweb.builder import PERCH_RANK, Builder, same_page
from gossamer.simweb.sites import PageLink, SimHost
from gossamer.simweb.words import ADJECTIVES

LONGEST_URL = 2048
MOST_SEGMENTS = 15
MOST_REPEATS = 3


def spellings(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Link one page by every spelling of its URL."""
    listed = "/catalogue/list?colour=red&size=9"
    for path, aliases in (
        (listed, same_page(listed)),
        ("/catalogue/tilde~one", ("/catalogue/%74ilde%7eone",)),
        ("/catalogue/folder", ("/catalogue/folder/", "/catalogue/folder/?")),
    ):
        target = builder.add(builder.perch(host), path, aliases=aliases, rank=PERCH_RANK + 1, href=aliases[0])
        for alias in target.aliases:
            builder.link(builder.perch(other), target, href=target.host.origin + alias)
        builder.link(builder.perch(host), target, href=f"{target.path}#part")


def outside(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Link to hosts that are nobody's seeds."""
    for source, href in (
        (host, "http://outside.example/"),
        (host, "http://outside.example/shop?item=4"),
        (other, "http://other.test/"),
    ):
        builder.perch(source).links.append(PageLink(href, None))


def other_services(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Link to what else may answer on the same machine: another port is another site, which nobody asked to be crawled."""
    for source, port in ((host, 9), (host, 8443), (other, 9)):
        builder.perch(source).links.append(PageLink(f"http://{source.name}:{port}/console", None))


def length_limit(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Link to a URL of the longest honest length, and to one beyond it."""
    for name, length in (("longest", LONGEST_URL), ("longer", LONGEST_URL + 1)):
        path = f"/{name}/"
        filling = "long-" * (length // 5)
        builder.add(builder.perch(host), path + filling[: length - len(host.origin) - len(path)])


def segment_limits(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Link to paths with as many segments and repetitions as are honest, and with more."""
    for name, count in (("deep", MOST_SEGMENTS), ("deeper", MOST_SEGMENTS + 1)):
        builder.add(builder.perch(host), "/".join(("", name, *ADJECTIVES[: count - 1])))
    for name, count in (("often", MOST_REPEATS), ("oftener", MOST_REPEATS + 1)):
        builder.add(builder.perch(host), f"/{name}" + "/around/about" * count)


def other_schemes(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Link to a file that is offered over FTP, here and elsewhere: nothing asks for it, and nobody waits for it."""
    for href in (f"ftp://{host.name}/pub/list.txt", "ftp://outside.example/pub/"):
        builder.perch(host).links.append(PageLink(href, None))
