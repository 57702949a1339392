"""Lists the steps of the demo: `STORY` is played in order."""

from __future__ import annotations

from collections.abc import Callable

from desktop.demo.driver.play import DemoRun
from desktop.demo.steps import catalogue, inspecting, outcome, people, records

STORY: tuple[Callable[[DemoRun], None], ...] = (
    people.start,
    people.first_admin,
    people.inspector_account,
    catalogue.catalogue,
    people.log_out,
    people.log_in_by_password,
    people.enrol,
    people.log_out,
    people.stranger,
    people.log_in_by_face,
    records.new_record,
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
