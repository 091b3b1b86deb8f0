"""URLs as names of files: safe, different, the same each time."""

import re
from pathlib import PurePosixPath

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gossamer.errors import UrlError
from gossamer.url.filename import LONGEST_NAME, LONGEST_PATH, file_of
from gossamer.url.parse import parse

DEVICES = {"con", "prn", "aux", "nul", *(f"{name}{number}" for name in ("com", "lpt") for number in range(1, 10))}
PIECES = st.sampled_from(
    ["a", "A", "index", "index.txt", "a.txt", "..", ".", "%2e%2e", "con", "CON.x", "", "~", "a~b", " ", "ü", "b" * 300, "x.y.z"]
)
QUERIES = st.sampled_from(["", "?", "?q=1", "?Q=1", "?a/b", "?../../x"])
ORIGINS = st.sampled_from(
    [
        "https://e.org",
        "http://e.org",
        "http://e.org:443",
        "https://e.org:80",
        "http://con",
        "http://[::1]",
        "ftp://e.org",
        "file://",
    ]
)
URLS = st.builds(
    lambda origin, path, query: f"{origin}/{'/'.join(path)}{query}", ORIGINS, st.lists(PIECES, max_size=6), QUERIES
)


def wire(text: str) -> str:
    return parse(text).wire


def anything(text: str) -> str | None:
    try:
        return wire(f"http://e.org/{text}")
    except UrlError:
        return None


@given(URLS | st.text().map(anything).filter(bool))
@example("http://e.org/" + "a/" * 2000)
@example("http://e.org/" + "a" * 4000)
@example("http://e.org/?" + "%0a" * 1300)
def test_every_url_has_a_name_that_is_safe_on_every_system(url: str) -> None:
    path = file_of(wire(url), ".txt")
    assert len(str(path)) <= LONGEST_PATH + len(".txt") and not path.is_absolute() and len(path.parts) >= 2
    for part in path.parts:
        assert re.fullmatch(r"[a-z0-9_~+.-]+", part) and len(part) <= LONGEST_NAME + len("+https+65535")
        assert part not in (".", "..") and not part.startswith(".") and not part.endswith(".")
        assert re.split(r"[.]", part)[0] not in DEVICES


@given(st.lists(URLS.map(wire), min_size=2, max_size=30, unique=True))
def test_different_urls_have_different_names_and_no_file_is_another_s_folder(urls: list[str]) -> None:
    paths = [file_of(url, ".txt") for url in urls]
    folded = {str(path).casefold() for path in paths}
    assert len(folded) == len(urls)
    folders = {str(folder).casefold() for path in paths for folder in path.parents}
    assert not folded & folders


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("https://example.org/docs/intro", "example.org/docs/intro.txt"),
        ("https://example.org/docs/intro.html", "example.org/docs/intro.html.txt"),
        ("https://example.org/docs/", "example.org/docs/index.txt"),
        ("https://example.org/", "example.org/index.txt"),
        ("http://example.org:8080/a", "example.org+8080/a.txt"),
        ("http://example.org/a", "example.org+80/a.txt"),
        ("https://example.org/a~b", "example.org/a_b~"),
        ("https://example.org/item?id=7", "example.org/item_id_7~"),
        ("https://example.org/A", "example.org/a~"),
        ("https://example.org/con", "example.org/con~"),
        ("https://example.org/v1.2/a", "example.org/v1_2~"),
        ("https://example.org/" + "a" * 4000, "example.org/" + "a" * 60),
    ],
)
def test_a_plain_name_stays_and_any_other_is_told_by_its_digest(url: str, path: str) -> None:
    assert str(file_of(url, ".txt")).startswith(path)
    assert path.endswith(".txt") == (str(file_of(url, ".txt")) == path)


def test_urls_that_are_easily_taken_for_each_other_are_told_apart() -> None:
    alike = [
        "/a",
        "/A",
        "/a?",
        "/a/",
        "/a/index",
        "/a/index?",
        "/a.txt",
        "/a.txt/",
        "/index",
        "/",
        "//",
        "/a//",
        "/con",
        "/CON",
        "/?q",
        "/?Q",
    ]
    urls = [
        f"{origin}{path}"
        for origin in ("https://e.org", "http://e.org", "https://e.org:80", "http://e.org:443")
        for path in alike
    ]
    assert len({str(file_of(wire(url), ".txt")).casefold() for url in urls}) == len(urls)


def test_names_do_not_change_from_one_version_to_the_next() -> None:
    assert file_of("https://example.org/item?id=7", ".txt") == PurePosixPath("example.org/item_id_7~szsw4wmnqjhueeai.txt")
