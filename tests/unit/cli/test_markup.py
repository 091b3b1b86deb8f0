"""HTML is made so that a text stays a text."""

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from gossamer.cli.markup import Markup, join, link, tag


class Seen(HTMLParser):
    """Collects the elements, attributes and texts of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, element: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append(element)
        self.attributes += attributes

    def handle_data(self, text: str) -> None:
        self.text += text


@given(st.text())
def test_whatever_a_text_is_it_adds_no_element_and_no_attribute(text: str) -> None:
    seen = Seen(tag("p", text, title=text))
    assert (seen.elements, [name for name, _ in seen.attributes]) == (["p"], ["title"])
    if text.isprintable():
        assert (seen.text, seen.attributes[0][1]) == (text, text)
    assert not set(seen.text) & set("\x00\x1b\u202e\u2028")


def test_what_was_made_here_is_not_escaped_again() -> None:
    assert tag("p", tag("b", "a<b"), " & c") == "<p><b>a&lt;b</b> &amp; c</p>"
    assert join("<", Markup("<i></i>")) == "&lt;<i></i>"
    assert tag("rect", width=3, class_="x", rx=None) == '<rect width="3" class="x"/>'


def test_only_addresses_of_the_web_are_links() -> None:
    assert 'href="https://a.test/?x=&quot;y"' in link('https://a.test/?x="y')
    for text in ("javascript:alert(1)", "data:text/html,x", "#0123456789abcdef", " https://a.test/"):
        assert Seen(link(text)).elements == ["span"]
