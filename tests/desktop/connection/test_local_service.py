"""The embedded service, with real processes: a small played one, and the service itself."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from desktop.client import Session
from desktop.connection.local_service import EmbeddedService, ServiceState
from shared.record.codes import StorageFault
from shared.system.paths import program_folder
from tests.desktop.connection.fake_process import FAKE_SERVICE_SCRIPT, Play, StateListener
from tests.narrowing import not_none, reread
from tests.service_process import running_service

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="kills processes by signal")]


def listens(url: str) -> bool:
    address = urlsplit(url)
    with contextlib.suppress(OSError), socket.create_connection((address.hostname, address.port), 1):
        return True
    return False


def stops_listening(url: str, seconds: float = 20) -> bool:
    ends = time.monotonic() + seconds
    while listens(url):
        if time.monotonic() > ends:
            return False
        time.sleep(0.05)
    return True


def test_service_starts_reports_its_address_and_stops(play: Play, listener: StateListener) -> None:
    service = play()
    service.start()
    url = service.wait_until_ready()
    assert listens(url)
    assert service.url == url
    service.stop()
    assert stops_listening(url)
    assert service.pid is None
    assert listener.states == [
        (ServiceState.STARTING, None),
        (ServiceState.READY, url),
        (ServiceState.STOPPED, None),
    ]
    assert "starting" in service.log_file.read_text()


def test_service_is_restarted_after_kill_9(play: Play, listener: StateListener) -> None:
    service = play()
    service.start()
    first = service.wait_until_ready()
    pid = not_none(service.pid)
    os.kill(pid, signal.SIGKILL)
    listener.wait(ServiceState.STARTING, ServiceState.READY, ServiceState.RESTARTING, ServiceState.READY)
    second = service.wait_until_ready()
    assert second != first
    assert listens(second)
    assert service.pid != pid


def test_failed_restarts_are_reported_and_can_be_retried(
    play: Play, listener: StateListener, tmp_path: Path
) -> None:
    flag = tmp_path / "repaired"
    check = f"import os, sys\nif not os.path.exists({str(flag)!r}): sys.exit('no space left')\n"
    script = check + FAKE_SERVICE_SCRIPT
    service = play(script, max_attempts=2)
    service.start()
    with pytest.raises(TimeoutError, match=r"service\.log"):
        service.wait_until_ready()
    assert service.state is ServiceState.FAILED
    assert service.log_file.read_text().count("no space left") == 2
    flag.touch()
    service.retry()
    assert listens(service.wait_until_ready())


def test_start_with_a_permanent_hindrance_is_not_retried(play: Play) -> None:
    service = play("""print('{"event": "failed", "why": "disk_full"}')""")
    service.start()
    with pytest.raises(TimeoutError):
        service.wait_until_ready()
    assert (service.state, service.storage_fault) == (ServiceState.FAILED, StorageFault.DISK_FULL)


def test_start_with_a_locked_database_is_retried(play: Play, tmp_path: Path) -> None:
    tried = tmp_path / "tried"
    script = f"""
with open({str(tried)!r}, "a") as file:
    file.write("x")
print('{{"event": "failed", "why": "busy_database"}}')
"""
    service = play(script, max_attempts=2)
    service.start()
    with pytest.raises(TimeoutError):
        service.wait_until_ready()
    assert (service.state, service.storage_fault) == (ServiceState.FAILED, StorageFault.BUSY_DATABASE)
    assert tried.read_text() == "xx"


@pytest.mark.parametrize("why", ["null", '"of_the_future"'])
def test_failed_start_without_a_known_reason_is_retried(play: Play, why: str) -> None:
    service = play(f"""print('{{"event": "failed", "why": {why}}}')""", max_attempts=2)
    service.start()
    with pytest.raises(TimeoutError):
        service.wait_until_ready()
    assert (service.state, service.storage_fault) == (ServiceState.FAILED, None)


def test_data_directory_that_cannot_be_created_is_a_hindrance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: object, **_options: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", refuse)
    service = EmbeddedService(tmp_path / "data")
    service.start()
    with pytest.raises(TimeoutError):
        service.wait_until_ready()
    assert service.storage_fault is StorageFault.NOT_WRITABLE
    service.stop()


BUSY_THEN_READY = """
import json, pathlib, sys
folder = pathlib.Path(sys.argv[1])
(folder / "starts").open("a").write("x")
if len((folder / "starts").read_text()) == 1:
    print('{"event": "busy", "url": null}')
    sys.exit(3)
