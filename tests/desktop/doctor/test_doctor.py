"""The system check: what the desktop finds, in both languages, and what it repairs."""

from __future__ import annotations

import ast
import json
import os
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

import platformdirs
import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from desktop import doctor
from desktop.context import Context
from desktop.display import check_window_libraries, connect_fcitx
from desktop.doctor import checks, computer, texts
from desktop.doctor.dialog import DoctorDialog
from desktop.doctor.network import ServiceLocation, network
from desktop.journal import Edit, EditKind, Journal
from desktop.journal.state import count_unsent_edits
from desktop.localization.language import Language
from desktop.user_folders import APP, preferences_file
from shared.system.checkup import CheckResult, Level, Repair, fail, from_json, ok, repair, to_json, warn
from shared.system.paths import program_folder

CHECKED = ("service/commands/doctor.py", "desktop/doctor")
FACTS = computer.DisplayFacts("xcb", ((1920, 1080, 1.0),), True)


def texts_of_checks() -> set[str]:
    """The literals that are given to `ok`, `warn` and `fail`, also by way of a constant."""
    texts: set[str] = set()
    for place in CHECKED:
        path = program_folder() / place
        for file in [path] if path.is_file() else sorted(path.glob("*.py")):
            tree = ast.parse(file.read_text("utf-8"))
            named = {
                target.id: node.value.value
                for node in ast.walk(tree)
                if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
                for target in node.targets
                if isinstance(target, ast.Name)
            }
            for node in ast.walk(tree):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") in {"ok", "warn", "fail"}:
                    for word in node.args[:2]:
                        parts = [word.body, word.orelse] if isinstance(word, ast.IfExp) else [word]
                        for part in parts:
                            value = part.value if isinstance(part, ast.Constant) else named[part.id]  # type: ignore[attr-defined]
                            texts.add(str(value))
    return texts


def test_every_text_of_a_check_can_be_translated() -> None:
    assert len(texts_of_checks()) > 90
    assert texts_of_checks() - set(texts.TEXTS) == set()


def test_results_are_in_the_current_language(qtbot: QtBot, catalogues: None) -> None:
    result = warn("no camera", "connect one, or work with photo files")
    spoken = Language()
    spoken.use("zh_CN")
    try:
        assert texts.message(result) == "没有摄像头"
        assert "{" not in texts.message(ok("cameras: {names}", names="A"))
    finally:
        spoken.end()
    assert texts.message(result) == "No camera"
    assert texts.advice(ok("no camera")) == ""


def test_result_is_restored_from_json() -> None:
    result = fail(
        "{file} can be read by other users",
        "run: chmod 600 '{file}'",
        Repair.OWNER_ONLY,
        Path("/x"),
        file="/x",
    )
    line = to_json("service", "secrets", result)
    assert json.loads(line)["found"] == "/x can be read by other users"
    assert from_json(line) == ("secrets", result)
    for wrong in ("{}", "[]", "no", '{"texts": 1}'):
        with pytest.raises(ValueError):
            from_json(wrong)


