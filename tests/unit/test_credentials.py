"""What rules of requests refer to is read before anything else, and told in one sentence when it cannot be used."""

from pathlib import Path
from typing import Any

import pytest
import trustme
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from gossamer.config.rules import make_rule
from gossamer.config.sections import Settings
from gossamer.credentials import LONGEST, read_access, trusted_proxies
from gossamer.errors import ConfigError
from gossamer.filters.access import AccessRules
from gossamer.records.access import Proxy


def access(directory: Path = Path(), **fields: Any) -> AccessRules | None:
    """Read one rule for a host."""
    return read_access(Settings(requests=(make_rule({"hosts": "a.test", **fields}, "a rule", directory),)))


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A certificate in one file and in two, the key of another, and a key with a passphrase."""
    authority = trustme.CA()
    mine, other = authority.issue_cert("ann@example.org"), authority.issue_cert("bob@example.org")
    mine.private_key_and_cert_chain_pem.write_to_path(tmp_path / "both")
    mine.cert_chain_pems[0].write_to_path(tmp_path / "certificate")
    mine.private_key_pem.write_to_path(tmp_path / "key")
    other.private_key_pem.write_to_path(tmp_path / "other")
    key = load_pem_private_key(mine.private_key_pem.bytes(), None)
    (tmp_path / "locked").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"sesame")))
    return tmp_path


def test_without_rules_there_is_nothing_to_look_up() -> None:
    assert read_access(Settings()) is None


@pytest.mark.parametrize("names", [{"certificate": "both"}, {"certificate": "certificate", "key": "key"}])
def test_a_certificate_is_in_one_file_with_its_key_or_in_two(files: Path, names: dict[str, str]) -> None:
    rules = access(files, **names)
    found = rules.of("https://a.test/") if rules else None
    last = list(names.values())[-1]
    assert found is not None and found.certificate == (str(files / names["certificate"]), str(files / last))


@pytest.mark.parametrize(
    ("certificate", "key", "told"),
    [
        ("certificate", "other", "key values mismatch"),
        ("certificate", "locked", "the key has a passphrase"),
        ("certificate", "certificate", "are no certificate and its key"),
        ("certificate", "gone", "key"),
        ("gone", "key", "certificate"),
    ],
)
def test_a_certificate_that_cannot_be_used_is_told(files: Path, certificate: str, key: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        access(files, certificate=certificate, key=key)


def test_what_is_no_file_or_no_text_or_too_long_is_no_secret(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "long").write_bytes(b"x" * (LONGEST + 1))
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    (tmp_path / "lines").write_text("one\ntwo\n")
    for name, told in (("folder", "no file"), ("long", "very long"), ("bytes", "no text"), ("lines", "line end")):
        with pytest.raises(ConfigError, match=told):
            access(tmp_path, user="ann", password_file=name)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("http://p.test:3128", Proxy("http", "p.test", 3128)),
        ("socks5://10.0.0.1:1080/", Proxy("socks5", "10.0.0.1", 1080)),
        ("socks5h://[::1]:1080", Proxy("socks5", "::1", 1080, True)),
    ],
)
def test_a_proxy_is_named_by_a_url(written: str, meant: Proxy) -> None:
    rules = access(proxy=written)
    found = rules.of("https://a.test/") if rules else None
    assert found is not None and found.proxy == meant


def test_only_proxies_that_resolve_names_are_told_of() -> None:
    written = [("socks5h://a:1", False), ("http://b:1", True), ("http://c:1", False), ("none", True), ("socks5h://a:1", True)]
    rules = [make_rule({"hosts": "*", "proxy": proxy, "proxy_resolves": resolves}, "a rule") for proxy, resolves in written]
    assert trusted_proxies(Settings(requests=tuple(rules))) == ["socks5h://a:1", "http://b:1"]
