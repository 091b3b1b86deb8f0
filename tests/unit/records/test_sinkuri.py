"""The URI of a sink: what tells one from another, what people see of it, and what must not stand in it."""

import pytest

from gossamer.errors import ConfigError
from gossamer.records.sinkuri import sink_uri

SCHEMES = ("stdout", "webhook+https", "redis", "kafka")


def test_a_uri_is_taken_apart() -> None:
    uri = sink_uri("redis://me@cache.test:7000/2?stream=crawl&with=text,links&secret_env=KEY", SCHEMES)
    assert (uri.scheme, uri.user, uri.authority, uri.path) == ("redis", "me", "cache.test:7000", "/2")
    assert uri.parameters == (("stream", "crawl"),)
    assert (uri.contents, uri.secret_env) == (("text", "links"), "KEY")
    assert uri.host_and_port(6379) == ("cache.test", 7000)


def test_what_is_ours_is_no_part_of_the_name() -> None:
    uri = sink_uri("webhook+https://you.test/hook?b=2&with=text&a=1&secret_file=/key", SCHEMES)
    assert uri.name == "webhook+https://you.test/hook?a=1&b=2"


def test_people_do_not_see_the_parameters_of_a_webhook() -> None:
    assert sink_uri("webhook+https://you.test/hook?key=abc", SCHEMES).shown == "webhook+https://you.test/hook?key=..."
    assert sink_uri("redis://localhost/?stream=crawl", SCHEMES).shown == "redis://localhost/?stream=crawl"


def test_several_hosts_are_one_authority() -> None:
    uri = sink_uri("kafka://a.test:9092,b.test:9092/topic", SCHEMES)
    assert (uri.authority, uri.path) == ("a.test:9092,b.test:9092", "/topic")
    with pytest.raises(ConfigError, match="names no host and port"):
        uri.host_and_port(9092)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "http://example.org/",
        "redis://:hunter2@localhost/",
        "redis://me:hunter2@localhost/",
        "redis://localhost/?stream",
        "redis://localhost/?secret_file=/a&secret_env=B",
        "redis://localhost/#stream",
        "redis://[::1/",
    ],
)
def test_what_is_no_sink_is_refused_without_its_secret(text: str) -> None:
    with pytest.raises(ConfigError) as refused:
        sink_uri(text, SCHEMES)
    assert "hunter2" not in str(refused.value)