def test_repairs(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    repair(warn("", "", Repair.CREATE_FOLDER, folder))
    assert folder.is_dir()
    file = folder / "a.key"
    file.write_text("x")
    file.chmod(0o644)
    repair(fail("", "", Repair.OWNER_ONLY, file))
    assert file.stat().st_mode & 0o077 == 0
    (folder / "broken.zip").write_text("no archive")
    repair(warn("", "", Repair.DELETE_DAMAGED_TILES, folder))
    assert not (folder / "broken.zip").exists()
    repair(warn("", "", Repair.MOVE_AWAY, file))
    assert (folder / "a.key.broken").read_text() == "x"
    with pytest.raises(ValueError, match="no repair"):
        repair(ok("fine"))


@pytest.mark.parametrize(
    ("facts", "level", "text"),
    [
        (FACTS, Level.OK, "1920"),
        (computer.DisplayFacts("xcb", ((1000, 600, 2.0),), True), Level.WARN, "200%"),
        (computer.DisplayFacts("offscreen", (), True), Level.WARN, "no display"),
    ],
)
def test_display(facts: computer.DisplayFacts, level: Level, text: str) -> None:
    (result,) = computer.display(facts)
    assert result.level is level
    assert text in str(result)


@pytest.mark.parametrize(
    ("variables", "name"),
    [
        ({"QT_IM_MODULE": "fcitx"}, "input method fcitx"),
        ({"XMODIFIERS": "@im=ibus"}, "input method ibus"),
        ({}, "no input method"),
    ],
)
def test_input_method_of_the_session(
    variables: dict[str, str], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("QT_IM_MODULES", "QT_IM_MODULE", "XMODIFIERS", "IBUS_USE_PORTAL"):
        monkeypatch.setenv(variable, variables.get(variable, ""))
    monkeypatch.setattr(sys, "platform", "linux")
    (result,) = computer.input_methods()
    assert name in str(result)
    connect_fcitx()
    # Qt's wheels have a plugin for IBus only, and fcitx5 answers at the address of its portal.
    assert (os.environ["IBUS_USE_PORTAL"] == "1") == ("fcitx" in name)
    assert os.environ["QT_IM_MODULES"].startswith("ibus;") == ("fcitx" in name)
    assert list(computer.input_methods()) == [result]


def test_library_that_the_window_lacks_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plugin = tmp_path / "Qt" / "plugins" / "platforms" / "libqxcb.so"
    plugin.parent.mkdir(parents=True)
    plugin.touch()
    package = SimpleNamespace(submodule_search_locations=[str(tmp_path)])
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: package)

    def load(_path: str) -> None:
        raise OSError("libxcb-icccm.so.4: cannot open shared object file: No such file or directory")

    monkeypatch.setattr("ctypes.CDLL", load)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    check_window_libraries()
    monkeypatch.setenv("QT_QPA_PLATFORM", "")
    with pytest.raises(ImportError, match=r"libxcb-icccm\.so\.4"):
        check_window_libraries()


def test_fonts() -> None:
    (good,) = computer.fonts(FACTS)
    (bad,) = computer.fonts(computer.DisplayFacts("xcb", (), False))
    assert (good.level, bad.level) == (Level.OK, Level.WARN)
    assert "fonts-noto-cjk" in str(bad)


def test_camera_is_reported_by_its_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WALKAROUND_CAMERA", str(tmp_path))
    results = list(computer.camera())
    assert results[0].level in (Level.OK, Level.WARN)
    monkeypatch.setattr(computer, "sources", list)
    monkeypatch.setattr(sys, "platform", "win32")
    (none,) = computer.camera()
    assert none.level is Level.WARN


def test_preferences_that_cannot_be_read_are_set_aside(tmp_path: Path) -> None:
    path = preferences_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{broken", encoding="utf-8")
    (result,) = [candidate for candidate in computer.folders() if candidate.repair is Repair.MOVE_AWAY]
    repair(result)
    assert not path.exists()
    assert all(result.level is Level.OK for result in computer.folders())


def test_folder_that_is_a_file_is_a_fault() -> None:
    data = Path(platformdirs.user_data_dir(APP, appauthor=False))
    data.parent.mkdir(parents=True, exist_ok=True)
    data.touch()
    faults = [result for result in computer.folders() if result.level is Level.FAIL]
    assert any(str(data) in str(result) for result in faults)


def test_unsent_edits_are_counted_without_opening_the_journal() -> None:
    path = Path(platformdirs.user_data_dir(APP, appauthor=False)) / "journal" / "user.journal"
    (nothing,) = computer.journals()
    assert nothing.level is Level.OK
    journal = Journal.open(path)
    names = ({"item_name": "a"}, {"item_name": "b"})
    try:
        journal.append(Edit("record", "item", "id", EditKind.UPDATE, *names, "rename", 0.0))
        assert count_unsent_edits(path) == 1
        (result,) = computer.journals()
    finally:
        journal.close()
    assert result.level is Level.WARN
    assert "1 edits" in str(result)
    assert count_unsent_edits(path.with_name("none.journal")) == 0


def test_clock() -> None:
    (result,) = computer.clock()
    assert result.level is Level.OK


class _Service(BaseHTTPRequestHandler):
    ready = 200
    date = ""

    def do_GET(self) -> None:
        good = self.path == "/healthz" or self.ready == 200
        body: dict[str, Any] = {"status": "ok"} if good else {"data": {"failed": {"disk": "disk_full"}}}
        data = json.dumps(body).encode()
        self.send_response(200 if good else self.ready)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def date_time_string(self, timestamp: float | None = None) -> str:
        return self.date or super().date_time_string(timestamp)

    def log_message(self, *_arguments: object) -> None:
        pass


@pytest.fixture
def http_service() -> Iterator[tuple[ServiceLocation, type[_Service]]]:
    class Handler(_Service):
        pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield ServiceLocation(f"http://127.0.0.1:{server.server_address[1]}"), Handler
    server.shutdown()
    thread.join()
    server.server_close()


def texts_of_level(results: list[CheckResult], level: Level) -> str:
    return "\n".join(str(result) for result in results if result.level is level)


def test_network(
    http_service: tuple[ServiceLocation, type[_Service]], monkeypatch: pytest.MonkeyPatch
) -> None:
    location, handler = http_service
    monkeypatch.setenv("HTTPS_PROXY", "http://user:canary@proxy:1")
    results = list(network(location))
    assert "clocks of this computer and of the service agree" in texts_of_level(results, Level.OK)
    assert "proxy" in texts_of_level(results, Level.OK)
    assert "canary" not in "".join(map(str, results))
    handler.ready = 503
    handler.date = "Thu, 01 Jan 2026 00:00:00 GMT"
    results = list(network(location))
    assert "disk (disk_full)" in texts_of_level(results, Level.FAIL)
    assert "differ by" in texts_of_level(results, Level.WARN)


def test_unreachable_service_is_a_fault() -> None:
    (result,) = network(ServiceLocation("http://127.0.0.1:9"))
    assert result.level is Level.FAIL
    assert "cannot be reached" in str(result)


def test_without_libraries_of_the_windows_only_a_display_makes_it_a_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    (server,) = doctor.no_window_libraries(ImportError("libGL.so.1"))
    assert server.level is Level.WARN
    monkeypatch.setenv("DISPLAY", ":0")
    (desk,) = doctor.no_window_libraries(ImportError("libGL.so.1"))
    assert desk.level is Level.FAIL
    assert "libGL" in str(desk)


def test_service_without_libraries_of_the_windows_has_no_fault(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("QT_QPA_PLATFORM", raising=False)
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setitem(sys.modules, "PySide6.QtWidgets", None)
    assert doctor.main([]) == 0
    assert capsys.readouterr().out.startswith("warn")


def test_command_line_takes_side_and_json(qtbot: QtBot, capsys: pytest.CaptureFixture[str]) -> None:
    assert doctor.main(["--side", "service"]) == 0
    assert capsys.readouterr().out == ""
    doctor.main(["--json"])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {line["side"] for line in lines} == {"desktop"}
    assert {line["check"] for line in lines} >= {name for name, _check in checks.computer_checks(FACTS)} - {
        "camera"
    }


def test_service_side_runs_in_a_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = to_json("service", "python", ok("Python {version}", version="3"))
    monkeypatch.setattr(
        checks,
        "program_command",
        lambda *_words: [sys.executable, "-c", f"print({line!r}); print('noise')"],
    )
    assert checks.service_checks(tmp_path) == [("python", ok("Python {version}", version="3"))]
    monkeypatch.setattr(checks, "program_command", lambda *_words: [sys.executable, "-c", ""])
    [(_name, result)] = checks.service_checks(tmp_path)
    assert result.level is Level.FAIL


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "secret.key"
    path.write_text("x")
    path.chmod(0o644)
    return path


def test_dialog_shows_worst_first_mends_and_copies(
    qtbot: QtBot, context: Context, key: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def secrets() -> list[tuple[str, CheckResult]]:
        if key.stat().st_mode & 0o077:
            bad = fail(
                "{file} can be read by other users",
                "run: chmod 600 '{file}'",
                Repair.OWNER_ONLY,
                key,
                file=key,
            )
            return [("secrets", bad)]
        return [("secrets", ok("{file} is readable by its owner only", file=key.name))]

    home = str(Path.home())
    checks = [lambda: [("fonts", ok("files are stored in {place}", place=home))], secrets]
    monkeypatch.setattr("desktop.doctor.dialog.list_checks", lambda _context: checks)
    dialog = DoctorDialog(None, context)
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitUntil(dialog.again.isEnabled)
    assert "1 fault" in dialog.summary.text()
    assert len(dialog.repair_buttons) == 1
    assert "secret.key" in dialog.report()
    assert home not in dialog.report()
    dialog.repair_buttons[0].click()
    qtbot.waitUntil(lambda: dialog.summary.text() == "Everything works.")
    assert dialog.repair_buttons == []
    dialog.copy.click()
    assert "secret.key is readable by its owner only" in QGuiApplication.clipboard().text()


def test_failed_repair_is_reported(qtbot: QtBot, context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    fault = fail(
        "no camera", "connect one, or work with photo files", Repair.OWNER_ONLY, Path("/no/such/file")
    )
    monkeypatch.setattr("desktop.doctor.dialog.list_checks", lambda _context: [lambda: [("camera", fault)]])
    dialog = DoctorDialog(None, context)
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitUntil(dialog.again.isEnabled)
    dialog.repair_buttons[0].click()
    qtbot.waitUntil(lambda: "Cannot repair" in dialog.summary.text())
    assert dialog.repair_buttons[0].isEnabled()
