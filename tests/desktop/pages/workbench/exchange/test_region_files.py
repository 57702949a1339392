"""Export and import at the workbench, against the real service."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from desktop.exchange.formats import walkaround_json
from desktop.exchange.formats.archive import pack
from desktop.pages.workbench.exchange.region_files import RegionFilesController
from desktop.pages.workbench.model.edit_names import edit_name
from desktop.pages.workbench.open_record.slices import SLICE_SIZE
from tests.desktop.children import child
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record
from tests.narrowing import not_none


@pytest.fixture
def opened(workbench: WorkbenchDriver, qtbot: QtBot) -> WorkbenchDriver:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    return workbench


def test_export_then_import_makes_the_same_regions_and_undo_takes_them_back(
    opened: WorkbenchDriver, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands, page = opened.context.commands, opened.page
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
    assert opened.names == ["条目1", "条目2", "条目3"] * 2
    qtbot.waitUntil(lambda: opened.saved)
    items = opened.session.items.all(page.open_record.record_id)
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
        page.undo_controller.undo()
    assert edit_name("import") in undone.args[0]
    assert opened.names == ["条目1", "条目2", "条目3"]
    qtbot.waitUntil(lambda: opened.saved)
    assert len(opened.session.items.all(page.open_record.record_id)) == 3


def test_regions_without_names_and_models_get_some(
    opened: WorkbenchDriver, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "left_wing_root.txt"
    path.write_text("0 0.5 0.5 0.2 0.2\n")
    exchange = child(opened.page, RegionFilesController)
    with qtbot.waitSignal(exchange.notice) as notice:
        exchange.read(path)
    assert "1" in notice.args[0]
    item = not_none(opened.page.open_record.document).items[-1]
    assert item.item_name.endswith("4")
    assert item.model_id == "reference-difference"
    assert not_none(item.region(800, 600)).w == pytest.approx(160)


def test_a_file_that_cannot_be_imported_says_why(
    opened: WorkbenchDriver, qtbot: QtBot, tmp_path: Path
) -> None:
    exchange = child(opened.page, RegionFilesController)
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
    assert opened.names == ["条目1", "条目2", "条目3"]


def test_nothing_is_written_where_nothing_can_be(
    opened: WorkbenchDriver, qtbot: QtBot, tmp_path: Path
) -> None:
    from desktop.exchange.registry import FORMATS

    exchange = child(opened.page, RegionFilesController)
    with qtbot.waitSignal(exchange.notice) as notice:
        exchange.exporter.write(opened.page.open_record.record_id, tmp_path / "no" / "x.csv", FORMATS[1])
    assert "another location" in notice.args[0]


def test_many_regions_come_in_parts_and_go_in_one_step(
    opened: WorkbenchDriver, qtbot: QtBot, tmp_path: Path
) -> None:
    exchange = RegionFilesController(opened.page.open_record, opened.page)
    before = len(opened.names)
    many = tmp_path / "many.txt"
    many.write_bytes(b"".join(b"0 %.3f .5 .01 .01\n" % (0.1 + 0.8 * n / 450) for n in range(450)))
    shown: list[int] = []
    opened.page.open_record.changed.connect(lambda: shown.append(len(opened.page.open_record.rows)))
    with qtbot.waitSignal(exchange.notice) as notice:
        exchange.read(many)
    assert "450" in notice.args[0]
    assert len(opened.names) == before + 450
    # The window answered between the parts.
    assert before + SLICE_SIZE in shown
    # Undo and redo work in parts, too, each as one step.
    edits, record_id = opened.page.open_record.edits, opened.page.open_record.record_id
    for command, count in (("edit.undo", before), ("edit.redo", before + 450), ("edit.undo", before)):
        opened.context.commands.run(command)
        assert edits.next_step(record_id, command == "edit.undo")[1] == 450 - SLICE_SIZE

        def have(count: int = count) -> bool:
            return len(opened.names) == count

        qtbot.waitUntil(have)

        assert edits.next_step(record_id, command == "edit.undo")[1] == 0
    opened.context.commands.run("edit.redo")
    opened.page.item_changes.rename("meanwhile")
    name = not_none(opened.page.open_record.item).item_name
    qtbot.wait(0)
    # The user's edit takes precedence: the rest stays undone.
    assert edits.next_step(record_id, False)[1] == 0
    assert len(opened.names) == before + SLICE_SIZE
    assert name == "meanwhile"


def test_a_part_is_not_shown_in_the_call_that_takes_it(opened: WorkbenchDriver, qtbot: QtBot) -> None:
    workbench, importing = (
        opened.page.open_record,
        RegionFilesController(opened.page.open_record, opened.page).importing,
    )
    events: list[str] = []
    workbench.edits.applied.connect(lambda _: events.append("taken"))
    workbench.changed.connect(lambda: events.append("shown"))
    before = len(workbench.rows)
    slices = importing._slices
    slices._run = _recorded(slices._run, events)  # type: ignore[method-assign]
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


def _recorded(part: Callable[[], None], events: list[str]) -> Callable[[], None]:
    def recorded() -> None:
        events.append("part")
        part()
        events.append("end")

    return recorded
