"""Words that were written to harm whoever shows them, crawled and then shown on every page of the dashboard.

The witnesses are the browser's own: which requests it sent, what its console said, whether a script has left its mark; and a
server to which every name of the attackers leads.
"""

import socket
from collections.abc import Iterator
from contextlib import suppress

import pytest
from browsing import chromium, every_page, log_in, looking, needs_chromium, show
from crawling import run_gossamer, simweb_running
from doors import Door, serving

pytestmark = needs_chromium
MADE = "main script, main img, main object, main embed, main form[action]"
TAKEN = f"() => [window.taken, document.title, document.querySelectorAll('{MADE}').length]"


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    """A server beside a crawl of hostile words."""
    place = tmp_path_factory.mktemp("hostile")
    with simweb_running(place, hosts=1, pages=3, plain=True, attacks="shown") as web:
        options = [*web.crawl_options, "--delay", "0", "--scope", "any", "--quiet", "--set", "fetch.total_timeout=5"]
        run = run_gossamer("crawl", "--dir", place / "home" / "words", *options)
        assert run.returncode in (0, 1), run.stderr
    with serving(place / "home") as started:
        yield started


@pytest.fixture
def beacon() -> Iterator[socket.socket]:
    """Where every name of the attackers leads: Chromium may knock, ahead of a request that is stopped, but says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(0.2)
        yield listening
        with suppress(TimeoutError):
            while True:
                connection, _ = listening.accept()
                with connection, suppress(TimeoutError):
                    connection.settimeout(0.2)
                    assert connection.recv(1000) == b""


def leading_to(beacon: socket.socket) -> str:
    """Return the flag by which all names of the attackers lead there."""
    return f"--host-resolver-rules=MAP *.attack.sim 127.0.0.1:{beacon.getsockname()[1]}"


def test_a_title_host_robots_txt_reason_or_url_full_of_markup_is_shown_as_text_and_never_run(
    door: Door, beacon: socket.socket
) -> None:
    addresses = dict(every_page(door))
    hostile = [page for page in door.get("api/v1/pages?limit=200")[1]["items"] if "shown-" in page["host"]]
    assert {page["host"].split(".")[0] for page in hostile} >= {"shown-titles", "shown-active", "shown-long", "shown-robots"}
    for page in hostile:
        for view in ("", "?view=page", "?view=head", "?view=links"):
            if page["status"] == 200:
                addresses[f"{page['url'][:60]} {view}"] = f"page/{page['id']}{view}"
        addresses[f"links of {page['url'][:60]}"] = f"graph?id={page['id']}"
    for name in ("shown-robots", "shown-titles", "shown-types"):
        addresses[name] = f"host/{name}.attack.sim"
    addresses["a word"] = "pages?q=tarantella"
    addresses["a filter"] = "pages?q=%3Cimg%20src%3Dx%20onerror%3Dwindow.taken%3D1%3E&host=%22%3E%3Cscript%3E"
    with chromium(leading_to(beacon)) as browser, looking(browser, door) as (context, noted):
        tab = log_in(context, door)
        said: list[str] | None = None  # before a kept page was shown: what its own policy stops is said as well
        for name, address in sorted(addresses.items(), key=lambda each: "view=page" in each[1]):
            if "view=page" in address and said is None:
                said = [line for line in noted.said if "422" not in line and "404" not in line]
            show(tab, door, address)
            if "view=page" in address:
                tab.wait_for_timeout(300)  # what a framed page might do, it does within this time
            taken, title, elements = tab.evaluate(TAKEN)
            assert taken is None and title.endswith("· gossamer") and elements == 0, name
            assert len(tab.inner_text("main")) < 300_000, f"{name} is not cut"
            for href in tab.locator("main a[href]").evaluate_all("links => links.map(link => link.getAttribute('href'))"):
                assert href.startswith(("#/", "api/v1/")), (name, href)
        assert noted.foreign == []
        assert said == []
        assert len(context.pages) == 1, "nobody opened a window"


def test_a_kept_page_opened_alone_is_harmless_too(door: Door, beacon: socket.socket) -> None:
    (page,) = (one for one in door.get("api/v1/pages?limit=200")[1]["items"] if one["host"] == "shown-active.attack.sim")
    with chromium(leading_to(beacon)) as browser, looking(browser, door) as (context, noted):
        tab = log_in(context, door)
        tab.goto(f"{door.url}api/v1/pages/{page['id']}/content?as=html")
        tab.wait_for_timeout(1500)  # it would go elsewhere by itself after a second
        assert "tarantella" in tab.inner_text("body")
        assert noted.foreign == [] and tab.url.startswith(door.url)
