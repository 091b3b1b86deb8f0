"""Taking URLs and heads apart."""

import pytest

from gossamer.fetchers.message import Target, final_head, target_of


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


def test_the_final_head_is_found_between_interim_answers_and_trailers() -> None:
    interim = [b"HTTP/1.1 100 Continue\r\n", b"X: interim\r\n", b"\r\n"]
    final = [b"HTTP/1.1 200 OK\r\n", b"X: final\r\n", b"\r\n"]
    trailers = [b"X: trailer\r\n", b"\r\n"]
    head = final_head(interim + final + trailers)
    assert head is not None
    assert (head.raw, head.status, head.headers) == (b"".join(final), 200, (("x", "final"),))
    assert final_head(interim) is None
    assert final_head(final[:2]) is None
    assert final_head([]) is None


@pytest.mark.parametrize(
    ("value", "chunked"), [(b"chunked", True), (b"gzip, ChUnKeD", True), (b"identity", False), (b"", False)], ids=repr
)
def test_chunked_is_told_by_the_transfer_coding_alone(value: bytes, chunked: bool) -> None:
    lines = [b"HTTP/1.1 200 OK\r\n", b"X: chunked\r\n", b"Transfer-Encoding: " + value + b"\r\n", b"\r\n"]
    head = final_head(lines)
    assert head is not None
    assert head.chunked is chunked
