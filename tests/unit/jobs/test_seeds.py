"""Seeds as people type them."""

import pytest

from gossamer.errors import UsageError
from gossamer.jobs.seeds import read_seeds


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("example.org", "https://example.org/"),
        ("Example.org/a?b#c", "https://example.org/a?b"),
        ("example.org:443/", "https://example.org/"),
        ("example.org:8080/a", "http://example.org:8080/a"),
        ("localhost", "http://localhost/"),
        ("localhost:8000", "http://localhost:8000/"),
        ("LOCALHOST:8000/docs", "http://localhost:8000/docs"),
        ("127.0.0.1:8000/docs", "http://127.0.0.1:8000/docs"),
        ("127.0.0.1", "http://127.0.0.1/"),
        ("[::1]:8000/", "http://[::1]:8000/"),
        ("http://example.org", "http://example.org/"),
        ("https://localhost:8443/", "https://localhost:8443/"),
    ],
)
def test_a_host_without_a_scheme_is_meant_as_a_browser_would_take_it(typed: str, meant: str) -> None:
    assert [url.wire for url in read_seeds([("seed", typed)], skip_invalid=False).urls] == [meant]


@pytest.mark.parametrize("typed", ["nonsense", "mailto:me@example.org", "localhosts:80", "ftp://example.org/", ""])
def test_what_names_nothing_to_fetch_is_refused_with_a_sentence(typed: str) -> None:
    with pytest.raises(UsageError, match="seed: "):
        read_seeds([("seed", typed)], skip_invalid=False)
