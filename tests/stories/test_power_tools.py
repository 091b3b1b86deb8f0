"""The tools that show what the crawler would do with one URL, one robots.txt, one page, one request."""

import base64
import json

from crawling import run_gossamer


def answers(command: str, *questions: object) -> list[dict[str, object]]:
    """Ask in batch."""
    lines = "".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in questions)
    result = run_gossamer(command, "--jsonl", stdin=lines)
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_url_tells_wire_key_host_and_domain() -> None:
    [answer] = answers("url", {"url": "../b/?utm_source=x&z=1&a=2#top", "base": "HTTP://WWW.Example.co.uk:80/a/c"})
    assert answer == {
        "wire": "http://www.example.co.uk/b/?utm_source=x&z=1&a=2",
        "key": "http://www.example.co.uk/b?a=2&z=1",
        "host": "www.example.co.uk",
        "domain": "example.co.uk",
    }


def test_url_answers_every_line_and_an_error_does_not_end_the_batch() -> None:
    first, second, third = answers("url", {"url": "http://[bad/"}, "no json\n", {"url": "http://a.example/"})
    assert "error" in first and "error" in second
    assert third["wire"] == "http://a.example/"


def test_robots_tells_the_deciding_line_and_the_delay() -> None:
    text = "User-agent: *\nDisallow: /\n\nUser-agent: gossamer\nAllow: /open/\nDisallow: /open/shut\nCrawl-delay: 2\n"
    one, two, three = answers(
        "robots",
        {"robots": text, "agent": "gossamer", "url": "http://a.example/open/shut/1"},
        {"robots": text, "agent": "gossamer", "url": "http://a.example/open/1"},
        {"robots": text, "agent": "other", "url": "http://a.example/open/1"},
    )
    assert (one["allowed"], two["allowed"], three["allowed"]) == (False, True, False)
    assert "/open/shut" in str(one["rule"])
    assert one["delay"] == 2


def test_links_tells_links_title_and_directives() -> None:
    html = b"""<title>A &amp; B</title><meta name=robots content=noindex><base href=/dir/>
    <a href=one>1</a><a href=two rel=nofollow>2</a><iframe src=//b.example/f></iframe>"""
    question = {"html": base64.b64encode(html).decode(), "base": "https://a.example/x", "content_type": "text/html"}
    [answer] = answers("links", question)
    assert answer["title"] == "A & B"
    assert answer["links"] == [
        {"url": "https://a.example/dir/one", "kind": "anchor", "nofollow": False},
        {"url": "https://a.example/dir/two", "kind": "anchor", "nofollow": True},
        {"url": "https://b.example/f", "kind": "iframe", "nofollow": False},
    ]
    assert answer["directives"] == {"noindex": True, "nofollow": False, "noarchive": False}


def test_config_lists_every_knob_with_its_help() -> None:
    lines = run_gossamer("config").stdout.splitlines()
    [delay] = [line for line in lines if line.startswith("politeness.delay\t")]
    assert delay.split("\t")[1] == "1.0"
    assert json.loads(run_gossamer("config", "--json").stdout)["fetch"]["max_redirects"] == 10


def test_version_is_told() -> None:
    assert run_gossamer("--version").stdout.startswith("gossamer 0.")


def test_fetch_of_a_private_address_tells_the_remedy() -> None:
    result = run_gossamer("fetch", "http://127.0.0.1:9/", "--json")
    facts = json.loads(result.stdout)
    assert result.returncode == 1
    assert facts["outcome"] == "address_refused"
    assert "--allow-private" in facts["detail"]
