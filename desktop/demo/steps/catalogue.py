"""Plays the steps about the catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtWidgets import QAbstractButton

from desktop.demo.driver.demo_run import DemoRun
from desktop.demo.driver.forms import fill_form
from desktop.demo.driver.window_driver import (
    choose_files,
    click,
    find_widget,
    press_keys,
    wait_for_dialog,
    wait_until,
)
from desktop.demo.material.pictures import MM_PER_PIXEL
from desktop.pages.catalogue import CataloguePage
from desktop.pages.common.forms.form import Form
from desktop.pages.common.lists.list_section import Section


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
