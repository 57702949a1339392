"""Stores a user's preferences on this machine: one small JSON file, without tokens or passwords."""

from __future__ import annotations

import contextlib
import json
import threading
from collections import deque
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from desktop.theme import Mode
from desktop.user_folders import preferences_file
from shared.system import atomic


class ReviewView(StrEnum):
    """What fills the canvas."""

    REFERENCE = "reference"
    PHOTO = "photo"
    BOTH = "both"


class PreferenceValues(BaseModel):
    """The preferences with their defaults."""

    model_config = ConfigDict(extra="ignore", validate_assignment=True)

    language: str = ""
    """A language code, or empty for the language of the system."""
    theme: Mode = Mode.SYSTEM
    server_url: str = ""
    """The service that was used last, or empty for the local one."""
    certificates: dict[str, str] = Field(default_factory=dict)
    """Fingerprints of the server keys that the user trusted, by host and port."""
    user_name: str = ""
    geometry: str = ""
    """Geometry of the main window, Qt's format in Base64."""
    splitters: dict[str, list[int]] = Field(default_factory=dict)
    """Sizes of the parts (px) by the name of the splitter."""
    shortcuts: dict[str, list[str]] = Field(default_factory=dict)
    """Keys by command id, of the commands whose keys are not the default ones."""
    camera: str = ""
    capture_alone: bool = True
    """Whether the camera takes the photo of a region automatically when the picture matches it."""
    capture_sound: bool = False
    """Whether a sound is played when a photo is taken automatically."""
    capture_overlay: float = Field(default=0.25, ge=0.0, le=1.0)
    """Opacity (0..1) of the reference image over the camera's picture."""
    folders: dict[str, str] = Field(default_factory=dict)
    """The folder that was used last, by the purpose of the file dialog."""
    watched_folder: str = ""
    """The folder that was watched last for new photos, or empty."""
    compact_items: bool = False
    """Whether the list of items has one line for each."""
    draws_on: bool = False
    """Whether the tool for drawing stays until Esc, for several regions one after another."""
    advances: bool = False
    """Whether the next undecided item is shown after a verdict."""
    report_pages: bool = False
    """Whether reports have a page for each finding of a failed item."""
    report_template: str = ""
    """The path of the template file of reports, or empty."""
    minimap: bool = True
    """Whether a minimap is shown while only a part of the picture is visible."""
    review_view: ReviewView = ReviewView.PHOTO
    """What shows an item whose photo was detected: the photo alone, or both pictures."""
    confidence: dict[str, float] = Field(default_factory=dict)
    """Minimum confidence (0..1) of the findings that are shown, by the id of the detection model."""
    set_up: bool = False
    """Whether the user has chosen language and service on the first run."""
    samples: dict[str, dict[str, str]] = Field(default_factory=dict)
    """Ids of the objects of the sample inspection, by service and by field."""
    tours: list[str] = Field(default_factory=list)
    """The tours that were shown, as "user:page"."""
    tours_start: bool = True
    """Whether the tour of a page starts automatically the first time; off when a script drives the windows.
    """


class Preferences:
    """The preferences of this user, written to a file at each change.

    An unreadable file or an invalid value is ignored, and the defaults are used. When the file cannot be
    written, the values hold until the program ends.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or preferences_file()
        self.values = _read_values(self.path)
        self._lock = threading.Lock()
        # The newest text that is not written yet. The GUI thread puts it there without waiting for the disk.
        self._unwritten: deque[str] = deque(maxlen=1)
        self._run: Callable[[Callable[[], None]], object] | None = None

    def change(self, **changes: Any) -> None:
        """Set values by name and write the file. Raises ValidationError for an invalid value."""
        for name, value in changes.items():
            setattr(self.values, name, value)
        self._unwritten.append(self.values.model_dump_json(indent=2) + "\n")
        if self._run is None:
            self._write()
        else:
            self._run(self._write)

    def write_by(self, run: Callable[[Callable[[], None]], object] | None) -> None:
        """Write the file by `run`, which calls a function in another thread, because the disk is waited for.

        None: write at once from now on, and what is not written yet.
        """
        self._run = run
        if run is None:
            self._write()

    def _write(self) -> None:
        with self._lock, contextlib.suppress(OSError, IndexError):
            text = self._unwritten.pop()
            self.path.parent.mkdir(parents=True, exist_ok=True)
            atomic.write_file(self.path, text.encode("utf-8"), durable=True, private=True)


def _read_values(path: Path) -> PreferenceValues:
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return PreferenceValues()
    values = PreferenceValues()
    for name, value in raw.items() if isinstance(raw, dict) else ():
        if name in PreferenceValues.model_fields:
            with contextlib.suppress(ValidationError):
                setattr(values, name, value)
    return values
