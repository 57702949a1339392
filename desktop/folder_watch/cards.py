"""Finds memory cards: volumes with the folder that cameras write to (DCF, JEITA CP-3461: `DCIM`)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QStorageInfo, QTimer, Signal

from desktop.background.workers import Task, run

_CARD_SCAN_INTERVAL_MS = 4_000
_CAMERA_FOLDER = "DCIM"
_PSEUDO_FILE_SYSTEMS = (
    "tmpfs",
    "proc",
    "sysfs",
    "devtmpfs",
    "overlay",
    "squashfs",
    "cgroup",
    "autofs",
    "ramfs",
)


@dataclass(frozen=True, slots=True)
class Card:
    """A mounted card: its label and the folder with its photos."""

    name: str
    folder: Path


def mounted_cards() -> list[Card]:
    """The mounted cards. Reads every volume, which may take seconds: must not run on the GUI thread."""
    cards = []
    for volume in QStorageInfo.mountedVolumes():
        kind = bytes(volume.fileSystemType().data()).decode(errors="replace").lower()
        if (
            not volume.isValid()
            or not volume.isReady()
            or volume.isRoot()
            or kind.startswith(_PSEUDO_FILE_SYSTEMS)
        ):
            continue
        card = card_at(Path(volume.rootPath()), volume.displayName())
        if card is not None:
            cards.append(card)
    return cards


def card_at(root: Path, name: str) -> Card | None:
    """The card whose file system is mounted at `root`; None if it has no folder of a camera."""
    folder = root / _CAMERA_FOLDER
    try:
        is_card = folder.is_dir()
    except OSError:
        return None
    # The name of a volume without a label is its path.
    return Card(Path(name).name or name, folder) if is_card else None


class CardFinder(QObject):
    """Looks for cards repeatedly while it is started, and emits a signal when one appears or is removed."""

    appeared = Signal(object)
    """The `Card` that was inserted."""
    removed = Signal(object)
    """The `Card` that was removed."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._mounted: list[Card] = []
        self._task: Task | None = None
        self._next = QTimer(self, singleShot=True, interval=_CARD_SCAN_INTERVAL_MS)
        self._next.timeout.connect(self._look_for_cards)

    @property
    def mounted_cards(self) -> list[Card]:
        """The cards that were mounted at the last scan."""
        return list(self._mounted)

    def start(self) -> None:
        """Look for cards now, and then repeatedly."""
        if self._task is None and not self._next.isActive():
            self._look_for_cards()

    def stop(self) -> None:
        """Stop looking."""
        self._next.stop()
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def _look_for_cards(self) -> None:
        self._task = run(
            mounted_cards, owner=self, done=self._set_cards, failed=lambda _: self._set_cards([])
        )

    def _set_cards(self, cards: list[Card]) -> None:
        self._task = None
        self._next.start()
        before, self._mounted = self._mounted, cards
        for card in before:
            if card not in cards:
                self.removed.emit(card)
        for card in cards:
            if card not in before:
                self.appeared.emit(card)
