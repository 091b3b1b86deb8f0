"""Words made for whoever shows them: titles, paths, types and lines of robots.txt that are scripts, or deceive, or never end.

Nothing in them harms a crawler. A page that shows what was crawled must show them as text, cut, and ask nobody for anything.
"""

from html import escape
from urllib.parse import quote

from gossamer.simweb.attacks.attack import DOMAIN, Attack, ExpectedEnd, page, routing, saying, whole

ELSEWHERE = f"http://beacon.{DOMAIN}/"
SCRIPTS = (
    "<script>document.title = 'taken'; window.taken = 1</script>",
    f'"><img src="{ELSEWHERE}picture" onerror="window.taken = 1"><svg onload=window.taken=1>',
    "javascript:window.taken=1//",
    "{{constructor.constructor('window.taken=1')()}}${window.taken=1}",
    f"'</title></textarea></style><iframe src='{ELSEWHERE}frame' srcdoc='<script>top.taken=1</script>'></iframe>",
)
BIDI = "report \u202efdp.exe\u202c \u2066right\u2069 \u200bhid\u200dden\ufeff \u0000 \u001b[31mred"
LONG = 2_000_000  # characters of a title
_ACTIVE = f"""<script>window.taken = 1; fetch("{ELSEWHERE}fetch"); parent.postMessage("taken", "*")</script>
<script>top.location = "{ELSEWHERE}top"</script><body onload="window.taken = 1">
<img src="{ELSEWHERE}img" onerror="window.taken = 1"><link rel="stylesheet" href="{ELSEWHERE}style">
<style>@import "{ELSEWHERE}import"; body {{ background: url("{ELSEWHERE}background") }}</style>
<iframe src="{ELSEWHERE}iframe"></iframe><object data="{ELSEWHERE}object"></object><base href="{ELSEWHERE}">
<form action="{ELSEWHERE}form"><input autofocus onfocus="window.taken = 1"></form>
<meta http-equiv="refresh" content="1; url={ELSEWHERE}refresh"><video src="{ELSEWHERE}video" autoplay></video>"""


def attacks() -> list[Attack]:
    """List the attacks of this family."""
    return [_titles(), _active(), _long(), _robots(), _types()]


def _titled(title: str) -> bytes:
    return whole(page(title=escape(title)), mime="text/html; charset=utf-8")


def _titles() -> Attack:
    """Titles that are markup, on pages whose paths are markup as well."""
    named = {f"/{quote(title, safe='')[:200]}": _titled(title) for title in (*SCRIPTS, BIDI)}
    links = (*named, "javascript:window.taken=1", "data:text/html,<script>top.taken=1</script>")
    root = whole(page(*links, title=escape(SCRIPTS[1])))
    return Attack("shown-titles", routing({"/": root, **named}), (ExpectedEnd("/"), *map(ExpectedEnd, named)))


def _active() -> Attack:
    """Do everything that a page can do to be noticed by somebody else; it is kept, and may be looked at."""
    body = f"<!DOCTYPE html><title>{escape(SCRIPTS[0])}</title><p>a word to be found: tarantella</p>{_ACTIVE}"
    return Attack("shown-active", routing({"/": whole(body.encode())}), (ExpectedEnd("/"),))


def _long() -> Attack:
    """Have a title without an end."""
    return Attack("shown-long", routing({"/": _titled(SCRIPTS[0] + "w" * LONG)}), (ExpectedEnd("/"),))


def _robots() -> Attack:
    """Forbid a path by a line that is markup itself."""
    line = f"Disallow: /no # {SCRIPTS[0]}\nDisallow: /{SCRIPTS[1]}\nDisallow: /{BIDI.split(chr(0))[0]}\n"
    robots = whole(f"User-agent: *\n{line}".encode(), mime="text/plain")
    ends = (ExpectedEnd("/"), ExpectedEnd("/no", "robots_denied", rule="robots.txt", status=0))
    root = whole(page("/no", title="links to what is forbidden"))
    return Attack("shown-robots", routing({"/": root}), ends, robots=saying(robots))


def _types() -> Attack:
    """Say in the head what nobody should believe."""
    script = SCRIPTS[1].replace('"', "'")
    answers = {
        "/": whole(page("/typed", "/moved", title="types")),
        "/typed": whole(b"text", f"X-Note: {script}", mime=f"text/{script}"),
        "/moved": whole(b"", "Location: javascript:window.taken=1", status="302 Found"),
    }
    return Attack("shown-types", routing(dict(answers)), (ExpectedEnd("/"),))
