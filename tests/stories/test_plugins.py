"""Plugins by entry point: used when they fit their joint, refused by name when they do not."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from crawling import run_gossamer
from serving import page, site_running

from gossamer.script import open_crawl

LOCAL = ["--allow-private", "127.0.0.0/8"]
FETCHER = '''
from gossamer.document.body import Body
from gossamer.records.page import Extract
from gossamer.records.fetch import Fetched
from gossamer.records.entry import Link, LinkKind
from gossamer.records.outcome import Outcome

class Echo:
    """Answers every echo: URL with a page that names it."""

    def __init__(self, settings, resolver, guard, clock):
        self._clock = clock

    async def fetch(self, request):
        now = self._clock.now()
        head = b"HTTP/1.1 200 OK\\r\\ncontent-type: text/html\\r\\n\\r\\n"
        body = b"<title>echo of " + request.url.encode() + b"</title>"
        return Fetched(url=request.url, outcome=Outcome.OK, status=200, response_head=head,
                       headers=(("content-type", "text/html"),), body=Body.of(body), started=now, answered=now, ended=now)

    async def aclose(self):
        pass

class Words:
    """Reads documents of type text/words: every word is a link."""

    class Reader:
        def __init__(self, max_links, agent, meta):
            self.max_links = max_links

        is_linear = True

        def skim(self, document):
            return Extract()

        def process(self, document):
            words = document.content.split()
            links = tuple(Link("http://words.test/" + word.decode(), LinkKind.ANCHOR) for word in words[: self.max_links])
            return Extract(links=links, title=f"{len(words)} words")

        def text(self, document):
            return document.content.decode()

class Broken:
    """Forgot to be async, and to close."""

    def fetch(self, request):
        return None
'''


EXAMPLES = Path(__file__).parents[2] / "examples"


READER = """
from gossamer.script import reads

@reads("text/html")
def titles(page):
    yield {"title": page.title}

def unmarked(page):
    yield {}
"""


def run_with(
    plugin: str, place: Path, *words: str, scorers: Sequence[str] = (), more: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run gossamer with a plugin installed beside it."""
    package = place / "plugin"
    meta = package / "echo-1.0.dist-info"
    meta.mkdir(parents=True)
    (package / "echo_plugin.py").write_text(FETCHER)
    (package / "title_plugin.py").write_text(READER)
    for example in ("large_files.py", "short_paths.py"):
        (package / example).write_text((EXAMPLES / example).read_text())
    (meta / "METADATA").write_text("Metadata-Version: 2.1\nName: echo\nVersion: 1.0\n")
    points = f"[gossamer.fetcher]\necho = echo_plugin:{plugin}\n[gossamer.filter]\nlarge-files = large_files:LargeFiles\n"
    points += "[gossamer.processor]\ntext/words = echo_plugin:Words.Reader\n"
    points += "[gossamer.scorer]\n" + "".join(f"{name} = short_paths:ShortPaths\n" for name in scorers)
    (meta / "entry_points.txt").write_text(points + more)
    environment = {**os.environ, "PYTHONPATH": str(package)}
    return subprocess.run(
        [sys.executable, "-m", "gossamer", *words], capture_output=True, text=True, env=environment, check=False
    )


def test_a_fetcher_for_a_new_scheme_is_used(tmp_path: Path) -> None:
    words = ["crawl", "echo://somewhere/page", "--dir", str(tmp_path / "crawl"), "--delay", "0", "--quiet"]
    result = run_with("Echo", tmp_path, *words)
    assert result.returncode == 0, result.stderr
    shown = subprocess.run(
        [sys.executable, "-m", "gossamer", "pages", str(tmp_path / "crawl")], capture_output=True, text=True, check=True
    )
    assert "echo of echo://somewhere/page" in shown.stdout


def test_a_processor_reads_documents_of_its_type_heavy_ones_in_a_child_too(tmp_path: Path) -> None:
    words = {"/few": b"one two three", "/many": b"word " * 100_000}
    routes = {path: (200, {"content-type": "text/words"}, content) for path, content in words.items()}
    with site_running({"/": page(*routes), **routes}) as site:
        options = ["--dir", str(tmp_path / "crawl"), "--delay", "0", "--quiet", "--allow-private", "127.0.0.0/8"]
        result = run_with("Echo", tmp_path, "crawl", site.url("/"), *options)
        assert result.returncode == 0, result.stderr
    pages = [json.loads(line) for line in run_gossamer("pages", tmp_path / "crawl", "--json").stdout.splitlines()]
    assert {page["url"].rpartition("/")[2]: page["title"] for page in pages} == {
        "": "a page", "few": "3 words", "many": "100000 words",
    }  # fmt: skip


def test_a_plugin_that_does_not_fit_is_refused_by_name(tmp_path: Path) -> None:
    result = run_with("Broken", tmp_path, "crawl", "http://127.0.0.1:9/", *LOCAL, "--dir", str(tmp_path / "crawl"))
    assert result.returncode == 5
    assert "echo_plugin:Broken" in result.stderr
    assert "aclose" in result.stderr or "async" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_filter_refuses_by_its_own_rule(tmp_path: Path) -> None:
    with site_running({"/": page("/disk.iso", "/a"), "/a": page(title="a")}) as site:
        options = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--quiet"]
        result = run_with("Echo", tmp_path, "crawl", site.url(), "--dir", str(tmp_path / "crawl"), *options)
    assert result.returncode == 0, result.stderr
    assert site.paths == ["/", "/a"]
    answer = json.loads(run_gossamer("explain", tmp_path / "crawl", site.url("/disk.iso"), "--json").stdout)
    assert (answer["outcome"], answer["rule"]) == ("out_of_scope", "large-files")


