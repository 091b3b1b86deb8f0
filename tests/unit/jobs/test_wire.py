"""What crosses the control socket: frames, and errors that are the same at both ends."""

import pytest

from gossamer import errors
from gossamer.children import LENGTH
from gossamer.errors import GossamerError, NotRunning, UsageError
from gossamer.jobs.wire import MOST, ControlReply, Question, length_of, problem_of, question_of, raised, reply_of, sent


def test_a_question_and_a_reply_come_back_as_they_were() -> None:
    question = Question(7, "seed", {"urls": ["http://a.example/"]}, "grafana")
    frame = sent(question)
    assert length_of(frame) == len(frame) - LENGTH and question_of(frame[LENGTH:]) == question
    reply = ControlReply(7, event={"at": 1.0}, kind="trouble")
    assert reply_of(sent(reply)[LENGTH:]) == reply


def test_a_question_that_is_too_long_is_refused_before_it_is_sent() -> None:
    with pytest.raises(UsageError, match="ask for less"):
        sent(Question(1, "seed", {"urls": ["x" * MOST]}))


@pytest.mark.parametrize("content", [b"", b'{"operation": "status"}', b"\xff" * 10, b"\x93\x01\x02\x03"])
def test_what_is_no_question_is_refused(content: bytes) -> None:
    with pytest.raises(UsageError, match="not understood"):
        question_of(content)


def test_an_error_is_the_same_at_the_other_end() -> None:
    again = raised(problem_of(NotRunning("no process runs it")))
    assert type(again) is NotRunning and str(again) == "no process runs it"


@pytest.mark.parametrize("kind", ["SystemExit", "ENDING", "no such", "__name__"])
def test_a_kind_that_is_no_error_of_ours_is_only_an_error(kind: str) -> None:
    from gossamer.jobs.wire import WireProblem

    assert type(raised(WireProblem(kind, "why"))) is GossamerError
    assert not hasattr(errors, "no such")
