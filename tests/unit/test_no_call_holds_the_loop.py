"""No head, meta or text, however made, holds the event loop for 200 ms: the calls of a visit are timed, but for the child's.

A sample of what there is in `make test`; all of it with GOSSAMER_HOSTILE=all, as `make soak` has it.
"""

import os
import time
from collections.abc import Callable, Iterator

import pytest
from hostile import SIZES, calls_of_a_document, calls_of_a_head, calls_of_a_url, documents, heads, some, urls

LONGEST = 0.2  # seconds
ALL = os.environ.get("GOSSAMER_HOSTILE") == "all"
SAMPLE = dict(zip(SIZES, (1_000, 60, 60, 12), strict=True))
Calls = Iterator[tuple[str, Callable[[], object]]]


def too_long(name: str, calls: Calls) -> list[str]:
    """Return which calls take longer than the loop may stand still: every time, of this thread's time."""
    slow = []
    for call, work in calls:
        took = LONGEST
        for _ in range(3):
            begun = time.thread_time()
            work()
            took = min(took, time.thread_time() - begun)
            if took < LONGEST:
                break
        else:
            slow.append(f"{call} of {name}")
    return slow


def test_there_are_hundreds_of_each() -> None:
    assert len(list(heads())) > 250 and len(list(documents())) > 300


def test_no_head_holds_the_loop() -> None:
    chosen = (
        list(heads()) if ALL else [head for head in heads() if head[0][:4] in ("X-Ro", "fold", "Retr", "Last", "Set-")][::2]
    )
    assert len(chosen) > 40
    assert [found for name, raw in chosen for found in too_long(name, calls_of_a_head(raw))] == []


@pytest.mark.parametrize("size", SIZES)
def test_no_meta_and_no_text_holds_the_loop(size: int) -> None:
    chosen = list(documents()) if ALL else some(list(documents()), SAMPLE[size], size)
    assert [found for name, mime, make in chosen for found in too_long(name, calls_of_a_document(mime, make(size)))] == []


@pytest.mark.parametrize("size", [1_900, *SIZES[: None if ALL else 2]])
def test_no_link_holds_the_loop(size: int) -> None:
    assert [found for name, text in urls(size) for found in too_long(name, calls_of_a_url(text))] == []
