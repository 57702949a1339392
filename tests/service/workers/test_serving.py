"""A child process without requests needs little memory."""

from __future__ import annotations

import subprocess
import sys
import threading
from queue import SimpleQueue

import pytest

from service.workers import frames
from service.workers.frames import Frame


def test_a_process_gives_its_memory_back_while_it_has_no_request(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    freed = threading.Event()

    def free() -> None:
        done.append("freed")
        freed.set()

    monkeypatch.setattr(frames, "IDLE_SECONDS", 0.01)
    monkeypatch.setattr(frames, "return_free_memory", free)
    requests: SimpleQueue[Frame] = SimpleQueue()

    def ask_later() -> None:
        freed.wait()
        requests.put(Frame({"later": 1}))

    later = threading.Thread(target=ask_later)
    later.start()
    assert frames.next_request(requests, lambda: done.append("forgot")).message == {"later": 1}
    later.join()
    assert done == ["forgot", "freed"]


def test_a_waiting_request_is_taken_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "return_free_memory", lambda: pytest.fail("it is not idle"))
    requests: SimpleQueue[Frame] = SimpleQueue()
    requests.put(Frame({"now": 1}))
    assert frames.next_request(requests, lambda: pytest.fail("it is not idle")).message == {"now": 1}


@pytest.mark.skipif(sys.platform != "linux", reason="mallopt is a function of glibc")
def test_freed_memory_is_returned_to_the_system() -> None:
    child = """
import pathlib
from service.detection.compute.allocator import keep_freed_memory
from service.workers.limits import return_free_memory

def resident():
    return int(pathlib.Path("/proc/self/statm").read_text("ascii").split()[1]) * 4096

keep_freed_memory()
blocks = [bytes([1]) * 2**20 for _ in range(40)]
kept = bytes([1]) * 2**20
del blocks
before = resident()
return_free_memory()
print(before - resident() > 30 * 2**20)
"""
    printed = subprocess.run(
        [sys.executable, "-c", child], stdout=subprocess.PIPE, check=True, text=True
    ).stdout
    assert printed.strip() == "True"
