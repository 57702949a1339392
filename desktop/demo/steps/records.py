"""Plays the steps about the catalogue, and at the start of a record: dialog, regions and items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QComboBox

from desktop.demo.driver.demo_run import DemoRun
from desktop.demo.driver.window_driver import (
    check,
    choose_entry,
    choose_files,
    click,
    drag_rect,
    fill_form,
    find_widget,
    press_keys,
    type_text,
    wait_for_dialog,
    wait_until,
)
from desktop.demo.material import MM_PER_PIXEL, REGIONS
from desktop.pages.catalogue import CataloguePage
from desktop.pages.common.forms.form import Form
from desktop.pages.common.lists.list_section import Section
from desktop.pages.records.new_record import ItemSource, NewRecordDialog
from desktop.pages.workbench import WorkbenchPage
from shared.wire.detection import REFERENCE_DIFFERENCE


def create_record(demo: DemoRun) -> None:
    """Create a record in the dialog and wait for the workbench with its reference image."""
    with demo.driver.step("start a record"):
        press_keys(demo.desktop.window, demo.first_key("record.new"))
        form = wait_for_dialog(NewRecordDialog)
        type_text(form.name, demo.texts.record)
        choose_entry(form.task, lambda: _find_row(form.task, demo.texts.task))
        choose_entry(form.reference, lambda: _find_row(form.reference, demo.texts.reference))
        choose_entry(form.source, lambda: form.source.findData(ItemSource.EMPTY))
        click(form.create_button)
        wait_until(lambda: demo.is_in_front("workbench"), "the workbench opens")
        page = demo.page(WorkbenchPage)
        wait_until(lambda: page.open_record.source is not None, "the reference image is open")
        demo.record_id = page.open_record.record_id


def _find_row(combo: QComboBox, name: str) -> int:
    return combo.findText(name, Qt.MatchFlag.MatchStartsWith)


def draw_regions(demo: DemoRun) -> None:
    """Draw the regions on the reference image."""
    with demo.driver.step(f"draw {len(REGIONS)} regions"):
        page = demo.page(WorkbenchPage)
        press_keys(page.canvas.view, demo.first_key("view.fit"))
        for number, sample in enumerate(REGIONS, 1):
            press_keys(page.canvas.view, demo.first_key("tool.rectangle"))
            drag_rect(page.canvas.view, sample.region)
            wait_until(lambda n=number: len(page.open_record.rows) == n, "the region becomes an item")  # type: ignore[misc]


def describe_items(demo: DemoRun) -> None:
    """Name and describe every item, and choose its model."""
    with demo.driver.step("name the items, describe them, choose their model"):
        page = demo.page(WorkbenchPage)
        fields = page.inspector.fields
        for number, (name, description) in enumerate(demo.texts.items, 1):
            go_to(page, number)
            press_keys(page.canvas.view, demo.first_key("edit.rename"))
            type_text(fields.name, name)
            type_text(fields.description, description)
            choose_entry(fields.model, lambda: fields.model.findData(None))
            choose_entry(fields.model, lambda: fields.model.findData(REFERENCE_DIFFERENCE))
            page.canvas.view.setFocus()
            item = page.open_record.item
            check(item is not None and item.item_name == name, f"the item has another name than {name}")
            check(item is not None and item.description == description, f"{name} has no description")
            check(item is not None and item.model_id == REFERENCE_DIFFERENCE, f"{name} has no model")


def undo_and_redo(demo: DemoRun) -> None:
    """Delete an item, undo it, and undo and redo another step."""
    with demo.driver.step("undo and redo, and wait until every edit is saved"):
        page = demo.page(WorkbenchPage)
        go_to(page, len(REGIONS))
        press_keys(page.canvas.view, demo.first_key("edit.delete"))
        wait_until(lambda: len(page.open_record.rows) == len(REGIONS) - 1, "the item is deleted")
        press_keys(page.canvas.view, demo.first_key("edit.undo"))
        wait_until(lambda: len(page.open_record.rows) == len(REGIONS), "the item is back")
        press_keys(page.canvas.view, demo.first_key("edit.undo"))
        press_keys(page.canvas.view, demo.first_key("edit.redo"))
        wait_until_saved(page)
        items = demo.session.items.all(demo.record_id)
        names = [item.item_name for item in items]
        check(names == [name for name, _ in demo.texts.items], f"the service has other items: {names}")


def go_to(page: WorkbenchPage, number: int) -> None:
    """Select the item with this number in the list."""
    row = page.items.panel.model.index(number - 1)
    click(page.items.panel.list.viewport(), page.items.panel.list.visualRect(row).center())
    wait_until(lambda: page.open_record.number == number, f"item {number} is selected")
    page.canvas.view.setFocus()


def wait_until_saved(page: WorkbenchPage) -> None:
    """Wait until the service has every edit."""
    wait_until(lambda: not page.open_record.edits.save_state.unsent_count, "the edits are saved", seconds=20)


def fill_catalogue(demo: DemoRun) -> None:
    """Add an aircraft, a flight, a task and a reference image as the administrator."""
    texts = demo.texts
    with demo.driver.step("add an aircraft, a flight and a task"):
        press_keys(demo.desktop.window, demo.first_key("go.catalogue"))
        wait_until(lambda: demo.is_in_front("catalogue"), "the catalogue opens")
        aircraft = {
            "aircraft_name": texts.aircraft,
            "registration": texts.registration,
            "aircraft_type": "787-9",
        }
        _create_entry(demo, "aircraft", aircraft)
        flight = {
            "flight_number": texts.flight,
            "aircraft_id": texts.aircraft,
            "departure": "PEK",
            "arrival": "SHA",
        }
        _create_entry(demo, "flights", flight)
        _create_entry(demo, "tasks", {"task_name": texts.task, "flight_id": texts.flight})
    with demo.driver.step("add a reference image"):
        section = _section(demo, "references")
        choose_files(lambda: click(section.new), [demo.pictures.reference])
        # The form opens by itself after one picture was added.
        entry = {
            "reference_image_name": texts.reference,
            "aircraft_id": texts.aircraft,
            "mm_per_pixel": f"{MM_PER_PIXEL}",
        }
        fill_form(wait_for_dialog(Form), entry)


def _section(demo: DemoRun, name: str) -> Section[Any]:
    page = demo.page(CataloguePage)
    click(find_widget(QAbstractButton, page.chips, matches=lambda chip: getattr(chip, "key", "") == name))
    return page.sections[name]


def _create_entry(demo: DemoRun, name: str, texts: Mapping[str, str]) -> None:
    click(_section(demo, name).new)
    fill_form(wait_for_dialog(Form), texts)
