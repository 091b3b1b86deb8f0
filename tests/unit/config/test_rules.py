"""Rules of requests, as they are written and read back."""

from pathlib import Path

import pytest

from gossamer.config.load import dump, load
from gossamer.config.rules import make_rule
from gossamer.config.sections import Settings
from gossamer.errors import ConfigError


def test_a_dump_is_read_back_to_the_same_rules(tmp_path: Path) -> None:
    login = {"hosts": "a.test, *.b.test:8080", "user": "ann", "password_file": "secrets/1", "headers": 'X-A: "b", c'}
    proxy = {"hosts": ["*"], "proxy": "socks5h://127.0.0.1:9", "cookies": True, "cookies_file": "/elsewhere/cookies.txt"}
    rules = tuple(make_rule(table, "a rule", tmp_path) for table in (login, proxy))
    path = tmp_path / "gossamer.toml"
    path.write_text(dump(Settings(requests=rules), only_changed=True, directory=tmp_path))
    assert 'password_file = "secrets/1"' in path.read_text()
    assert load([path], {}, {}).requests == rules
    moved = path.rename(tmp_path.parent / "moved.toml")
    assert load([moved], {}, {}).requests[0].password_file == str(tmp_path.parent / "secrets/1")


def test_a_path_is_relative_to_the_file_it_stands_in_and_may_begin_with_the_home(tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text('[[requests]]\nhosts = "a.test"\ntoken_file = "t"\ncertificate = "~/c.pem"\n')
    (rule,) = load([tmp_path / "rules.toml"], {}, {}).requests
    assert rule.token_file == str(tmp_path / "t")
    assert rule.certificate == str(Path("~/c.pem").expanduser())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[requests]\nhosts = "a.test"\n', "begin each with a line [[requests]]"),
        ("requests = [1]\n", "rule 1 of [[requests]] in"),
        ('[[requests]]\nhosts = "a.test"\n[[requests]]\nhosts = 3\n', "rule 2 of [[requests]] in"),
        ('[[requests]]\nhosts = ""\n', "it names no host"),
        ('[[requests]]\nhosts = "a.test"\nuser = 3\n', "user must be text"),
    ],
)
def test_what_is_no_rule_is_told_by_its_number(text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text(text)
    with pytest.raises(ConfigError) as refused:
        load([tmp_path / "rules.toml"], {}, {})
    assert told in str(refused.value)
