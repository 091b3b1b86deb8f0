"""Taking URLs apart."""

import pytest

from gossamer.fetchers.message import Target, target_of


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("http://a.example/", Target("a.example", 80, "http://a.example:80/", "a.example", False, "/")),
        ("https://a.example", Target("a.example", 443, "https://a.example:443/", "a.example", False, "/")),
        ("http://a.example:8080/b?c#d", Target("a.example", 8080, "http://a.example:8080/", "a.example:8080", False, "/b?c")),
        ("http://a.example?q", Target("a.example", 80, "http://a.example:80/", "a.example", False, "/?q")),
        ("http://u:p@a.example./@", Target("a.example", 80, "http://a.example:80/", "a.example.", False, "/@")),
        ("http://u@v@a.example/", Target("a.example", 80, "http://a.example:80/", "a.example", False, "/")),
        (
            "https://[2001:db8::1]:444/x",
            Target("2001:db8::1", 444, "https://[2001:db8::1]:444/", "[2001:db8::1]:444", False, "/x"),
        ),
        ("HTTP://a.example/K", Target("a.example", 80, "http://a.example:80/", "a.example", False, "/K")),
    ],
)
def test_a_url_is_taken_apart_and_its_credentials_are_left_behind(url: str, target: Target) -> None:
    assert target_of(url) == target
