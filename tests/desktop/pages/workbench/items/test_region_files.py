"""Export and import at the workbench, against the real service."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from desktop.exchange.formats import walkaround_json
from desktop.exchange.formats.archive import pack
from desktop.pages.workbench.items.region_files import RegionFilesController
from desktop.record.edit_names import edit_name
from desktop.record.slices import SLICE_SIZE
from tests.desktop.children import child
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record
from tests.narrowing import not_none


@pytest.fixture
def open_workbench(workbench: WorkbenchDriver, qtbot: QtBot) -> WorkbenchDriver:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    return workbench


def test_import_of_an_export_creates_the_same_regions_and_can_be_undone(
    open_workbench: WorkbenchDriver, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands, page = open_workbench.context.commands, open_workbench.page
    chosen = tmp_path / "左翼"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(chosen), ""))
    with qtbot.waitSignal(page.toast) as toast:
        assert commands.run("inspection.export")
    written = tmp_path / "左翼.json"
    assert str(written) in toast.args[0]
    assert [item.item_name for item in walkaround_json.read_inspection(written.read_bytes()).items] == [
        "条目1",
        "条目2",
        "条目3",
    ]

    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(written), ""))
    with qtbot.waitSignal(page.toast):
        assert commands.run("regions.import")
    assert open_workbench.names == ["条目1", "条目2", "条目3"] * 2
    qtbot.waitUntil(lambda: open_workbench.saved)
    items = open_workbench.session.items.all(page.open_record.record_id)
    assert len(items) == 6
    for old, new in zip(items[:3], items[3:], strict=True):
        assert old.item_point is not None
        assert new.item_point is not None
        assert old.item_point.point is not None
        assert new.item_point.point is not None
        before, after = old.item_point.point.model_dump(), new.item_point.point.model_dump()
        assert after == pytest.approx(before)
        assert new.item_point.fileInfo is not None
        assert new.model_id == "reference-difference"

    with qtbot.waitSignal(page.toast) as undone:
        page.canvas.undoing.undo()
    assert edit_name("import") in undone.args[0]
    assert open_workbench.names == ["条目1", "条目2", "条目3"]
    qtbot.waitUntil(lambda: open_workbench.saved)
    assert len(open_workbench.session.items.all(page.open_record.record_id)) == 3


def test_regions_without_names_and_models_get_some(
    open_workbench: WorkbenchDriver, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "left_wing_root.txt"
    path.write_text("0 0.5 0.5 0.2 0.2\n")
    exchange = child(open_workbench.page, RegionFilesController)
    with qtbot.waitSignal(exchange.notice) as notice:
        exchange.read(path)
    assert "1" in notice.args[0]
    item = not_none(open_workbench.page.open_record.document).items[-1]
    assert item.item_name == "Item A"
    assert item.model_id == "reference-difference"
    assert not_none(item.region(800, 600)).w == pytest.approx(160)


def test_file_that_cannot_be_imported_is_explained(
    open_workbench: WorkbenchDriver, qtbot: QtBot, tmp_path: Path
) -> None:
    exchange = child(open_workbench.page, RegionFilesController)
    two = {"labels/a.txt": "0 .5 .5 .5 .5\n", "labels/b.txt": "0 .5 .5 .5 .5\n"}
    cases = {
        "missing.json": (None, "read"),
        "broken.json": (b"{", "undamaged"),
        "outside.csv": (b"item_name,region_x,region_y,region_w,region_h\nA,900,0,5,5\n", "inside"),
        "two.zip": (pack(two), "several"),
        "many.txt": (b"0 .5 .5 .1 .1\n" * 10_001, "10000"),
    }
    for name, (data, word) in cases.items():
        if data is not None:
            (tmp_path / name).write_bytes(data)
        with qtbot.waitSignal(exchange.notice) as notice:
            exchange.read(tmp_path / name)
        assert word in notice.args[0], name
    assert open_workbench.names == ["条目1", "条目2", "条目3"]


def test_export_without_regions_is_disabled(
    open_workbench: WorkbenchDriver, qtbot: QtBot, tmp_path: Path
) -> None:
    from desktop.exchange.registry import FORMATS

    exchange = child(open_workbench.page, RegionFilesController)
    with qtbot.waitSignal(exchange.notice) as notice:
        exchange.exporter.write(
            open_workbench.page.open_record.record_id, tmp_path / "no" / "x.csv", FORMATS[1]
        )
    assert "another location" in notice.args[0]


def test_many_regions_are_imported_in_parts_and_undone_in_one_step(
    open_workbench: WorkbenchDriver, qtbot: QtBot, tmp_path: Path
) -> None:
    exchange = RegionFilesController(open_workbench.page.open_record, open_workbench.page)
    before = len(open_workbench.names)
    many = tmp_path / "many.txt"
    many.write_bytes(b"".join(b"0 %.3f .5 .01 .01\n" % (0.1 + 0.8 * n / 450) for n in range(450)))
    shown: list[int] = []
    open_workbench.page.open_record.rows_changed.connect(
        lambda: shown.append(len(open_workbench.page.open_record.rows))
    )
    with qtbot.waitSignal(exchange.notice) as notice:
        exchange.read(many)
    assert "450" in notice.args[0]
    assert len(open_workbench.names) == before + 450
    # The window answered between the parts.
    assert before + SLICE_SIZE in shown
    # Undo and redo work in parts, too, each as one step.
    edits, record_id = open_workbench.page.open_record.edits, open_workbench.page.open_record.record_id
    for command, count in (("edit.undo", before), ("edit.redo", before + 450), ("edit.undo", before)):
        open_workbench.context.commands.run(command)
        assert edits.next_step(record_id, command == "edit.undo")[1] == 450 - SLICE_SIZE

        def have(count: int = count) -> bool:
            return len(open_workbench.names) == count

        qtbot.waitUntil(have)

        assert edits.next_step(record_id, command == "edit.undo")[1] == 0
    open_workbench.context.commands.run("edit.redo")
    open_workbench.page.items.changes.rename("meanwhile")
    name = not_none(open_workbench.page.open_record.item).item_name
    qtbot.wait(0)
    # The user's edit takes precedence: the rest stays undone.
    assert edits.next_step(record_id, False)[1] == 0
    assert len(open_workbench.names) == before + SLICE_SIZE
    assert name == "meanwhile"


def test_part_is_painted_after_the_call_that_adds_it(open_workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    workbench, importing = (
        open_workbench.page.open_record,
        RegionFilesController(open_workbench.page.open_record, open_workbench.page).importing,
    )
    events: list[str] = []
    workbench.edits.applied.connect(lambda _: events.append("taken"))
    workbench.rows_changed.connect(lambda: events.append("shown"))
    before = len(workbench.rows)
    slices = importing._slices
    slices._run = _record_events(slices._run, events)  # type: ignore[method-assign]
    slices._timer.timeout.disconnect()
    slices._timer.timeout.connect(lambda: slices._run())
    importing.imported.connect(lambda _: events.append(f"imported at {len(workbench.rows)}"))
    importing.start([{"item_name": f"{number}"} for number in range(450)])
    # Responses of the service may be shown at any time after the end.
    end = f"imported at {before + 450}"
    qtbot.waitUntil(lambda: end in events)
    until_end = " ".join(events[: events.index(end)])
    # Nothing is shown while a part is taken; showing gets its own turns to paint.
    assert until_end.count("part taken end") == -(-450 // SLICE_SIZE)
    assert "taken shown" not in until_end
    assert "shown part end part end" in until_end
    assert "shown part taken" not in until_end
    assert "shown part end part taken" not in until_end


def _record_events(part: Callable[[], None], events: list[str]) -> Callable[[], None]:
    def run_and_record() -> None:
        events.append("part")
        part()
        events.append("end")

    return run_and_record


def test_a_record_without_items_has_nothing_to_export(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    commands = workbench.context.commands
    workbench.open(make_record(workbench.session, ()), qtbot.waitUntil)
    assert not commands.is_possible("inspection.export")
    assert not commands.is_possible("record.report")
    workbench.draw(0.3, 0.3, 0.5, 0.5)
    assert commands.is_possible("inspection.export")
    assert commands.is_possible("record.report")
