"""HTML and SVG, written so that no text can become markup: whatever is not made by `tag` is escaped by it.

Control characters and those that turn the direction of writing are shown by their numbers, as on a terminal.
"""

from html import escape

from gossamer.cli import output


class Markup(str):
    """A piece of HTML that `tag` made; any other text is only a text."""


def tag(element: str, *content: str, **attributes: str | int | float | None) -> Markup:
    """Return an element; attributes that are None are left out, and underscores in their names are hyphens."""
    named = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(output.clean(str(value)))}"'
        for name, value in attributes.items()
        if value is not None
    )
    if not content and element in VOID:
        return Markup(f"<{element}{named}/>")  # in SVG the stroke ends it
    return Markup(f"<{element}{named}>{join(*content)}</{element}>")


def join(*content: str) -> Markup:
    """Return pieces of HTML and texts one after the other."""
    return Markup("".join([piece if isinstance(piece, Markup) else escape(output.clean(piece)) for piece in content]))


def link(url: str) -> Markup:
    """Return a link to a page of the web; what is no address of one is only a text."""
    if not url.startswith(("http://", "https://")):
        return tag("span", url, class_="url")
    return tag("a", url, href=url, class_="url", rel="noopener noreferrer nofollow")


VOID = frozenset({"meta", "rect", "line"})
