"""Nothing that a service has acknowledged is lost: killed, on a full disk, without its database.

Short versions of `python -m benchmarks.lost`, which does it at length and prints figures.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchmarks import lost
from benchmarks.acknowledged import Writers
from benchmarks.lost import ScenarioResult, Service
from service.settings import Settings
from tests.postgresql import Server, find_binaries

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="kill -9, tmpfs and standing processes")

Scenario = Callable[[Service, Writers], list[float]]
THREADS = 6
both = pytest.mark.parametrize(
    "database_kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)]
)


@pytest.fixture(autouse=True)
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """Statements end soon, so that what waits for a database that is away is refused soon."""
    monkeypatch.setattr(lost, "STATEMENT_SECONDS", 1)


@pytest.fixture
def settings(database_kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> Settings:
    if database_kind == "sqlite":
        return lost.create_settings(tmp_path, "")
    server: Server = request.getfixturevalue("server")
    server.execute("DROP DATABASE IF EXISTS lost WITH (FORCE)")
    server.execute("CREATE DATABASE lost")
    return lost.create_settings(tmp_path, server.url("lost"))


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server of this module's own, which is paused and restarted."""
    place = find_binaries()
    if place is None:
        pytest.skip("no PostgreSQL server binary on this machine")
    server = Server(place, fsync="on")
    yield server
    server.stop()


def play_scenario(settings: Settings, scenario: Scenario) -> ScenarioResult:
    outcome = lost.run_scenario(settings, THREADS, scenario)
    assert outcome.losses.is_empty, outcome.losses
    assert outcome.others == []
    assert outcome.acknowledged > 2 * THREADS
    # A refusal comes within the time of a statement, and that for its turn and for others.
    assert outcome.longest < 60
    return outcome


@both
@pytest.mark.slow(120)
def test_killed_under_load(settings: Settings, database_kind: str) -> None:
    assert len(play_scenario(settings, lost.kill_repeatedly(2)).recoveries) == 2


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_a_full_disk(settings: Settings, database_kind: str, tmp_path: Path) -> None:
    try:
        with lost.mount_small_disk(tmp_path / "disk") as disk:
            outcome = play_scenario(lost.create_settings(disk, ""), lost.fill_disk(disk))
    except (subprocess.CalledProcessError, OSError):
        pytest.skip("this user may mount no tmpfs")
    assert [sentence for sentence in outcome.refused if "空间不足" not in sentence] == []


@both
@pytest.mark.slow(120)
def test_a_database_that_does_not_answer(
    settings: Settings, database_kind: str, request: pytest.FixtureRequest
) -> None:
    path = settings.data_dir / "walkaround.db"
    if database_kind == "sqlite":
        outcome = play_scenario(settings, lost.block_database(lambda: lost.lock_database(path), 0))
    else:
        server: Server = request.getfixturevalue("server")
        outcome = play_scenario(settings, lost.block_database(server.pause, 0))
    assert outcome.refused
    assert [sentence for sentence in outcome.refused if "数据库" not in sentence] == []


@pytest.mark.postgresql
@pytest.mark.parametrize("database_kind", ["postgresql"])
@pytest.mark.slow(120)
def test_a_database_server_that_crashes_under_load(
    settings: Settings, server: Server, database_kind: str
) -> None:
    assert len(play_scenario(settings, lost.restart_repeatedly(server, 1)).recoveries) == 1