"""


def test_another_service_that_still_starts_is_awaited(
    play: Play, listener: StateListener, tmp_path: Path
) -> None:
    """It holds the data folder and has no address yet; then it ends, and the place is free."""
    script = f"import sys\nsys.argv = ['', {str(tmp_path)!r}]\n{BUSY_THEN_READY}\n{FAKE_SERVICE_SCRIPT}"
    service = play(script, max_attempts=1)
    service.start()
    assert listens(service.wait_until_ready())
    assert [state for state, _ in listener.states] == [ServiceState.STARTING, ServiceState.READY]


def test_address_of_another_service_is_found_if_it_exists(play: Play, tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", FAKE_SERVICE_SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        line = not_none(other.stdout).readline()
        busy = f"""
import pathlib
print('{{"event": "busy", "url": null}}', flush=True)
pathlib.Path({str(tmp_path / "数据 1" / "service.json")!r}).write_text({line!r})
"""
        service = play(busy, max_attempts=1)
        service.start()
        assert service.wait_until_ready() == json.loads(line)["url"]
        service.stop()
        not_none(other.stdin).close()


def test_a_service_that_never_gets_ready_is_ended(play: Play) -> None:
    service = play("import time; time.sleep(600)", max_attempts=1, ready_seconds=0.3)
    service.start()
    with pytest.raises(TimeoutError):
        service.wait_until_ready()
    assert service.pid is None
    assert "not ready" in service.log_file.read_text()


def test_stop_during_the_start_leaves_no_process(play: Play) -> None:
    service = play("import sys; sys.stdin.read()")
    service.start()
    while reread(service.pid) is None:
        time.sleep(0.01)
    service.stop()
    assert service.pid is None
    assert service.state is ServiceState.STOPPED


def test_missing_program_is_a_failure(tmp_path: Path) -> None:
    service = EmbeddedService(tmp_path, command=[str(tmp_path / "nothing")], max_attempts=1)
    service.start()
    with pytest.raises(TimeoutError):
        service.wait_until_ready()
    service.stop()
    assert "cannot start" in service.log_file.read_text()


def test_a_service_that_does_not_listen_to_its_pipe_is_ended_by_force(play: Play) -> None:
    deaf = FAKE_SERVICE_SCRIPT.replace("sys.stdin.read(), os._exit(0)", "None").replace(
        "import http", "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\nimport http"
    )
    service = play(deaf)
    service.start()
    url = service.wait_until_ready()
    service.stop(grace=0.1)
    assert stops_listening(url)


def test_second_desktop_takes_over_a_shared_service(tmp_path: Path) -> None:
    first_listener, second_listener = StateListener(), StateListener()
    first = EmbeddedService(tmp_path, first_listener)
    second = EmbeddedService(tmp_path, second_listener)
    try:
        first.start()
        url = first.wait_until_ready()
        second.start()
        assert second.wait_until_ready() == url
        assert reread(second.pid) is None
        first.stop()
        second_listener.wait(
            ServiceState.STARTING, ServiceState.READY, ServiceState.RESTARTING, ServiceState.READY
        )
        assert second.pid is not None
        assert listens(second.wait_until_ready())
    finally:
        first.stop()
        second.stop()


def test_calls_continue_after_the_service_was_killed(tmp_path: Path) -> None:
    session = Session("http://127.0.0.1:9", patience=60)

    def set_listener(state: ServiceState, url: str | None) -> None:
        if url is not None:
            session.rebase(url)

    service = EmbeddedService(tmp_path, set_listener)
    try:
        service.start()
        service.wait_until_ready()
        assert session.account.first_run_needed()
        os.kill(not_none(service.pid), signal.SIGKILL)
        assert session.account.first_run_needed()
    finally:
        service.stop()
        session.close()


def test_a_service_for_the_network_on_the_same_data_is_used_by_its_fingerprint(tmp_path: Path) -> None:
    with running_service(tmp_path, host="0.0.0.0") as other:
        service = EmbeddedService(tmp_path)
        try:
            service.start()
            url = service.wait_until_ready(60)
            assert (url, service.fingerprint) == (other.url, other.ready["fingerprint"])
            session = Session("http://127.0.0.1:9", patience=0)
            session.rebase(url, service.fingerprint)
            assert session.account.first_run_needed()
            session.close()
        finally:
            service.stop()


DESKTOP = """
import sys, time
from pathlib import Path
from desktop.connection.local_service import EmbeddedService
service = EmbeddedService(Path(sys.argv[1]))
service.start()
print(service.wait_until_ready(), flush=True)
time.sleep(600)
"""


def test_the_service_ends_when_the_desktop_is_killed(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", DESKTOP, str(tmp_path)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=program_folder(),
    ) as desktop:
        url = not_none(desktop.stdout).readline().strip()
        assert listens(url)
        desktop.kill()
    assert stops_listening(url)


def test_address_file_of_a_killed_service_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "service.json").write_text(json.dumps({"event": "ready", "url": "http://127.0.0.1:9"}))
    service = EmbeddedService(tmp_path)
    try:
        service.start()
        assert listens(service.wait_until_ready())
    finally:
        service.stop()
