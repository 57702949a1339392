"""Stores a user's preferences on this machine: one small JSON file, without tokens or passwords."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from desktop.theme import Mode
from desktop.user_folders import preferences_file
from shared import atomic


class PreferenceValues(BaseModel):
    """The preferences with their defaults."""

    model_config = ConfigDict(extra="ignore", validate_assignment=True)

    language: str = ""
    """A language code, or empty: the system's."""
    theme: Mode = Mode.SYSTEM
    server_url: str = ""
    """The service that was used last, or empty: the desktop's own."""
    certificates: dict[str, str] = Field(default_factory=dict)
    """Host and port of a server -> fingerprint of its key, which a person compared and trusted."""
    user_name: str = ""
    geometry: str = ""
    """Place of the main window, Qt's own form in Base64."""
    splitters: dict[str, list[int]] = Field(default_factory=dict)
    """Name of a splitter -> sizes of its parts, px."""
    shortcuts: dict[str, list[str]] = Field(default_factory=dict)
    """Id of a command -> its keys, where they are not the default ones."""
    camera: str = ""
    capture_alone: bool = True
    """Whether a photo of a region is taken by itself when the picture fits."""
    capture_sound: bool = False
    """Whether a sound is played then."""
    capture_overlay: float = Field(default=0.25, ge=0.0, le=1.0)
    """How strongly the reference image is laid on the camera's picture, 0..1."""
    folders: dict[str, str] = Field(default_factory=dict)
    """What files are asked for -> the folder that was used last for it."""
    watched_folder: str = ""
    """The folder that was watched last for new photos, or empty."""
    minimap: bool = True
    """Whether a minimap is shown where not all of the picture is seen."""
    confidence: dict[str, float] = Field(default_factory=dict)
    """Id of a detection model -> least confidence (0..1) of the findings that are shown."""
    set_up: bool = False
    """Whether the person has chosen language and service, which the first run asks for."""
    samples: dict[str, dict[str, str]] = Field(default_factory=dict)
    """Service -> field -> id of what the sample inspection there consists of."""
    tours: list[str] = Field(default_factory=list)
    """User and page, as "user:page", whose tour was shown."""
    tours_start: bool = True
    """Whether the tour of a page begins by itself the first time; off where a script drives the windows."""


class Preferences:
    """The preferences of this person, written at each change.

    A file that cannot be read does not stop the program: each value that is valid is taken, the rest are the
    defaults. A file that cannot be written leaves the values in force until the program ends.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or preferences_file()
        self.values = _read(self.path)

    def change(self, **changes: Any) -> None:
        """Set values by name and write the file. Raises ValidationError for a value out of its rules."""
        for name, value in changes.items():
            setattr(self.values, name, value)
        with contextlib.suppress(OSError):
            self._write()

    def _write(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        text = self.values.model_dump_json(indent=2) + "\n"
        atomic.write(self.path, text.encode("utf-8"), durable=True, private=True)


def _read(path: Path) -> PreferenceValues:
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
