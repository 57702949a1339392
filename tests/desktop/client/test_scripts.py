"""What scripts use of the client, without a service."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from desktop.client import Session
from desktop.client.http.errors import ServerFault, Unreachable, Untrusted
from desktop.client.scripts import Credentials, changes, credentials, every, logged_in, wait_for_detection
from shared.system.paths import program_folder
from shared.wire.common import Page, pagination
from shared.wire.detection import Job, JobState
from shared.wire.events import ChangeEvent
from tests.desktop.client.fake_service import BASE, SECRET, Service
from tests.desktop.tls_server import TlsServer

NAMES = ("WALKAROUND_URL", "WALKAROUND_USERNAME", "WALKAROUND_PASSWORD", "WALKAROUND_FINGERPRINT")
LOGIN = ("zhang", SECRET)

# What the client may load besides the standard library: httpx, truststore and pydantic with what they need.
LIGHT = {
    "annotated_types", "anyio", "certifi", "click", "h11", "httpcore", "httpx", "idna", "pydantic",
    "pydantic_core", "pygments", "rich", "sniffio", "truststore", "typing_extensions",
    "typing_inspection", "desktop", "shared",
}  # fmt: skip


def test_client_loads_no_qt_and_no_service() -> None:
    code = "import sys; old = {*sys.modules}; import desktop.client.scripts; print(*({*sys.modules} - old))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(program_folder())},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {name.partition(".")[0] for name in done.stdout.split() if not name.startswith("_")}
    assert "desktop" in loaded
    assert loaded - set(sys.stdlib_module_names) <= LIGHT


@pytest.fixture(autouse=True)
def _no_login(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)


def env_file(tmp_path: Path, text: str, mode: int = 0o600) -> Path:
    path = tmp_path / "service.env"
    path.write_text(text, "utf-8")
    path.chmod(mode)
    return path


def test_credentials_come_from_the_environment_before_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = env_file(
        tmp_path,
        "# the test service\nWALKAROUND_URL=http://a\n WALKAROUND_USERNAME = 张三\nWALKAROUND_PASSWORD=a=b\n",
    )
    monkeypatch.setenv("WALKAROUND_URL", "http://b")
    login = credentials(path)
    assert login == Credentials("http://b", "张三", "a=b")
    assert "a=b" not in repr(login)


def test_quotes_around_values_of_the_file_are_removed(tmp_path: Path) -> None:
    path = env_file(
        tmp_path,
        "WALKAROUND_URL='https://a'\nWALKAROUND_USERNAME=\"li mei\"\n"
        "WALKAROUND_PASSWORD='it's \"so\"'\nWALKAROUND_FINGERPRINT='ab:cd'\n",
    )
    assert credentials(path) == Credentials("https://a", "li mei", 'it\'s "so"', "AB:CD")
    path.write_text("WALKAROUND_URL=http://a\nWALKAROUND_USERNAME='\nWALKAROUND_PASSWORD=\"x'\n", "utf-8")
    assert credentials(path) == Credentials("http://a", "'", "\"x'")


def test_fingerprint_is_refused_where_nothing_compares_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in zip(NAMES, ("http://a", "chief", "secret", "AB:CD"), strict=True):
        monkeypatch.setenv(name, value)
    with pytest.raises(ValueError, match="WALKAROUND_FINGERPRINT needs an address"):
        credentials()


@pytest.mark.parametrize("suffix", ["", "/", "/api", "/api/"])
@pytest.mark.parametrize(
    ("variables", "language"),
    [
        ({"LANG": "en_US.UTF-8"}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh-CN"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "de_DE.UTF-8"}, "en"),
    ],
)
def test_login_takes_either_address_and_the_language_of_the_locale(
    suffix: str,
    variables: dict[str, str],
    language: str,
    service: Service,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    transport = httpx.MockTransport(service)
    monkeypatch.setattr(
        "desktop.client.scripts.Session",
        lambda url, **options: Session(url, transport=transport, **options),
    )
    with logged_in(Credentials(f"{BASE}{suffix}", *LOGIN)):
        pass
    assert service.requests[0].url.path == "/api/auth/login"
    assert {request.headers["Accept-Language"] for request in service.requests} == {language}


def test_own_certificate_is_trusted_by_its_fingerprint_only(tmp_path: Path) -> None:
    with TlsServer(tmp_path).running() as server:
        for fingerprint in (None, "AB:CD"):
            login = Credentials(server.url, *LOGIN, fingerprint)
            with pytest.raises(Untrusted, match="WALKAROUND_FINGERPRINT") as raised, logged_in(login):
                pass
            assert server.fingerprint in str(raised.value)
            assert (raised.value.found, raised.value.trusted) == (server.fingerprint, fingerprint)
        assert server.paths == []
        # The server is asked, and its answer is none of a login.
        login = Credentials(server.url, *LOGIN, server.fingerprint)
        with pytest.raises(ServerFault), logged_in(login):
            pass
        assert server.paths == ["/api/auth/login"]


@pytest.mark.skipif(os.name != "posix", reason="modes of files")
def test_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    path = env_file(tmp_path, "WALKAROUND_PASSWORD=secret\n", 0o644)
    with pytest.raises(PermissionError, match="chmod 600") as raised:
        credentials(path)
    assert "secret" not in str(raised.value)


def test_missing_credentials_are_requested_at_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WALKAROUND_URL", "http://a")
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    with pytest.raises(ValueError, match="set WALKAROUND_USERNAME, WALKAROUND_PASSWORD"):
        credentials()
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda _: "chief")
    monkeypatch.setattr("getpass.getpass", lambda _: "typed")
    assert credentials() == Credentials("http://a", "chief", "typed")


def test_entries_come_once_while_the_list_grows() -> None:
    entries = [str(number) for number in range(5)]

    def fetch(number: int, _size: int) -> Page[str]:
        # A new one at the front for each page that is read.
        entries.insert(0, f"new {number}")
        page = entries[(number - 1) * 2 : number * 2]
        return Page(data=page, pagination=pagination(number, 2, len(entries)))

    result = list(every(fetch, lambda entry: entry))
    assert len(result) == len(set(result))
    assert set(result) >= {str(number) for number in range(5)}


class ScriptedDetection:
    """In place of `Session.detection`: a job in one state after the other."""

    def __init__(self, *states: JobState) -> None:
        self._states = list(states)

    def job(self, _job_id: str) -> Job:
        return job(self._states.pop(0) if len(self._states) > 1 else self._states[0])


def job(state: JobState) -> Job:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return Job(
        job_id="j", item_id="i", inspection_id="r", model_id="m", batch_id=None, state=state, progress=0,
        error=None, message=None, version=None, created_at=at, updated_at=at,
    )  # fmt: skip


def test_wait_for_detection_returns_the_finished_job() -> None:
    session: Any = type("Fake", (), {"detection": ScriptedDetection(JobState.RUNNING, JobState.FAILED)})
    states: list[JobState] = []
    ended = wait_for_detection(
        session, job(JobState.QUEUED), 60, lambda current: states.append(current.state)
    )
    assert (ended.state, states) == (JobState.FAILED, [JobState.RUNNING, JobState.FAILED])
    assert wait_for_detection(session, job(JobState.CANCELED), 0).state is JobState.CANCELED


def test_detection_that_takes_too_long_raises() -> None:
    session: Any = type("Fake", (), {"detection": ScriptedDetection(JobState.RUNNING)})
    with pytest.raises(TimeoutError, match="has not ended after 0 s"):
        wait_for_detection(session, job(JobState.QUEUED), 0)


def change(number: int) -> ChangeEvent:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return ChangeEvent(id=f"e-{number}", action="update", kind="item", object_id="i", actor=None, at=at)


class ScriptedEvents:
    """In place of `Session.events`: streams that break off, and what each was asked to go on after."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.last_ids: list[str | None] = []

    def changes(self, last_id: str | None) -> Iterator[ChangeEvent | None]:
        self.last_ids.append(last_id)
        if len(self.last_ids) == 1:
            yield change(1)
            raise Unreachable
        if len(self.last_ids) == 2:
            yield None
            return
        yield change(2)
        self._session.close()
        raise Unreachable

    def close(self) -> None:
        """The stream that is open ends by itself."""


def test_changes_continue_after_a_lost_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("desktop.client.scripts._FIRST_PAUSE", 0.0)
    session = Session("http://127.0.0.1:9")
    streams = ScriptedEvents(session)
    monkeypatch.setattr(session, "events", streams)
    change_ids = [None if change is None else change.id for change in changes(session, "e-0")]
    assert change_ids == ["e-1", None, "e-2"]
    assert streams.last_ids == ["e-0", "e-1", "e-1"]
