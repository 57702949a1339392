"""Lists the steps of the demo in their order."""

from __future__ import annotations

from collections.abc import Callable

from desktop.demo.driver.demo_run import DemoRun
from desktop.demo.steps import catalogue, inspection, people, records, result_checks

STEPS: tuple[Callable[[DemoRun], None], ...] = (
    people.open_window,
    people.create_first_admin,
    people.create_inspector,
    catalogue.fill_catalogue,
    people.log_out,
    people.log_in_by_password,
    people.enrol_face,
    people.log_out,
    people.refuse_stranger,
    people.log_in_by_face,
    records.create_record,
    records.draw_regions,
    records.describe_items,
    records.undo_and_redo,
    inspection.add_photos,
    inspection.detect_items,
    inspection.decide_items,
    inspection.finish_record,
    inspection.export_report,
    result_checks.check_files,
)
