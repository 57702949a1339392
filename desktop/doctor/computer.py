"""Checks this computer for the desktop: fonts, photos, display, cameras, folders, unsent edits, clock.

What needs the GUI thread is asked once (`DisplayFacts`); every check runs anywhere else.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import platformdirs
from PySide6.QtGui import QGuiApplication

from desktop.camera import sources
from desktop.display import input_method
from desktop.imaging.conversion import heif
from desktop.journal.state import count_unsent_edits
from desktop.localization.fonts import FONT_PACKAGE, shows_chinese
from desktop.logs import log_dir
from desktop.user_folders import APP, preferences_file
from shared.system.checkup import CheckResult, Repair, fail, find_damaged_tiles, is_open_to_others, ok, warn

LEAST = (1024, 700)
"""Size of the smallest window in which every page fits, logical px."""
_FIRST_RELEASE_YEAR = 2026
"""The year of the first release; a clock with an earlier year is wrong."""


@dataclass(frozen=True, slots=True)
class DisplayFacts:
    """Platform and fonts according to Qt, and the screens as (width, height, scale) in logical px."""

    platform: str
    screens: tuple[tuple[int, int, float], ...]
    chinese: bool

    @classmethod
    def now(cls) -> DisplayFacts:
        """Read the current facts. Call it on the GUI thread."""
        screens = tuple(
            (screen.availableSize().width(), screen.availableSize().height(), screen.devicePixelRatio())
            for screen in QGuiApplication.screens()
        )
        return cls(QGuiApplication.platformName(), screens, shows_chinese())


def fonts(facts: DisplayFacts) -> Iterator[CheckResult]:
    """Check that a font has Chinese characters."""
    if facts.chinese:
        yield ok("a font has Chinese characters")
    else:
        yield warn(
            "no font has Chinese characters, so no report with Chinese text can be written as PDF",
            "install one, on Debian and Ubuntu the package {package}",
            package=FONT_PACKAGE,
        )


def photos() -> Iterator[CheckResult]:
    """Check that HEIC photos can be opened."""
    package = heif.missing_package()
    if package:
        yield warn(
            "no library opens HEIC photos",
            "install one, on Debian and Ubuntu the package {package}",
            package=package,
        )
    elif heif.version() < heif.IOS_18_VERSION:
        yield warn(
            "libheif {version} cannot open HEIC photos from iOS 18 or later",
            "update it to 1.18 or later, on Debian 12 from bookworm-backports",
            version="{}.{}".format(*heif.version()),
        )
    else:
        yield ok("HEIC photos can be opened")


def display(facts: DisplayFacts) -> Iterator[CheckResult]:
    """Check how Qt reaches the display and whether the windows fit on the screens."""
    if facts.platform == "offscreen":
        yield warn("no display", "the desktop needs one; the service and the demo do not")
        return
    for width, height, scale in facts.screens:
        values = {"width": width, "height": height, "scale": f"{scale:.0%}", "platform": facts.platform}
        message = "display {width} x {height} at {scale} ({platform})"
        if width < LEAST[0] or height < LEAST[1]:
            yield warn(
                message,
                "the window needs at least {least}: choose a higher resolution or a smaller scale",
                least=f"{LEAST[0]} x {LEAST[1]}",
                **values,
            )
        else:
            yield ok(message, **values)


def input_methods() -> Iterator[CheckResult]:
    """Report the input method of a Linux session; other systems have one of their own."""
    name = input_method()
    if name:
        yield ok("input method {name}", name=name)
    elif sys.platform.startswith("linux"):
        yield ok("no input method, which only typing Chinese needs")


def camera() -> Iterator[CheckResult]:
    """Check for cameras and the permission to use them. Opens none, because a camera may be in use."""
    if sys.platform.startswith("linux"):
        devices = sorted(Path("/dev").glob("video*"))
        if devices and not any(os.access(path, os.R_OK | os.W_OK) for path in devices):
            yield warn("this user has no access to the cameras", "add the user to the group 'video'")
            return
    names = [source.name for source in sources()]
    if names:
        yield ok("cameras: {names}", names=", ".join(names))
    else:
        yield warn("no camera", "connect one, or work with photo files")


def folders() -> Iterator[CheckResult]:
    """Check that the user's folders exist, are writable and private, and the preferences readable."""
    data = Path(platformdirs.user_data_dir(APP, appauthor=False))
    cache = Path(platformdirs.user_cache_dir("walkaround", appauthor=False))
    fine = 0
    for folder in (preferences_file().parent, data, data / "journal", log_dir(), cache):
        existing = next(path for path in (folder, *folder.parents) if path.exists())
        if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
            yield fail(
                "the folder {folder} cannot be written",
                "give this user permission to write in {parent}",
                folder=folder,
                parent=existing,
            )
        elif not folder.is_dir():
            # The program makes the folder when it needs it.
            fine += 1
        elif folder in (data / "journal", log_dir()) and is_open_to_others(folder):
            yield warn(
                "the folder {folder} is open to other users",
                "make it private",
                Repair.OWNER_ONLY,
                folder,
                folder=folder,
            )
        else:
            fine += 1
    if fine:
        yield ok("{count} folders of the program can be written", count=fine)
    yield from _preferences(preferences_file())
    broken = find_damaged_tiles(cache)
    if broken:
        yield warn(
            "{count} files of the tile cache are damaged: {folder}",
            "delete them; they are created again when a picture is opened",
            Repair.DELETE_DAMAGED_TILES,
            cache,
            count=len(broken),
            folder=cache,
        )


def _preferences(path: Path) -> Iterator[CheckResult]:
    if not path.is_file():
        return
    try:
        readable = isinstance(json.loads(path.read_text(encoding="utf-8")), dict)
    except (OSError, ValueError):
        readable = False
    if not readable:
        yield warn(
            "the preferences in {file} cannot be read, so the defaults are used",
            "move the file to another folder; the program writes a new one",
            Repair.MOVE_AWAY,
            path,
            file=path,
        )


def journals() -> Iterator[CheckResult]:
    """Check for unsent edits, which are on this computer only."""
    folder = Path(platformdirs.user_data_dir(APP, appauthor=False)) / "journal"
    waiting = sum(count_unsent_edits(path) for path in folder.glob("*.journal"))
    if waiting:
        yield warn(
            "{count} edits are saved on this computer and not sent yet",
            "they are sent when the user who made them logs in and the service answers",
            count=waiting,
        )
    else:
        yield ok("no unsent edits")
    for damaged in sorted(folder.glob("*.journal.damaged-*")):
        yield warn(
            "a part of a journal could not be read; a copy is in {file}",
            "keep the copy until you have checked the last edits of that day, then delete it",
            file=damaged,
        )


def clock() -> Iterator[CheckResult]:
    """Check the clock of this computer and its time zone."""
    now = dt.datetime.now().astimezone()
    values = {"time": f"{now:%Y-%m-%d %H:%M}", "zone": f"{now:%Z} (UTC{now:%z})"}
    if now.year < _FIRST_RELEASE_YEAR:
        yield fail("the clock says {time}", "set date and time of this computer", **values)
    elif not any(time.tzname):
        yield warn(
            "the clock says {time}, without a time zone", "set the time zone of this computer", **values
        )
    else:
        yield ok("clock {time}, time zone {zone}", **values)
