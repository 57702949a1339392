"""Tests that a child process that crashes, hangs or writes invalid output is ended and replaced."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from service.workers import frames
from service.workers.child import Child, ProcessDied
from service.workers.frames import Frame, FrameTooLarge
from shared.system.paths import program_folder

COMMAND = [sys.executable, "-m", "tests.service.workers.odd_child"]
# Longer than any answer takes.
LONG_SECONDS = 60.0


@pytest.fixture
def child() -> Iterator[Child]:
    new = Child(COMMAND)
    yield new
    new.close()


def test_one_process_answers_requests_in_order(child: Child) -> None:
    assert child.pid is None
    picture = bytes(range(256)) * 4096
    first = child.ask({}, LONG_SECONDS, payload=picture)
    assert first.payload == picture
    assert child.pid == first.message["pid"] == child.ask({}, LONG_SECONDS).message["pid"]


def test_progress_is_reported_before_the_answer(child: Child) -> None:
    percents: list[int] = []
    answer = child.ask({"percents": [1, 50, 99]}, LONG_SECONDS, progress=percents.append)
    assert answer.message["pid"] == child.pid
    assert percents == [1, 50, 99]
    assert child.ask({"percents": [1]}, LONG_SECONDS).message["pid"] == child.pid


def test_hint_arrives_and_is_not_answered(child: Child) -> None:
    child.hint({"hint": "to a process that does not run"})
    child.ask({}, LONG_SECONDS)
    child.hint({"hint": 7})
    assert child.ask({}, LONG_SECONDS).message["hints"] == [7]


@pytest.mark.parametrize("end", ["crash", "raise"])
def test_crashed_process_is_replaced_at_the_next_request(child: Child, end: str) -> None:
    before = child.ask({}, LONG_SECONDS).message["pid"]
    with pytest.raises(ProcessDied) as died:
        child.ask({"do": end}, LONG_SECONDS)
    assert not died.value.timed_out
    assert child.pid is None
    assert child.ask({}, LONG_SECONDS).message["pid"] != before


def test_process_that_ended_between_two_requests_is_replaced(child: Child) -> None:
    child.ask({}, LONG_SECONDS)
    process = child._ensure_running()
    process.kill()
    process.wait()
    assert child.pid is None
    assert child.ask({}, LONG_SECONDS).message["pid"] != process.pid


def test_hanging_process_is_ended_at_its_time_limit(child: Child) -> None:
    before = child.ask({}, LONG_SECONDS).message["pid"]
    with pytest.raises(ProcessDied) as died:
        child.ask({"do": "hang"}, 0.2)
    assert died.value.timed_out
    assert child.ask({}, LONG_SECONDS).message["pid"] != before


@pytest.mark.parametrize(
    "noise",
    [
        b"Segmentation fault\n",
        (3).to_bytes(4, "big") + bytes(4) + b"[1]",
        frames.MAX_BYTES.to_bytes(4, "big") + b"\xff" * 4,
        frames.encode_head(Frame({"progress": "much"})),
        frames.encode_head(Frame({"progress": None})),
    ],
    ids=["text", "not an object", "too long", "progress in words", "progress of nothing"],
)
def test_invalid_output_is_a_crash(child: Child, noise: bytes) -> None:
    before = child.ask({}, LONG_SECONDS).message["pid"]
    with pytest.raises(ProcessDied):
        child.ask({"do": "write", "hex": noise.hex()}, LONG_SECONDS)
    assert child.ask({}, LONG_SECONDS).message["pid"] != before


def test_failed_progress_listener_leaves_no_answer_for_the_next_request(child: Child) -> None:
    before = child.ask({}, LONG_SECONDS).message["pid"]

    def full(_percent: int) -> None:
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="disk is full"):
        child.ask({"percents": [1, 2]}, LONG_SECONDS, progress=full)
    assert child.ask({}, LONG_SECONDS).message["pid"] != before


def test_too_large_request_is_refused_and_the_process_continues(
    child: Child, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = child.ask({}, LONG_SECONDS).message["pid"]
    with monkeypatch.context() as patch:
        patch.setattr(frames, "MAX_BYTES", 100)
        with pytest.raises(FrameTooLarge):
            child.ask({}, LONG_SECONDS, payload=bytes(101))
    assert child.ask({}, LONG_SECONDS).message["pid"] == before


def test_large_request_to_a_process_that_reads_nothing_times_out() -> None:
    child = Child([sys.executable, "-c", "import time; time.sleep(1000)"])
    with pytest.raises(ProcessDied) as died:
        child.ask({}, 0.2, payload=bytes(2**22))
    assert died.value.timed_out
    child.close()


def test_missing_program_is_a_crash() -> None:
    with pytest.raises(ProcessDied):
        Child(["/nonexistent/program"]).ask({}, LONG_SECONDS)


@pytest.mark.parametrize("end", [Child.kill, Child.close])
def test_a_request_ends_when_another_thread_ends_the_process(child: Child, end: Any) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        ThreadPoolExecutor(1) as thread,
    ):
        answer = thread.submit(child.ask, {"do": "hang", "port": listener.getsockname()[1]}, LONG_SECONDS)
        connection, _ = listener.accept()
        with connection:
            end(child)
            with pytest.raises(ProcessDied) as died:
                answer.result(LONG_SECONDS)
            assert not died.value.timed_out
            assert connection.recv(1) == b""


def test_closed_child_starts_no_process(child: Child) -> None:
    child.close()
    with pytest.raises(ProcessDied):
        child.ask({}, LONG_SECONDS)
    assert child.pid is None


def test_no_timer_remains_after_an_answer(child: Child) -> None:
    child.ask({}, LONG_SECONDS)
    assert not [thread for thread in threading.enumerate() if isinstance(thread, threading.Timer)]


PARENT = """
import sys
from service.workers.child import Child
Child({command!r}).ask({{"do": "hang", "port": {port}}}, 1000)
"""


def test_hanging_process_ends_with_the_service() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(LONG_SECONDS)
        script = PARENT.format(command=COMMAND, port=listener.getsockname()[1])
        service = subprocess.Popen([sys.executable, "-c", script], cwd=program_folder())
        connection, _ = listener.accept()
        with connection:
            connection.settimeout(LONG_SECONDS)
            service.kill()
            service.wait(LONG_SECONDS)
            # Nothing is sent: the connection is closed when the child ends.
            assert connection.recv(1) == b""


def raw_output(request: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """The output of the process for `request`, with its input open until it has answered."""
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=program_folder(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    with process:
        process.stdin.write(request)
        process.stdin.flush()
        head = process.stdout.read(8)
        process.stdin.close()
        out = head + process.stdout.read()
        return subprocess.CompletedProcess([], process.wait(LONG_SECONDS), out, process.stderr.read())


@pytest.mark.parametrize("arguments", [(), ("silent",)])
def test_output_of_libraries_does_not_mix_with_frames(arguments: tuple[str, ...]) -> None:
    ended = raw_output(frames.encode_head(Frame({"do": "print"})), *arguments)
    assert ended.returncode == 0
    assert b"pid" in ended.stdout
    assert b"noise" not in ended.stdout
    assert (b"noise" in ended.stderr) == (not arguments)


@pytest.mark.parametrize("message", [{"do": "raise"}, {"hint": "raise"}])
def test_exception_ends_the_process_and_its_text_is_not_logged(message: dict[str, str]) -> None:
    ended = raw_output(frames.encode_head(Frame(message)))
    assert ended.returncode == 1
    assert ended.stdout == b""
    (line,) = ended.stderr.splitlines()
    assert b"RuntimeError [" in line
    assert b"canary" not in line


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_is_left_to_the_service(child: Child) -> None:
    before = child.ask({}, LONG_SECONDS).message["pid"]
    child._ensure_running().send_signal(signal.SIGINT)
    assert child.ask({}, LONG_SECONDS).message["pid"] == before
