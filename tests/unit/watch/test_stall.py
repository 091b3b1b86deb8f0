"""What holds the event loop up is named in the log; what nobody can help is not."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time

from selectolax.lexbor import LexborHTMLParser

from gossamer.document.decode import dechunk
from gossamer.watch.events import Event, Events, Trouble
from gossamer.watch.stall import StallWatch

LIMIT = 0.1


def listening() -> tuple[Events, list[str]]:
    """Return events, and what will be heard of trouble."""
    heard: list[str] = []

    def hear(event: Event) -> None:
        assert isinstance(event, Trouble)
        heard.append(event.what)

    events = Events()
    events.subscribe(hear)
    return events, heard


async def turn_until(heard: list[str]) -> None:
    """Let the loop turn until something was heard, or it is sure that nothing will be."""
    end = time.monotonic() + 4 * LIMIT
    while not heard and time.monotonic() < end:
        await asyncio.sleep(LIMIT / 4)


async def test_a_stall_is_told_with_its_length_and_the_function_of_ours_that_made_it() -> None:
    events, heard = listening()
    chunks = b"1\r\na\r\n" * 500_000
    with StallWatch(events, LIMIT):
        await turn_until(heard)
        assert heard == []
        begin = time.monotonic()
        dechunk(chunks)
        stood = (time.monotonic() - begin) * 1000
        await turn_until(heard)
    assert len(heard) == 1
    assert heard[0].startswith("the event loop stood still for ") and "in document/decode.py, line " in heard[0]
    assert "chunk" in heard[0].rpartition(", ")[2]  # `chunks`, or `dechunk` itself: by where it was caught
    assert 0 < int(heard[0].split()[6]) <= stood + 100


async def test_a_library_that_never_lets_go_of_the_interpreter_is_found_too() -> None:
    events, heard = listening()

    def build_a_deep_tree() -> None:
        LexborHTMLParser(b"<div>" * 30_000)

    with StallWatch(events, LIMIT):
        await asyncio.sleep(0)
        build_a_deep_tree()
        await turn_until(heard)
    assert len(heard) == 1 and "build_a_deep_tree" in heard[0]


async def test_waiting_for_the_disk_or_any_other_call_is_a_stall_as_well() -> None:
    events, heard = listening()
    with StallWatch(events, LIMIT):
        await asyncio.sleep(0)
        time.sleep(5 * LIMIT)
        await turn_until(heard)
    assert len(heard) == 1


async def test_a_loop_that_turns_is_left_alone_and_the_watch_ends_with_the_run() -> None:
    events, heard = listening()
    with StallWatch(events, LIMIT):
        assert "stall watch" in {thread.name for thread in threading.enumerate()}
        await turn_until(heard)
    assert heard == []
    assert "stall watch" not in {thread.name for thread in threading.enumerate()}


async def test_a_limit_of_zero_watches_nothing() -> None:
    events, heard = listening()
    with StallWatch(events, 0):
        assert "stall watch" not in {thread.name for thread in threading.enumerate()}
        time.sleep(LIMIT)
        await asyncio.sleep(0)
    assert heard == []


STOPPED = """
import asyncio, sys, time
from gossamer.watch.events import Events
from gossamer.watch.stall import StallWatch

async def main():
    events = Events()
    events.subscribe(lambda event: print(event.what, flush=True))
    with StallWatch(events, 0.1):
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        time.sleep(0.5)
        await asyncio.sleep(0.2)
        print("end", flush=True)

asyncio.run(main())
"""


def test_a_process_that_was_stopped_has_no_stall() -> None:
    with subprocess.Popen([sys.executable, "-c", STOPPED], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin is not None and child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        for _ in range(3):
            os.kill(child.pid, signal.SIGSTOP)
            os.waitid(os.P_PID, child.pid, os.WSTOPPED)
            time.sleep(0.4)
            os.kill(child.pid, signal.SIGCONT)
        child.stdin.write("block\n")
        child.stdin.flush()
        said = child.stdout.read().splitlines()
    assert [line.split(" in ")[0].split(" for ")[0] for line in said] == ["the event loop stood still", "end"]
