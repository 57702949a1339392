"""Plays the steps about the catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtWidgets import QAbstractButton

from desktop.demo.driver.forms import fill
from desktop.demo.driver.play import DemoRun
from desktop.demo.driver.stage import choose_files, click, dialog, find, press, wait_until
from desktop.demo.material.pictures import MM_PER_PIXEL
from desktop.pages.catalogue import CataloguePage
from desktop.pages.common.forms.form import Form
from desktop.pages.common.lists.list_section import Section


def fill_catalogue(play: DemoRun) -> None:
    """The administrator enters aircraft, flight and task, and the picture of how it should look."""
    texts = play.texts
    with play.stage.step("add an aircraft, a flight and a task"):
        press(play.desktop.window, play.key("go.catalogue"))
        wait_until(lambda: play.is_in_front("catalogue"), "the catalogue comes")
        aircraft = {
            "aircraft_name": texts.aircraft,
            "registration": texts.registration,
            "aircraft_type": "787-9",
        }
        _create_entry(play, "aircraft", aircraft)
        flight = {
            "flight_number": texts.flight,
            "aircraft_id": texts.aircraft,
            "departure": "PEK",
            "arrival": "SHA",
        }
        _create_entry(play, "flights", flight)
        _create_entry(play, "tasks", {"task_name": texts.task, "flight_id": texts.flight})
    with play.stage.step("add a reference image"):
        section = _section(play, "references")
        choose_files(lambda: click(section.new), [play.pictures.reference])
        # After a single picture was added, its form opens by itself.
        entry = {
            "reference_image_name": texts.reference,
            "aircraft_id": texts.aircraft,
            "mm_per_pixel": f"{MM_PER_PIXEL}",
        }
        fill(dialog(Form), entry)


def _section(play: DemoRun, name: str) -> Section[Any]:
    page = play.page(CataloguePage)
    click(find(QAbstractButton, page.chips, where=lambda chip: getattr(chip, "key", "") == name))
    return page.sections[name]


def _create_entry(play: DemoRun, name: str, texts: Mapping[str, str]) -> None:
    click(_section(play, name).new)
    fill(dialog(Form), texts)
