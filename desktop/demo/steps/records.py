"""Plays the start of a record: list, dialog and regions."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox

from desktop.demo.driver.play import DemoRun
from desktop.demo.driver.stage import check, choose, click, dialog, drag, press, wait_until, write
from desktop.demo.material.pictures import SPOTS
from desktop.pages.records.new_record import ItemSource, NewRecordDialog
from desktop.pages.workbench import WorkbenchPage
from shared.wire.detection import REFERENCE_DIFFERENCE


def create_record(play: DemoRun) -> None:
    """Start a record in the dialog; the workbench opens with its reference image."""
    with play.stage.step("start a record"):
        press(play.desktop.window, play.key("record.new"))
        form = dialog(NewRecordDialog)
        write(form.name, play.texts.record)
        choose(form.task, lambda: _row_of(form.task, play.texts.task))
        choose(form.reference, lambda: _row_of(form.reference, play.texts.reference))
        choose(form.source, lambda: form.source.findData(ItemSource.EMPTY))
        click(form.create_button)
        wait_until(lambda: play.is_in_front("workbench"), "the workbench opens")
        page = play.page(WorkbenchPage)
        wait_until(lambda: page.open_record.source is not None, "the reference image is there")
        play.record_id = page.open_record.record_id


def _row_of(combo: QComboBox, name: str) -> int:
    return combo.findText(name, Qt.MatchFlag.MatchStartsWith)


def draw_regions(play: DemoRun) -> None:
    """Draw a region for each spot to be checked."""
    with play.stage.step(f"draw {len(SPOTS)} regions"):
        page = play.page(WorkbenchPage)
        press(page.view, play.key("view.fit"))
        for number, spot in enumerate(SPOTS, 1):
            press(page.view, play.key("tool.rectangle"))
            drag(page.view, spot.region)
            wait_until(lambda n=number: len(page.open_record.rows) == n, "the region becomes an item")  # type: ignore[misc]


def describe_items(play: DemoRun) -> None:
    """Name and describe every item, and choose its model."""
    with play.stage.step("name the items, describe them, choose their model"):
        page = play.page(WorkbenchPage)
        fields = page.inspector.fields
        for number, (name, description) in enumerate(play.texts.items, 1):
            go_to(page, number)
            press(page.view, play.key("edit.rename"))
            write(fields.name, name)
            write(fields.description, description)
            choose(fields.model, lambda: fields.model.findData(None))
            choose(fields.model, lambda: fields.model.findData(REFERENCE_DIFFERENCE))
            page.view.setFocus()
            item = page.open_record.item
            check(item is not None and item.item_name == name, f"the item is not called {name}")
            check(item is not None and item.description == description, f"{name} has no description")
            check(item is not None and item.model_id == REFERENCE_DIFFERENCE, f"{name} has no model")


def undo_and_redo(play: DemoRun) -> None:
    """Delete an item by mistake, undo that, and take an undone step again."""
    with play.stage.step("undo and redo, and wait until all is saved"):
        page = play.page(WorkbenchPage)
        go_to(page, len(SPOTS))
        press(page.view, play.key("edit.delete"))
        wait_until(lambda: len(page.open_record.rows) == len(SPOTS) - 1, "the item is deleted")
        press(page.view, play.key("edit.undo"))
        wait_until(lambda: len(page.open_record.rows) == len(SPOTS), "the item is back")
        press(page.view, play.key("edit.undo"))
        press(page.view, play.key("edit.redo"))
        wait_saved(page)
        items = play.session.items.all(play.record_id)
        names = [item.item_name for item in items]
        check(names == [name for name, _ in play.texts.items], f"the service knows other items: {names}")


def go_to(page: WorkbenchPage, number: int) -> None:
    """Choose the item with this number in the list."""
    row = page.items.model.index(number - 1)
    click(page.items.list.viewport(), page.items.list.visualRect(row).center())
    wait_until(lambda: page.open_record.number == number, f"item {number} is chosen")
    page.view.setFocus()


def wait_saved(page: WorkbenchPage) -> None:
    """Wait until the service has every edit."""
    wait_until(lambda: not page.open_record.edits.save_state.unsent_count, "the edits are saved", seconds=20)
