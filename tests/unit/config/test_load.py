"""Loading: files, then the environment, then flags; nothing is guessed and nothing unknown is accepted."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.config.load import describe, dump, load
from gossamer.config.sections import KINDS, Fetch, ScopeSettings, Settings
from gossamer.errors import ConfigError
from gossamer.records.entry import LinkKind


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def write_file(text: str, name: str = "crawl.toml") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write_file


def test_nothing_written_gives_the_defaults() -> None:
    assert load(environ={}) == Settings()


def test_a_later_file_the_environment_and_flags_win_in_this_order(write: Any) -> None:
    files = [
        write("[politeness]\ndelay = 1\nconnections = 1\n"),
        write("[politeness]\ndelay = 2\nslow_answer = 2\n", "more.toml"),
    ]
    environ = {"GOSSAMER_POLITENESS__SLOW_ANSWER": "3", "GOSSAMER_POLITENESS__QUICK_ANSWER": "3", "HOME": "/", "OTHER": "x"}
    politeness = load(files, {"politeness.quick_answer": 4}, environ).politeness
    assert (politeness.connections, politeness.delay, politeness.slow_answer, politeness.quick_answer) == (1, 2, 3, 4)


def test_a_flag_that_was_not_given_changes_nothing(write: Any) -> None:
    assert load([write("[politeness]\ndelay = 2\n")], {"politeness.delay": None}, {}).politeness.delay == 2


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("fetch.max_body", "4096", 4096),
        ("fetch.max_body", "10MB", 10_000_000),
        ("fetch.max_body", "10 MiB", 10 * 1024 * 1024),
        ("fetch.max_body", "1.5kb", 1500),
        ("crawl.max_pages", "100k", 100_000),
        ("crawl.max_pages", "none", None),
        ("crawl.max_seconds", "2h", 7200.0),
        ("politeness.delay", "250ms", 0.25),
        ("politeness.delay", "5m", 300.0),
        ("politeness.delay", "1.5", 1.5),
        ("robots.ttl", "1d", 86400.0),
        ("robots.obey", "no", False),
        ("robots.obey", "TRUE", True),
        ("scope.within", "domain", "domain"),
        ("crawl.contact", "10MB", "10MB"),
        ("scope.block", "a, b", ("a", "b")),
        ("scope.block", '["a,b", "c"]', ("a,b", "c")),
        ("scope.block", "[0-9]{3},x", ("[0-9]{3}", "x")),
        ("scope.block", "", ()),
        ("frontier.shares", "70,20,10", (70, 20, 10)),
    ],
)
def test_text_is_read_the_same_from_every_place(write: Any, key: str, text: str, value: object) -> None:
    section, name = key.split(".")
    sources: list[tuple[list[Path], dict[str, object], dict[str, str]]] = [
        ([write(f"[{section}]\n{name} = '''{text}'''\n")], {}, {}),
        ([], {key: text}, {}),
        ([], {}, {f"GOSSAMER_{section.upper()}__{name.upper()}": text}),
    ]
    for files, flags, environ in sources:
        found = getattr(getattr(load(files, flags, environ), section), name)
        assert (found, type(found)) == (value, type(value))


def test_every_kind_of_link_can_be_followed_and_no_other() -> None:
    every = tuple(kind.value for kind in LinkKind)
    assert set(load(flags={"documents.follow": list(every)}, environ={}).documents.follow) == set(every)
    with pytest.raises(ConfigError, match="there is no kind of link 'banana'; it must be one of seed, "):
        load(flags={"documents.follow": ["anchor", "banana"]}, environ={})
    assert set(KINDS) == set(every)


def test_a_list_of_flags_is_taken_as_it_is() -> None:
    assert load(flags={"scope.block_extensions": ["zip", "a,b"]}, environ={}).scope.block_extensions == ("zip", "a,b")


UNKNOWN = [
    ("[fetch]\nmax_bdy = 1\n", r"^unknown key fetch\.max_bdy in .*crawl\.toml; did you mean fetch\.max_body\?$"),
    ("[fetsch]\nmax_body = 1\n", r"^unknown section fetsch in .*crawl\.toml; did you mean fetch\?$"),
    ("delay = 1\n", r"^unknown key delay in .*; did you mean politeness\.delay\?$"),
    ("connections = 1\n", r"did you mean politeness\.connections or fetch\.connections or serve\.connections\?$"),
    ("[fetch]\nconections = 1\n", r"did you mean fetch\.connections\?$"),
    ("fetch = 1\n", r"^fetch in .*crawl\.toml is a section; write its keys, such as fetch\.connect_timeout$"),
    ("[crawl.nested]\nx = 1\n", r"^unknown key crawl\.nested in .*; `gossamer config` lists all keys$"),
    ("[fetch\n", r"^the configuration .*crawl\.toml is no TOML: .*line 1"),
]


@pytest.mark.parametrize(("text", "message"), UNKNOWN)
def test_an_unknown_key_in_a_file_is_refused_with_the_nearest_one(write: Any, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load([write(text)], environ={})


def test_an_unknown_variable_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(ConfigError, match="GOSSAMER_FETCH_MAX_BODY; did you mean GOSSAMER_FETCH__MAX_BODY"):
        load(environ={"GOSSAMER_FETCH_MAX_BODY": "1"})


def test_an_unknown_flag_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(
        ConfigError, match=r"^unknown key politeness\.dely on the command line; did you mean politeness\.delay\?$"
    ):
        load(flags={"politeness.dely": 1}, environ={})


BAD = [
    ("fetch.max_body", 1, "fetch.max_body is 1 on the command line; it must be at least 1024"),
    ("fetch.max_body", "lots", "it must be a whole number, such as 100 or 10MB"),
    ("fetch.max_body", "5h", "it must be a whole number"),
    ("fetch.max_body", "0.5", "it must be a whole number"),
    ("fetch.max_body", True, "it must be a whole number"),
    ("fetch.connect_timeout", 0, "it must be more than 0"),
    ("breaker.error_share", 1.5, "it must be at most 1"),
    (
        "politeness.delay",
        "fast",
        "politeness.delay is 'fast' on the command line; it must be a number, in seconds or with a unit",
    ),
    ("politeness.delay", "10MB", "it must be a number"),
    ("politeness.delay", "-1s", "it must be at least 0"),
    ("scope.within", "hst", "it must be one of host, domain, prefix, any"),
    ("robots.obey", "maybe", "it must be true or false"),
    ("robots.obey", 1, "it must be true or false"),
    ("crawl.contact", 3, "it must be a text"),
    ("scope.block", 3, "it must be a list of text"),
    ("scope.block", [3], "it must be a list of text"),
    ("frontier.shares", [1, 2], "it must be a list of 3 whole numbers"),
    ("frontier.shares", "a,b,c", "it must be a list of 3 whole numbers"),
    ("fetch.allow_private", ["10.0.0.0/99"], "'10.0.0.0/99' is no address range; write one like 10.0.0.0/8"),
    ("recrawl.longest", "1s", "it must be at least recrawl.shortest, which is 900"),
    ("score.importance", -1, "it must be at least 0"),
]


@pytest.mark.parametrize(("key", "value", "message"), BAD)
def test_a_bad_value_is_refused_with_what_is_allowed(key: str, value: object, message: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        load(flags={key: value}, environ={})
    assert str(refusal.value).startswith(f"{key} is {value!r} on the command line; ")
    assert message in str(refusal.value)


def test_what_does_not_go_with_another_key_is_refused_by_both_names() -> None:
    with pytest.raises(ConfigError, match=r"recrawl\.longest is 2592000 by default; .* recrawl\.shortest, which is 5184000"):
        load(flags={"recrawl.shortest": "60d"}, environ={})
    weights = dict.fromkeys(("score.importance", "score.freshness", "score.discovery"), 0)
    with pytest.raises(
        ConfigError, match=r"one of score\.importance, score\.freshness and score\.discovery must be more than 0"
    ):
        load(flags=weights, environ={})
    assert load(flags={**weights, "score.freshness": 1}, environ={}).score.freshness == 1


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"cannot read the configuration .*gone\.toml: no such file"):
        load([tmp_path / "gone.toml"], environ={})
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match=r"binary\.toml is no TOML"):
        load([tmp_path / "binary.toml"], environ={})


TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
SOME_SETTINGS = st.builds(
    Settings,
    scope=st.builds(ScopeSettings, block=st.lists(TEXT, max_size=3).map(tuple), max_depth=st.integers(0, 99), allow_file=TEXT),
    fetch=st.builds(Fetch, total_timeout=st.floats(1e-9, 1e12), insecure=st.booleans(), max_body=st.integers(1024, 2**70)),
)


@given(SOME_SETTINGS, st.booleans())
def test_what_is_dumped_loads_back_to_the_same_settings(
    tmp_path_factory: pytest.TempPathFactory, settings: Settings, only_changed: bool
) -> None:
    path = tmp_path_factory.mktemp("dump") / "crawl.toml"
    path.write_text(dump(settings, only_changed), encoding="utf-8", newline="")
    assert load([path], environ={}) == settings


def test_a_dump_explains_every_key() -> None:
    text = dump(Settings())
    for knob in describe():
        assert knob.help
        assert f"# {knob.help}\n" in text


def test_a_dump_of_changes_holds_nothing_else() -> None:
    assert dump(Settings(), only_changed=True) == ""
    text = dump(load(flags={"politeness.delay": "2s"}, environ={}), only_changed=True)
    assert text == "[politeness]\n# seconds between two requests to a host, start to start\ndelay = 2.0\n"


def test_every_knob_is_described_once() -> None:
    knobs = describe()
    keys = [knob.key for knob in knobs]
    assert len(set(keys)) == len(keys)
    assert {key.partition(".")[0] for key in keys} == set(Settings.model_fields)
    types = {knob.key: knob.type for knob in knobs}
    assert types["scope.within"] == "host | domain | prefix | any"
    assert types["crawl.max_pages"] == "whole number or none"
    assert types["scope.block"] == "list of text"
    assert types["frontier.shares"] == "list of 3 whole numbers"
    assert next(knob.default for knob in knobs if knob.key == "politeness.delay") == 1.0
