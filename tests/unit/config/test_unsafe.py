"""Settings that strangers do not set: the table names settings that exist, and lets through what it does not name."""

from gossamer.config.load import describe
from gossamer.config.unsafe import ADMIN, NEVER, for_admins, is_named, unsafe

KEYS = [knob.key for knob in describe()]


def test_every_row_of_the_table_names_a_setting() -> None:
    rows = [name for name in (*NEVER, *ADMIN) if not name.startswith("requests")]
    assert [name for name in rows if not any(is_named(key, [name]) for key in KEYS)] == []


def test_what_loosens_safety_is_refused_unless_it_is_let() -> None:
    given = ["fetch.allow_private", "robots.obey", "storage.archive", "dns.servers", "crawl.max_pages", "politeness.delay"]
    assert unsafe(given) == ["dns.servers", "fetch.allow_private", "robots.obey", "storage.archive"]
    assert unsafe(given, {"robots.obey"}) == ["dns.servers", "fetch.allow_private", "storage.archive"]
    assert for_admins([*given, "scope.block"]) == ["scope.block"]
