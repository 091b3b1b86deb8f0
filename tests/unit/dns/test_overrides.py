"""The operator's word comes before any server's."""

import pytest

from gossamer.dns.overrides import Overrides
from gossamer.errors import ConfigError

RULES = (
    "a.example:192.0.2.1",
    "*.example:192.0.2.2",
    "*.deep.example:192.0.2.3",
    "six.example:2001:db8::1",
    "bracket.example:[2001:db8::2]",
    "TWO.example.:192.0.2.4",
    "two.example:192.0.2.5",
)


@pytest.mark.parametrize(
    ("host", "addresses"),
    [
        ("a.example", ("192.0.2.1",)),
        ("b.example", ("192.0.2.2",)),
        ("x.a.example", ("192.0.2.2",)),
        ("x.y.deep.example", ("192.0.2.3",)),
        ("deep.example", ("192.0.2.2",)),
        ("six.example", ("2001:db8::1",)),
        ("bracket.example", ("2001:db8::2",)),
        ("two.example", ("192.0.2.4", "192.0.2.5")),
        ("example", ()),
        ("aexample", ()),
        ("a.example.org", ()),
    ],
)
def test_the_nearest_rule_wins(host: str, addresses: tuple[str, ...]) -> None:
    assert Overrides(RULES).find(host) == addresses


def test_a_star_alone_takes_in_every_name_that_has_no_nearer_rule() -> None:
    overrides = Overrides(("*:192.0.2.9", "a.example:192.0.2.1"))
    assert [overrides.find(host) for host in ("a.example", "b.example", "local")] == [
        ("192.0.2.1",),
        ("192.0.2.9",),
        ("192.0.2.9",),
    ]


@pytest.mark.parametrize(
    "rule", ["a.example", "a.example:", ":192.0.2.1", "a.example:name", "a.*.example:192.0.2.1", "*a:192.0.2.1", ""]
)
def test_what_is_no_rule_is_refused_by_name(rule: str) -> None:
    with pytest.raises(ConfigError, match=r"write it like example\.org:192\.0\.2\.1"):
        Overrides((rule,))