def test_a_scorer_decides_what_is_fetched_first(tmp_path: Path) -> None:
    paths = ["/far/away/in/folders", "/near", "/some/folder/"]
    with site_running({"/": page(*paths), **{path: page(title=path) for path in paths}}) as site:
        options = ["--dir", str(tmp_path / "crawl"), "--delay", "0.01", "--quiet", *LOCAL, "--set", "crawl.concurrency=1"]
        result = run_with("Echo", tmp_path, "crawl", site.url(), *options, scorers=["short-paths"])
    assert result.returncode == 0, result.stderr
    assert site.paths == ["/", "/near", "/some/folder/", "/far/away/in/folders"]


def test_two_scorers_are_refused_by_name_before_anything_is_fetched(tmp_path: Path) -> None:
    with site_running({"/": page()}) as site:
        words = ["crawl", site.url(), "--dir", str(tmp_path / "crawl"), *LOCAL]
        result = run_with("Echo", tmp_path, *words, scorers=["short-paths", "long-paths"])
    assert result.returncode == 5 and site.paths == []
    *_, said = result.stderr.splitlines()
    assert "2 scorer plugins are installed (short-paths, long-paths)" in said and "remove the others" in said
    assert "Traceback" not in result.stderr


HTML = "[gossamer.processor]\ntext/html = echo_plugin:Words.Reader\n"


def test_a_processor_for_a_type_of_ours_is_refused_by_name_or_chosen_by_a_setting(tmp_path: Path) -> None:
    html = (200, {"content-type": "text/html"}, b"<title>ours</title> four words")
    with site_running({"/": html}) as site:
        words = ["crawl", site.url(), "--dir", str(tmp_path / "crawl"), "--delay", "0", *LOCAL]
        refused = run_with("Echo", tmp_path / "first", *words, more=HTML)
        assert refused.returncode == 5 and site.asked == [] and not (tmp_path / "crawl").exists()
        *_, said = refused.stderr.splitlines()
        assert "the processor plugin 'text/html' (echo_plugin:Words.Reader) has a key of ours" in said
        assert "--set documents.processors=text/html" in said
        chosen = [*words, "--set", "documents.processors=text/html"]
        result = run_with("Echo", tmp_path / "second", *chosen, more=HTML)
        assert result.returncode == 0, result.stderr
    assert "plugin:     processor text/html (echo_plugin:Words.Reader)" in result.stderr
    pages = [json.loads(line) for line in run_gossamer("pages", tmp_path / "crawl", "--json").stdout.splitlines()]
    assert [page["title"] for page in pages] == ["3 words"]


def test_a_type_to_be_replaced_without_a_plugin_is_refused(tmp_path: Path) -> None:
    words = ["crawl", "http://127.0.0.1:9/", "--dir", tmp_path / "crawl", *LOCAL, "--set", "documents.processors=text/html"]
    result = run_gossamer(*words)
    assert result.returncode == 5 and "no plugin for it is installed" in result.stderr


def test_a_plugin_for_another_key_of_ours_is_refused_and_so_are_two_for_one(tmp_path: Path) -> None:
    words = ["crawl", "http://127.0.0.1:9/", *LOCAL, "--dir", str(tmp_path / "crawl")]
    for number, (more, told) in enumerate(
        [
            ("[gossamer.fetcher]\nhttp = echo_plugin:Echo\n", "the fetcher plugin 'http' (echo_plugin:Echo) has a key of ours"),
            ("[gossamer.reader]\na = title_plugin:titles\na = title_plugin:titles\n", "has the key of another one"),
        ]
    ):
        result = run_with("Echo", tmp_path / str(number), *words, more=more)
        assert result.returncode == 5 and told in result.stderr, result.stderr


def test_a_reader_may_be_a_plugin_and_plugins_in_force_are_named(tmp_path: Path) -> None:
    more = "[gossamer.reader]\ntitles = title_plugin:titles\n"
    with site_running({"/": page(title="home")}) as site:
        words = ["crawl", site.url(), "--dir", str(tmp_path / "crawl"), "--delay", "0", *LOCAL]
        result = run_with("Echo", tmp_path, *words, more=more)
    assert result.returncode == 0, result.stderr
    for line in ("reader:     titles of title_plugin:titles (text/html)", "plugin:     fetcher echo (echo_plugin:Echo)"):
        assert line in result.stderr
    assert "plugin:     filter large-files (large_files:LargeFiles)" in result.stderr
    with open_crawl(tmp_path / "crawl") as crawl:
        assert [item.value for item in crawl.items(reader="titles")] == [{"title": "home"}]


def test_a_reader_plugin_that_is_not_marked_is_refused_by_name(tmp_path: Path) -> None:
    words = ["crawl", "http://127.0.0.1:9/", *LOCAL, "--dir", str(tmp_path / "crawl")]
    result = run_with("Echo", tmp_path, *words, more="[gossamer.reader]\nodd = title_plugin:unmarked\n")
    assert result.returncode == 5 and "title_plugin:unmarked is not marked with @reads" in result.stderr
