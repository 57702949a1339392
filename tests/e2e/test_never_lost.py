"""Tests that no acknowledged change is lost: with a killed service, a full disk or a silent database."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from service.settings import Settings
from tests.e2e import disturbed_service as scenarios
from tests.e2e.acknowledged_changes import Writers
from tests.e2e.disturbed_service import ScenarioResult, Service
from tests.postgresql import Server, find_binaries

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="kill -9, tmpfs and stopped processes"),
]

Scenario = Callable[[Service, Writers], list[float]]
THREADS = 6


@pytest.fixture(autouse=True)
def short_statements(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the time limit of statements, so that the service soon refuses requests without a database."""
    monkeypatch.setattr(scenarios, "STATEMENT_SECONDS", 1)


@pytest.fixture
def settings(database_kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> Settings:
    if database_kind == "sqlite":
        return scenarios.create_settings(tmp_path, "")
    server: Server = request.getfixturevalue("server")
    server.execute("DROP DATABASE IF EXISTS lost WITH (FORCE)")
    server.execute("CREATE DATABASE lost")
    return scenarios.create_settings(tmp_path, server.url("lost"))


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server for this module only, because the tests pause and restart it."""
    binaries = find_binaries()
    assert binaries is not None, "the test lacks the marker postgresql"
    server = Server(binaries, fsync="on")
    yield server
    server.stop()


def play_scenario(settings: Settings, scenario: Scenario) -> ScenarioResult:
    outcome = scenarios.run_scenario(settings, THREADS, scenario)
    assert outcome.losses.is_empty, outcome.losses
    assert outcome.others == []
    assert outcome.acknowledged > 2 * THREADS
    # A refusal takes at most the time limit of its statement, and of those before it.
    assert outcome.longest < 60
    return outcome


@pytest.mark.both_databases
@pytest.mark.slow(120)
def test_killed_service_loses_no_acknowledged_change(settings: Settings, database_kind: str) -> None:
    assert len(play_scenario(settings, scenarios.kill_repeatedly(2)).recoveries) == 2


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_full_disk_loses_no_acknowledged_change(
    settings: Settings, database_kind: str, tmp_path: Path
) -> None:
    try:
        with scenarios.mount_small_disk(tmp_path / "disk") as disk:
            outcome = play_scenario(scenarios.create_settings(disk, ""), scenarios.fill_disk(disk))
    except (subprocess.CalledProcessError, OSError):
        pytest.skip("this user may mount no tmpfs")
    assert [sentence for sentence in outcome.refused if "空间不足" not in sentence] == []


@pytest.mark.both_databases
@pytest.mark.slow(120)
def test_silent_database_loses_no_acknowledged_change(
    settings: Settings, database_kind: str, request: pytest.FixtureRequest
) -> None:
    path = settings.data_dir / "walkaround.db"
    if database_kind == "sqlite":
        outcome = play_scenario(settings, scenarios.block_database(lambda: scenarios.lock_database(path), 0))
    else:
        server: Server = request.getfixturevalue("server")
        outcome = play_scenario(settings, scenarios.block_database(server.pause, 0))
    assert outcome.refused
    assert [sentence for sentence in outcome.refused if "数据库" not in sentence] == []


@pytest.mark.postgresql
@pytest.mark.parametrize("database_kind", ["postgresql"])
@pytest.mark.slow(120)
def test_crashed_database_server_loses_no_acknowledged_change(
    settings: Settings, server: Server, database_kind: str
) -> None:
    assert len(play_scenario(settings, scenarios.restart_repeatedly(server, 1)).recoveries) == 1
