"""Spellings: a key of their own for URLs that the web tells apart."""

from gossamer.url.normalize import KeyRules
from gossamer.url.parse import parse
from gossamer.url.spelling import MOST_SPELLINGS, is_spelled, spelled, with_spelling


def test_a_spelled_key_is_a_url_that_is_requested_as_it_is_spelled() -> None:
    for wire in ("http://a.example/docs/", "http://a.example/p?utm_source=x", "http://a.example/"):
        assert is_spelled(spelled(wire)) and not is_spelled(KeyRules().key(parse(wire)))
        assert parse(spelled(wire)).wire == wire


def test_no_other_key_looks_spelled_whatever_the_rules() -> None:
    rules = KeyRules(drop_fragment=False)
    for text in ("http://a.example/#", "http://a.example/#a", "http://a.example/%23", "http://a.example/?a#"):
        assert not is_spelled(rules.key(parse(text)))


def test_the_shortest_spellings_are_remembered_whatever_the_order() -> None:
    wires = [f"http://a.example/?s={number}" for number in range(9)] + ["http://a.example/", "http://a.example"]
    forwards: tuple[str, ...] = ()
    backwards: tuple[str, ...] = ()
    for wire in wires:
        forwards = with_spelling(forwards, wire)
    for wire in reversed(wires):
        backwards = with_spelling(backwards, wire)
    assert forwards == backwards and len(forwards) == MOST_SPELLINGS and forwards[0] == "http://a.example"
    assert with_spelling(forwards, forwards[1]) == forwards
