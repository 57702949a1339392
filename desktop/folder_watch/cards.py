"""Finds memory cards: volumes with the folder that cameras write to (DCF, JEITA CP-3461: `DCIM`)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QStorageInfo, QTimer, Signal

from desktop.background.workers import Task, run

_LOOK_MS = 4_000
_CAMERA_FOLDER = "DCIM"
_PSEUDO = ("tmpfs", "proc", "sysfs", "devtmpfs", "overlay", "squashfs", "cgroup", "autofs", "ramfs")


@dataclass(frozen=True, slots=True)
class Card:
    """A mounted card: what people know it by, and the folder that has its photos."""

    name: str
    folder: Path


def mounted_cards() -> list[Card]:
    """The cards that are mounted now. Asks every volume, which may take seconds: not for the GUI thread."""
    cards = []
    for volume in QStorageInfo.mountedVolumes():
        kind = bytes(volume.fileSystemType().data()).decode(errors="replace").lower()
        if not volume.isValid() or not volume.isReady() or volume.isRoot() or kind.startswith(_PSEUDO):
            continue
        card = card_at(Path(volume.rootPath()), volume.displayName())
        if card is not None:
            cards.append(card)
    return cards


def card_at(root: Path, name: str) -> Card | None:
    """The card whose file system is mounted at `root`; None where a camera has written nothing."""
    folder = root / _CAMERA_FOLDER
    try:
        is_card = folder.is_dir()
    except OSError:
        return None
    # Without a label the volume is called like its path.
    return Card(Path(name).name or name, folder) if is_card else None


class CardFinder(QObject):
    """Looks for cards while it is started, and says each one once until it is taken out."""

    appeared = Signal(object)
    """The `Card` that was put in."""
    removed = Signal(object)
    """The `Card` that was taken out."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._mounted: list[Card] = []
        self._looking: Task | None = None
        self._next = QTimer(self, singleShot=True, interval=_LOOK_MS)
        self._next.timeout.connect(self._read_cards)

    @property
    def mounted(self) -> list[Card]:
        """The cards that were mounted at the last scan."""
        return list(self._mounted)

    def start(self) -> None:
        """Look now, and then repeatedly."""
        if self._looking is None and not self._next.isActive():
            self._read_cards()

    def stop(self) -> None:
        """Stop looking."""
        self._next.stop()
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None

    def _read_cards(self) -> None:
        self._looking = run(
            mounted_cards, owner=self, done=self._set_cards, failed=lambda _: self._set_cards([])
        )

    def _set_cards(self, cards: list[Card]) -> None:
        self._looking = None
        self._next.start()
        before, self._mounted = self._mounted, cards
        for card in before:
            if card not in cards:
                self.removed.emit(card)
        for card in cards:
            if card not in before:
                self.appeared.emit(card)
