"""Runs the demo in a desktop of its own, and keeps a picture of where it failed."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, Qt

from desktop.app.application import Desktop, make_application
from desktop.demo.driver.play import DemoRun
from desktop.demo.driver.stage import StepFailedError, WindowDriver, process_events
from desktop.demo.material import pictures
from desktop.demo.material.texts import demo_texts
from desktop.demo.steps.story import STORY
from desktop.preferences import Preferences
from desktop.theme import Mode


def run(folder: Path, out: Path) -> str:
    """Play in `folder`, write the results into `out`; what failed as a sentence, or an empty string."""
    application = make_application()
    application.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs)
    spoken = demo_texts()
    preferences = Preferences(folder / "preferences.json")
    preferences.change(language=spoken.language, theme=Mode.LIGHT, set_up=True, tours_start=False)
    stage = WindowDriver(_print_step)
    desktop = Desktop(server_url="", data_folder=folder / "data", preferences=preferences)
    try:
        with stage.step("draw the pictures"):
            drawn = pictures.make(folder)
        play = DemoRun(desktop, stage, drawn, spoken, folder, out)
        for part in STORY:
            part(play)
        return _logged_exception(desktop)
    except StepFailedError as failure:
        desktop.window.grab().save(str(out / "failed.png"))
        return f"{stage.at}: {failure}. {_logged_exception(desktop)}".strip()
    finally:
        desktop.close()
        process_events()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def _print_step(name: str, seconds: float) -> None:
    print(f"{seconds:6.1f} s  {name}", flush=True)


def _logged_exception(desktop: Desktop) -> str:
    """The last line of an exception that nobody caught, or an empty string."""
    text = desktop.logs.file.read_text(encoding="utf-8") if desktop.logs.file.exists() else ""
    if "nobody caught this" not in text:
        return ""
    return f"The program met an exception: {text.rstrip().splitlines()[-1]}"
