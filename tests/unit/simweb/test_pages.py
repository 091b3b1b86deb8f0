"""Contents: what readers of each format make of them."""

import zlib
from xml.etree import ElementTree

import pytest

from gossamer.simweb.sites import Resource
from gossamer.simweb.web import Web


def one(web: Web, kind: str) -> Resource:
    return next(thing for host in web.hosts for thing in host.table.values() if thing.kind == kind)


def test_xhtml_is_well_formed_xml(web: Web) -> None:
    tree = ElementTree.fromstring(web.content(one(web, "xhtml")))
    names = {element.tag for element in tree.iter()}
    assert "{http://www.w3.org/1999/xhtml}a" in names


def test_an_image_is_a_png_with_right_checksums(web: Web) -> None:
    content = web.content(one(web, "image"))
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    place, names = 8, []
    while place < len(content):
        length = int.from_bytes(content[place : place + 4])
        name, body = content[place + 4 : place + 8], content[place + 8 : place + 8 + length]
        assert int.from_bytes(content[place + 8 + length : place + 12 + length]) == zlib.crc32(name + body)
        names.append(name)
        place += 12 + length
    assert names == [b"IHDR", b"IDAT", b"tEXt", b"IEND"]


def test_a_plain_text_has_no_markup_and_nothing_like_a_link(web: Web) -> None:
    content = web.content(one(web, "text"))
    assert b"<" not in content and b"http" not in content and b"/" not in content


def test_a_query_in_html_is_escaped(web: Web) -> None:
    page = next(page for host in web.hosts for page in host.pages if any("&" in link.href for link in web.links(page)))
    content = web.content(page)
    assert b"&amp;" in content and b"&view" not in content and b"&utm" not in content


@pytest.mark.parametrize("kind", ["sitemap", "sitemap_index"])
def test_a_sitemap_lists_its_links(web: Web, kind: str) -> None:
    sitemap = one(web, kind)
    tree = ElementTree.fromstring(web.content(sitemap))
    assert [element.text for element in tree.iter() if element.tag.endswith("}loc")] == [link.url for link in sitemap.links]
