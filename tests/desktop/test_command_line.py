"""`walkaround run` and `walkaround demo`: what they take, and what happens without a display."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import types
from pathlib import Path

import pytest

from desktop import command_line, display
from shared.system.paths import program_command, program_folder


@pytest.fixture
def demo_folders(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Where the demo was played; the demo itself has tests of its own."""
    places: list[Path] = []
    demo = types.ModuleType("desktop.demo")

    def play_demo(out: Path) -> int:
        places.append(out)
        return 0

    demo.play_demo = play_demo  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "desktop.demo", demo)
    return places


def no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)


def test_demo_without_a_display_prints_the_folder_of_its_pictures(
    monkeypatch: pytest.MonkeyPatch, demo_folders: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    no_display(monkeypatch)
    assert command_line.main(["run"]) == 0
    assert command_line.main(["run", "--out", "elsewhere"]) == 0
    assert demo_folders == [Path("out"), Path("elsewhere")]
    output = capsys.readouterr().out
    assert str(Path("out") / "workbench.png") in output
    assert str(Path("elsewhere") / "report.pdf") in output


def test_demo_takes_a_folder(demo_folders: list[Path]) -> None:
    assert command_line.main(["demo", "--out", "there"]) == 0
    assert command_line.main(["demo"]) == 0
    assert demo_folders == [Path("there"), Path("out")]


@pytest.mark.parametrize("name", ["DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"])
def test_any_of_these_is_a_display(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    no_display(monkeypatch)
    assert not display.has_display()
    monkeypatch.setenv(name, "x")
    assert display.has_display()


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_other_systems_have_a_display(monkeypatch: pytest.MonkeyPatch, platform: str) -> None:
    no_display(monkeypatch)
    monkeypatch.setattr(sys, "platform", platform)
    assert display.has_display()


@pytest.mark.parametrize("address", ["localhost:8600", "ftp://host", "http://", ""])
def test_invalid_address_is_refused(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        command_line.main(["run", "--server", address])
    assert ended.value.code == 2
    assert "whole address" in capsys.readouterr().err


def _takes_sigterm(process_id: int) -> bool:
    status = Path(f"/proc/{process_id}/status").read_text("ascii")
    caught = int(status.partition("SigCgt:")[2].split()[0], 16)
    return bool(caught >> (signal.SIGTERM - 1) & 1)


@pytest.mark.skipif(sys.platform != "linux", reason="the system says there which signals a process takes")
def test_the_program_starts_and_ends_in_order_on_sigterm(tmp_path: Path) -> None:
    process = subprocess.Popen(
        program_command("run", "--server", "http://127.0.0.1:9"),
        cwd=program_folder(),
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while process.poll() is None and not _takes_sigterm(process.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 0, errors
    assert "Traceback" not in errors
