"""`make witnesses` leaves a machine as it was but for the packages, and says what is missing."""

from pathlib import Path

import pytest
from applications.shelf import APPLICATIONS, QUICK
from witnesses import NO_START, WITNESSES, Witness, missing, no_service_starts, not_judged


def test_no_service_is_started_meanwhile_and_the_policy_of_the_machine_comes_back(tmp_path: Path) -> None:
    policy = tmp_path / "policy-rc.d"
    policy.write_text("#!/bin/sh\nexit 0\n")
    with no_service_starts(policy):
        assert policy.read_text() == NO_START and policy.stat().st_mode & 0o111
    assert policy.read_text() == "#!/bin/sh\nexit 0\n"
    assert list(tmp_path.iterdir()) == [policy]


def test_where_there_was_no_policy_there_is_none_afterwards(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), no_service_starts(tmp_path / "policy-rc.d"):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_a_policy_comes_back_after_a_run_that_was_killed(tmp_path: Path) -> None:
    (tmp_path / "policy-rc.d").write_text(NO_START)
    (tmp_path / "policy-rc.d.aside").write_text("theirs")
    with no_service_starts(tmp_path / "policy-rc.d"):
        pass
    assert [path.read_text() for path in tmp_path.iterdir()] == ["theirs"]


def test_what_is_missing_is_named_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "here-2").touch()
    there, gone = Witness("there", f"{tmp_path}/here-*"), Witness("gone", f"{tmp_path}/nowhere")
    assert missing((there, gone)) == ["gone"]
    assert not_judged(["gone"]) == "NOT JUDGED by real software: gone missing; as root run: make witnesses"


def test_all_that_an_application_needs_is_installed() -> None:
    needed = {witness for application in APPLICATIONS.values() for witness in application.needs}
    assert needed <= set(WITNESSES) and set(QUICK) <= set(APPLICATIONS)
