"""The statistics in a real window against the real service."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from desktop.client import RecordFilter, Session
from desktop.client.api.administration import Statistics
from desktop.context import Context
from desktop.pages.records import RecordsPage
from desktop.pages.statistics import StatisticsPage
from desktop.pages.statistics.card import PICTURE, ChartCard
from desktop.pages.statistics.charts import ChartKind
from desktop.widgets import EmptyState, ErrorState
from shared.wire.catalogue import AircraftWrite, TaskWrite
from shared.wire.detection import JobState
from shared.wire.inspection import ItemCreate, ItemUpdate, RecordCreate
from tests.pictures import encode_picture, gradient_pixels
from tests.service.detection.graphs import constant_model
from tests.service_app import ADMIN
from tests.service_process import create_first_admin, service_process

LABELS = ("dent", "crack")


def detect(session: Session, item_id: str, *labels: str) -> None:
    """Detect a finding with each label on a photo of the item, by a model of its own."""
    rows = [[12 * n, 10, 12 * n + 8, 30, 0.9, LABELS.index(label)] for n, label in enumerate(labels)]
    with TemporaryDirectory() as folder:
        outputs = {"output": np.array([rows], np.float32)}
        path = constant_model(Path(folder) / "model.onnx", outputs, names=LABELS)
        model = session.detection.add_model(path, f"for {item_id}")
    session.items.update(item_id, ItemUpdate(model_id=model.model_id))
    photo = session.files.upload(encode_picture(gradient_pixels(64, 64)), "photo.png")
    session.items.add_photo(item_id, photo.file_id)
    assert session.items.detect(item_id, wait=60).state is JobState.DONE


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with service_process(tmp_path_factory.mktemp("statistics") / "data") as url:
        create_first_admin(url)
        session = Session(url)
        session.account.login(*ADMIN)
        plane = session.catalogue.aircraft.create(AircraftWrite(aircraft_name="B-1234"))
        task = session.catalogue.tasks.create(TaskWrite(task_name="A", aircraft_id=plane.aircraft_id))
        now = datetime.now(UTC)
        for number, task_id in enumerate((task.task_id, "elsewhere", task.task_id)):
            start = now - timedelta(days=number, minutes=1)
            body = RecordCreate(task_id=task_id, inspection_name=f"检查 {number}", start_time=start)
            record = session.records.create(body)
            item = session.items.create(
                ItemCreate(item_name="Nose", inspection_id=record.inspection_id)
            ).value
            labels = ["dent"] * (number + 1) + (["crack"] if number == 2 else [])
            detect(session, item.item_id, *labels)
        session.close()
        yield url


@pytest.fixture
def page(context: Context, qtbot: QtBot) -> Iterator[StatisticsPage]:
    page = StatisticsPage(context)
    qtbot.addWidget(page)
    page.resize(1300, 900)
    page.show()
    page.enter({})
    qtbot.waitUntil(lambda: all(is_loaded(card) for card in page.cards.values()))
    yield page
    page.leave()


def is_loaded(card: ChartCard) -> bool:
    return card.stack.currentWidget() is not card.stack.loading


def totals(card: ChartCard) -> dict[str, str]:
    return {bars.name: bars.total for bars in card.view.chart.bars}


def navigations(page: StatisticsPage) -> list[tuple[str, dict[str, Any]]]:
    calls: list[tuple[str, dict[str, Any]]] = []
    page.navigate.connect(lambda name, params: calls.append((name, params)))
    return calls


def test_the_last_days_are_counted(page: StatisticsPage) -> None:
    assert totals(page.cards[ChartKind.RECORDS]) == {"In progress": "3"}
    assert totals(page.cards[ChartKind.LABELS]) == {"dent": "6", "crack": "1"}
    assert totals(page.cards[ChartKind.AIRCRAFT]) == {"B-1234": "5", "No aircraft": "2"}
    assert totals(page.cards[ChartKind.REGIONS]) == {"Nose": "7"}
    assert len(page.cards[ChartKind.RECORDS].view.chart.columns) == 31
    # Nobody has finished a record, decided or corrected anything.
    for kind in (ChartKind.DURATIONS, ChartKind.AGREEMENT):
        assert isinstance(page.cards[kind].stack.currentWidget(), EmptyState)
        assert not page.cards[kind].export.isEnabled()


def test_an_aircraft_narrows_every_chart_and_clearing_widens(page: StatisticsPage, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: page.aircraft.count() > 0)
    page.aircraft.setCurrentIndex(page.aircraft.findText("B-1234"))
    page.aircraft.choice_changed.emit()
    qtbot.waitUntil(lambda: totals(page.cards[ChartKind.RECORDS]) == {"In progress": "2"})
    qtbot.waitUntil(lambda: totals(page.cards[ChartKind.LABELS]) == {"dent": "4", "crack": "1"})
    page.days.set_range(date.today() - timedelta(days=400), date.today() - timedelta(days=30))
    page.days.changed.emit()
    labels = page.cards[ChartKind.LABELS]
    qtbot.waitUntil(lambda: isinstance(labels.stack.currentWidget(), EmptyState))
    page.clear.click()
    qtbot.waitUntil(lambda: totals(page.cards[ChartKind.RECORDS]) == {"In progress": "3"})
    qtbot.waitUntil(lambda: labels.stack.currentWidget() is labels.view)
    assert page.value().aircraft_id is None


def test_a_click_on_a_bar_opens_the_records_behind_it(
    page: StatisticsPage, context: Context, qtbot: QtBot
) -> None:
    calls = navigations(page)
    view = page.cards[ChartKind.LABELS].view
    view.repaint()
    crack = next(placed for placed in view._painted_parts if view.chart.bars[placed.part[0]].name == "crack")
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=crack.area.center().toPoint())
    ((name, params),) = calls
    when = date.today() - timedelta(days=2)
    assert name == "records"
    assert params["behind"] == RecordFilter(finding_label="crack", day_from=when, day_to=when)
    records = RecordsPage(context)
    qtbot.addWidget(records)
    records.show()
    records.enter(params)
    qtbot.waitUntil(lambda: records.model.rowCount() == 1)
    assert records.model.index(0, 0).data() == "检查 2"
    assert records.filters.chart_filter_button.isVisible()
    assert records.filters.chart_filter_button.text() == params["name"]
    records.filters.chart_filter_button.click()
    qtbot.waitUntil(lambda: records.model.rowCount() == 3)
    assert not records.filters.chart_filter_button.isVisible()
    records.leave()


def test_a_part_is_found_and_opened_by_keyboard(page: StatisticsPage, qtbot: QtBot) -> None:
    calls = navigations(page)
    view = page.cards[ChartKind.LABELS].view
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Left)
    last = len(view.chart.columns) - 1
    assert view.marked == (0, last)
    qtbot.keyClick(view, Qt.Key.Key_Left)
    qtbot.keyClick(view, Qt.Key.Key_Left)
    qtbot.keyClick(view, Qt.Key.Key_Left)
    assert view.marked == (0, last - 2)
    qtbot.keyClick(view, Qt.Key.Key_Up)
    assert view.marked == (1, last - 2)
    assert view.accessibleDescription().startswith("crack · ")
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view.marked == (0, last - 1)
    qtbot.keyClick(view, Qt.Key.Key_Return)
    ((_, params),) = calls
    assert params["behind"].finding_label == "dent"
    assert params["behind"].day_from == date.today() - timedelta(days=1)


def test_a_chart_becomes_a_table(
    page: StatisticsPage, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "findings.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), "Numbers as CSV (*.csv)"))
    with qtbot.waitSignal(page.toast) as toast:
        page.cards[ChartKind.LABELS].export.click()
    assert toast.args == ["Chart saved: findings.csv"]
    rows = list(csv.reader(path.read_text("utf-8-sig").splitlines()))
    assert rows[0] == ["Period", "dent", "crack"]
    assert rows[-1][1:] == ["1", "0"]
    assert len(rows) == 32


def test_a_chart_becomes_a_picture(
    page: StatisticsPage, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "findings.png"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), "Picture as PNG (*.png)"))
    with qtbot.waitSignal(page.toast):
        page.cards[ChartKind.LABELS].export.click()
    assert QImage(str(path)).size() == PICTURE * 2


def test_failure_is_reported_and_retried(
    page: StatisticsPage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = page.cards[ChartKind.RECORDS]

    def fail(_: object) -> None:
        raise OSError("no way")

    with monkeypatch.context() as patch:
        patch.setattr(Statistics, "records", lambda *_: fail(_))
        page.reload()
        qtbot.waitUntil(lambda: isinstance(card.stack.currentWidget(), ErrorState))
    assert not card.export.isEnabled()
    state = card.stack.currentWidget()
    assert isinstance(state, ErrorState)
    state.button.click()
    qtbot.waitUntil(lambda: card.stack.currentWidget() is card.view)


def test_filters_are_restored(page: StatisticsPage) -> None:
    page.days.set_range(date(2026, 1, 1), date(2026, 1, 31))
    params = page.return_params()
    page.reset()
    page.enter(params)
    assert page.days.value() == (date(2026, 1, 1), date(2026, 1, 31))


@pytest.mark.parametrize(("width", "columns"), [(800, 1), (1200, 2), (2500, 3)])
def test_as_many_charts_stand_side_by_side_as_have_room(
    page: StatisticsPage, width: int, columns: int
) -> None:
    page.resize(width, 900)
    rows = {page._grid.getItemPosition(index)[0] for index in range(page._grid.count())}  # type: ignore[index]
    assert len(rows) == len(ChartKind) // columns
