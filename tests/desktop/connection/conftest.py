"""Services that run a script in place of the real one."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from desktop.connection.local_service import EmbeddedService
from tests.desktop.connection.fake_process import FAKE_SERVICE_SCRIPT, Play, StateListener


@pytest.fixture
def listener() -> StateListener:
    return StateListener()


@pytest.fixture
def play(tmp_path: Path, listener: StateListener) -> Iterator[Play]:
    services: list[EmbeddedService] = []

    def make(script: str = FAKE_SERVICE_SCRIPT, **options: Any) -> EmbeddedService:
        command = [sys.executable, "-c", script]
        service = EmbeddedService(tmp_path / "数据 1", listener, command=command, **options)
        services.append(service)
        return service

    yield make
    for service in services:
        service.stop()
