"""The page that a reader is given: what it says of itself, and what is found in it."""

import pytest

from gossamer.testing.reader import page_of

SHOP = """<!DOCTYPE html><html><head><title>A teapot &amp; more</title><base href="/shop/"></head><body>
<script type="application/ld+json">no JSON</script>
<script type="application/ld+json">[{"@type": "BreadcrumbList"},
 {"@graph": [{"@type": ["Thing", "Product"], "name": "teapot", "offers": {"@type": "Offer", "price": "12.50"}}]}]</script>
<h1>A teapot</h1><p class="price">12.50</p><a href="next">next</a><a href="mailto:a@b.test">mail</a></body></html>"""


def test_it_knows_its_title_text_and_links() -> None:
    page = page_of(SHOP, url="http://shop.test/item/1")
    assert (page.title, page.links, page.status, page.mime) == (
        "A teapot & more",
        ["http://shop.test/shop/next"],
        200,
        "text/html",
    )
    assert "12.50" in page.text and "<h1>" not in page.text and "<h1>A teapot</h1>" in page.html
    assert page.headers == {"content-type": "text/html"} and repr(page).startswith("<page http://shop.test/item/1 (200")


def test_elements_are_found_by_selectors() -> None:
    page = page_of(SHOP)
    assert page.css_first(".price").text() == "12.50" and page.css_first(".none") is None
    assert [node.attributes["href"] for node in page.css("a")] == ["next", "mailto:a@b.test"]


@pytest.mark.parametrize(
    ("kind", "key", "value"), [("Product", "name", "teapot"), ("Offer", "price", "12.50"), ("", "@type", "BreadcrumbList")]
)
def test_json_ld_is_found_by_type_wherever_it_stands(kind: str, key: str, value: str) -> None:
    found = page_of(SHOP).json_ld(kind)
    assert found is not None and found[key] == value


def test_json_ld_that_is_not_there_is_none_however_deep_it_is_looked_for() -> None:
    assert page_of(SHOP).json_ld("Person") is None
    deep = "[" * 50_000 + "]" * 50_000
    assert page_of(f'<script type="application/ld+json">{deep}</script>').json_ld("Person") is None


def test_urls_are_joined_as_the_page_says() -> None:
    page = page_of(SHOP, url="http://shop.test/item/1")
    assert page.join("x?y#z") == "http://shop.test/shop/x?y"
    assert page.follow("//other.test").url == "http://other.test/"
    assert page_of("{}", url="http://a.test/b/c", mime="application/json").join("d") == "http://a.test/b/d"
    with pytest.raises(ValueError, match="is no URL"):
        page.join("http://[")


def test_a_document_without_a_processor_has_its_text_and_nothing_else() -> None:
    page = page_of('{"a": "ü"}', mime="application/json")
    assert (page.text, page.title, page.links) == ('{"a": "ü"}', "", [])


def test_markup_in_another_charset_is_read() -> None:
    page = page_of('<meta charset="iso-8859-1"><h1>Käse</h1>'.encode("iso-8859-1"))
    assert page.css_first("h1").text() == "Käse"
