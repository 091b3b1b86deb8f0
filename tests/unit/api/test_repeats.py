"""Answers that are given again: of this run, of one that was killed, and of nobody else's request."""

from pathlib import Path

import pytest

from gossamer.api.refusal import RequestRefused
from gossamer.api.repeats import DAY, KeptAnswer, Repeats

ANSWER = KeptAnswer(202, [(b"location", b"/jobs/a")], b"{}")


def test_a_request_that_was_answered_is_not_carried_out_again_by_any_run(tmp_path: Path) -> None:
    first = Repeats(tmp_path, "first")
    assert first.begin("me", "k", b"request", False, 0.0) is None
    first.end("me", "k", ANSWER)
    first.close()
    second = Repeats(tmp_path, "second")
    assert second.begin("me", "k", b"request", True, 1.0) == ANSWER
    assert second.begin("another", "k", b"request", True, 1.0) is None
    assert second.begin("me", "k", b"request", True, DAY + 1.0) is None, "a day later it is new"
    second.close()


def test_one_that_was_not_answered_is_carried_out_again_only_where_that_changes_nothing(tmp_path: Path) -> None:
    killed = Repeats(tmp_path, "killed")
    for key in ("safe", "unsafe"):
        assert killed.begin("me", key, b"request", key == "safe", 0.0) is None
    with pytest.raises(RequestRefused, match="being carried out"):
        killed.begin("me", "safe", b"request", True, 0.0)
    killed.close()
    later = Repeats(tmp_path, "later")
    assert later.begin("me", "safe", b"request", True, 1.0) is None
    with pytest.raises(RequestRefused, match="its answer was lost"):
        later.begin("me", "unsafe", b"request", False, 1.0)
    with pytest.raises(RequestRefused, match="another request"):
        later.begin("me", "unsafe", b"other", False, 1.0)
    later.close()
