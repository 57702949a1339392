"""Runs the steps of the demo in a new desktop, and saves a picture of a failed step."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, Qt

from desktop.app.application import Desktop
from desktop.app.running import make_application
from desktop.demo import material
from desktop.demo.driver.demo_run import DemoRun
from desktop.demo.driver.window_driver import StepFailedError, WindowDriver, process_events
from desktop.demo.material import demo_texts
from desktop.demo.steps import inspection, people, records
from desktop.preferences import Preferences
from desktop.theme import Mode

STEPS: tuple[Callable[[DemoRun], None], ...] = (
    people.open_window,
    people.create_first_admin,
    people.create_inspector,
    people.accept_photo_risk,
    records.fill_catalogue,
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
    inspection.open_phone_page,
    inspection.detect_items,
    inspection.decide_items,
    inspection.finish_record,
    inspection.export_report,
    inspection.check_files,
)


def run_demo(folder: Path, out: Path) -> str:
    """Play the demo with its data in `folder` and its results in `out`.

    Returns a sentence about the failed step, or "" if none failed.
    """
    application = make_application()
    application.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs)
    texts = demo_texts()
    preferences = Preferences(folder / "preferences.json")
    preferences.change(language=texts.language, theme=Mode.LIGHT, set_up=True, tours_start=False)
    driver = WindowDriver(_print_step)
    desktop = Desktop(server_url="", data_folder=folder / "data", preferences=preferences)
    try:
        with driver.step("draw the pictures"):
            demo_pictures = material.write_pictures(folder)
        demo = DemoRun(desktop, driver, demo_pictures, texts, folder, out)
        for step in STEPS:
            step(demo)
        return _logged_exception(desktop)
    except StepFailedError as failure:
        desktop.window.grab().save(str(out / "failed.png"))
        return f"{driver.current_step}: {failure}. {_logged_exception(desktop)}".strip()
    finally:
        desktop.close()
        process_events()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def _print_step(name: str, seconds: float) -> None:
    print(f"{seconds:6.1f} s  {name}", flush=True)


def _logged_exception(desktop: Desktop) -> str:
    """Return a sentence about an uncaught exception in the log, or ""."""
    text = desktop.logs.file.read_text(encoding="utf-8") if desktop.logs.file.exists() else ""
    if "nobody caught this" not in text:
        return ""
    return f"The program met an exception: {text.rstrip().splitlines()[-1]}"
