"""Lists the steps of the demo: `STORY` is played in order."""

from __future__ import annotations

from collections.abc import Callable

from desktop.demo.driver.play import DemoRun
from desktop.demo.steps import catalogue, inspecting, outcome, people, records

STORY: tuple[Callable[[DemoRun], None], ...] = (
    people.open_window,
    people.create_first_admin,
    people.create_inspector,
    catalogue.fill_catalogue,
    people.log_out,
    people.log_in_by_password,
    people.enrol,
    people.log_out,
    people.refuse_stranger,
    people.log_in_by_face,
    records.create_record,
    records.draw_regions,
    records.describe_items,
    records.undo_and_redo,
    inspecting.add_photos,
    inspecting.detect,
    inspecting.decide,
    inspecting.finish,
    inspecting.report,
    outcome.check_files,
)
