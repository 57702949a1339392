"""The line that offers to watch a folder, shows which one is watched, and stops the watching."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop.folder_watch import ScanResult, WatchState
from desktop.widgets import Button, ButtonKind, IconButton, IconLabel, Panel, escape_tooltip, label


@dataclass(frozen=True, slots=True)
class WatchOffer:
    """A folder that could be watched: a card by its name, or the folder that was watched last."""

    folder: Path
    card: str = ""


@dataclass(frozen=True, slots=True)
class BarState:
    """The state of the bar: the watching of a folder, or an offer; the bar is hidden without either.

    `added` is the number of photos that were stored since the watching began.
    """

    state: WatchState = WatchState.OFF
    folder: Path | None = None
    look: ScanResult | None = None
    added: int = 0
    offer: WatchOffer | None = None


class WatchBar(Panel):
    """One line above the picture."""

    watch_wanted = Signal(object)
    """The folder that was offered, a Path."""
    dismissed = Signal()
    """Emitted when the user declines the offer."""
    older_wanted = Signal()
    """Emitted to add the photos from before the record's start."""
    stop_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("raised", "bottom", parent)
        self.setObjectName("folder-watch")
        self._state = BarState()
        self._text = label("", wrap=True)
        self._text.setObjectName("folder-watch-text")
        self.watch = Button(self.tr("Watch for new photos"), kind=ButtonKind.LINK)
        self.watch.setObjectName("folder-watch-start")
        self.older = Button("", kind=ButtonKind.LINK)
        self.older.setObjectName("folder-watch-older")
        self.stop = Button(self.tr("Stop watching"), kind=ButtonKind.LINK)
        self.stop.setObjectName("folder-watch-stop")
        self.close_button = IconButton("close", self.tr("Close"), side=24)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 6, 12, 6)
        row.setSpacing(12)
        row.addWidget(IconLabel("folder", "accent"))
        row.addWidget(self._text, 1)
        for button in (self.watch, self.older, self.stop, self.close_button):
            row.addWidget(button)
        self.watch.clicked.connect(lambda _checked=False: self._watch())
        self.older.clicked.connect(lambda _checked=False: self.older_wanted.emit())
        self.stop.clicked.connect(lambda _checked=False: self.stop_wanted.emit())
        self.close_button.clicked.connect(lambda _checked=False: self.dismissed.emit())
        self.hide()

    @property
    def text(self) -> str:
        """The text on show."""
        return self._text.text()

    def show_state(self, state: BarState) -> None:
        """Show the state of the watching, or the offer."""
        self._state = state
        on, offer = state.state is not WatchState.OFF, state.offer
        text = self._state_text(state) if on else self._offer_text(offer) if offer is not None else ""
        self._text.setText(text)
        folder = state.folder if on else offer.folder if offer is not None else None
        self._text.setToolTip("" if folder is None else escape_tooltip(str(folder)))
        self.setAccessibleName(text)
        older = state.look.older if on and state.look is not None else 0
        self.older.setText(self.tr("Include %n older photo(s)", "", older))
        self.older.setVisible(older > 0 and state.state is WatchState.WATCHING)
        self.stop.setVisible(on)
        self.watch.setVisible(not on and offer is not None)
        self.close_button.setVisible(not on)
        self.setVisible(bool(text))

    def _watch(self) -> None:
        if self._state.offer is not None:
            self.watch_wanted.emit(self._state.offer.folder)

    def _offer_text(self, offer: WatchOffer) -> str:
        if offer.card:
            return self.tr("Memory card “{name}” has a folder with photos.").format(name=offer.card)
        text = self.tr("Folder “{name}” was watched last. Watch it for this record, too?")
        return text.format(name=_name(offer.folder))

    def _state_text(self, state: BarState) -> str:
        name = _name(state.folder) if state.folder is not None else ""
        if state.state is WatchState.AWAY:
            return self.tr(
                "Folder “{name}” cannot be read. Watching continues when it is available again."
            ).format(name=name)
        parts = [self.tr("Watching folder “{name}”.").format(name=name)] if name else []
        look = state.look
        if look is None:
            parts.append(self.tr("Reading the folder…"))
            return " ".join(parts)
        parts.append(self.tr("%n photo(s) added.", "", state.added))
        if look.remaining or look.incomplete:
            parts.append(self.tr("%n photo(s) waiting.", "", look.remaining + look.incomplete))
        if look.damaged:
            parts.append(self.tr("%n file(s) cannot be read as images.", "", look.damaged))
        if look.is_truncated:
            parts.append(self.tr("The folder has too many photos. Select a folder inside it."))
        return " ".join(parts)


def _name(folder: Path) -> str:
    return folder.name or str(folder)
