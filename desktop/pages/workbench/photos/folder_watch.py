"""Takes the photos of a watched folder or card into the open record."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import platformdirs
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from desktop.background.workers import run
from desktop.folder_watch import Card, CardFinder, FolderWatcher, FoundPhoto, ScanResult, WatchState
from desktop.folder_watch.seen_photos import SeenPhotos
from desktop.localization.language import join_sentences
from desktop.pages.common.files.file_dialogs import Purpose, open_folder
from desktop.pages.workbench.photos.record_photos import RecordPhotosController
from desktop.record.open_record import OpenRecord
from desktop.record.photo_queue import QueuedPicture
from desktop.user_folders import APP
from desktop.widgets import Banner, escape_tooltip
from shared.record.content import sha256_from_cid


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


class WatchBar(Banner):
    """One line above the picture. Its second action ends the watching, and closing it declines the offer."""

    watch_wanted = Signal(object)
    """The folder that was offered, a Path."""
    older_wanted = Signal()
    """Emitted to add the photos from before the record's start."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = BarState()
        self.action_chosen.connect(self._on_action)

    def show_state(self, state: BarState) -> None:
        """Show the state of the watching, or the offer."""
        self._state = state
        is_on, offer = state.state is not WatchState.OFF, state.offer
        folder = state.folder if is_on else offer.folder if offer is not None else None
        self.setToolTip("" if folder is None else escape_tooltip(str(folder)))
        if is_on:
            look = state.look if state.state is WatchState.WATCHING else None
            older = look.older if look is not None else 0
            self.show_message(
                self._state_text(state),
                action=self.tr("Include %n older photo(s)", "", older) if older else "",
                closable=False,
                second_action=self.tr("Stop watching"),
            )
        elif offer is not None:
            self.show_message(self._offer_text(offer), action=self.tr("Watch for new photos"))
        else:
            self.hide()

    def _on_action(self) -> None:
        if self._state.state is not WatchState.OFF:
            self.older_wanted.emit()
        elif self._state.offer is not None:
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
            return join_sentences(parts)
        parts.append(self.tr("%n photo(s) added.", "", state.added))
        if look.remaining or look.incomplete:
            parts.append(self.tr("%n photo(s) waiting.", "", look.remaining + look.incomplete))
        if look.damaged:
            parts.append(self.tr("%n file(s) cannot be read as images.", "", look.damaged))
        if look.is_truncated:
            parts.append(self.tr("The folder has too many photos. Select a folder inside it."))
        return join_sentences(parts)


def _name(folder: Path) -> str:
    return folder.name or str(folder)


_MAX_QUEUED = 4
"""Maximum number of photos that wait for the upload. Other photos stay in the folder until then."""


class FolderWatchController(QObject):
    """Watches one folder for one record until another record or user comes or the record is sealed."""

    notice = Signal(str)
    """Why a folder cannot be watched, or is not watched any more."""

    def __init__(
        self, open_record: OpenRecord, record_photos: RecordPhotosController, window: QWidget
    ) -> None:
        super().__init__(window)
        self._open_record, self._record_photos, self._window = open_record, record_photos, window
        self._queue = record_photos.queue
        self._seen_photos = SeenPhotos(
            Path(platformdirs.user_data_dir(APP, appauthor=False)) / "folder_watch.db"
        )
        self.destroyed.connect(self._seen_photos.close)
        self.watcher = FolderWatcher(self._seen_photos, self._free_places, self)
        self.watcher.known_hashes = self._photo_hashes
        self.cards = CardFinder(self)
        self.bar = WatchBar()
        self._record_id = ""
        self._watched_id = ""
        self._sent_photos: dict[Path, FoundPhoto] = {}
        self._added_count = 0
        self._offers: list[WatchOffer] = []
        self._refused_folders: set[Path] = set()
        self._connect()

    def _connect(self) -> None:
        context = self._open_record.context
        self.watcher.changed.connect(self._show)
        self.watcher.found.connect(self._on_photos_found)
        self.cards.appeared.connect(self._offer_card)
        self.cards.removed.connect(self._on_card_removed)
        self.bar.watch_wanted.connect(self.watch)
        self.bar.closed.connect(self._dismiss)
        self.bar.older_wanted.connect(self.watcher.include_older)
        self.bar.second_action_chosen.connect(self.stop)
        # A user who stops the uploads does not want the next ones either.
        self._record_photos.tray.cancelled.connect(self.stop)
        self._queue.stored.connect(self._on_stored)
        self._queue.lost.connect(self._on_lost)
        self._queue.changed.connect(self.watcher.resume)
        self._open_record.record_changed.connect(self._on_record_changed)
        context.login_changed.connect(self.stop)
        context.closing.connect(self.stop)

    # -- what a person asks for

    def choose(self) -> None:
        """Ask for a folder and watch it for the open record."""
        if self._open_record.document is not None and self._open_record.may_edit():
            folder = open_folder(self._window, self.tr("Watch folder for new photos"), Purpose.WATCHED)
            if folder is not None:
                self.watch(folder)

    def watch(self, folder: Path) -> None:
        """Watch `folder` for the open record, and remember it on this computer."""
        document = self._open_record.document
        if document is None or not self._open_record.may_edit():
            return
        self._offers.clear()
        self._sent_photos.clear()
        self._added_count, self._watched_id = 0, self._open_record.record_id
        preferences = self._open_record.context.preferences
        preferences.change(watched_folder=str(folder))
        start = document.record.start_time or document.record.created_at
        self.watcher.start(folder, self._watched_id, _utc(start))

    def stop(self) -> None:
        """Stop watching. Photos that were found are still sent."""
        self._watched_id = ""
        self.watcher.stop()
        self._show()

    def pause(self) -> None:
        """Stop searching for cards when the page is left. A folder is still watched."""
        self.cards.stop()

    # -- following the record

    def _on_record_changed(self) -> None:
        record = self._open_record
        if record.record_id != self._record_id:
            self._record_id = record.record_id
            cards = (card for card in self.cards.mounted_cards if card.folder not in self._refused_folders)
            self._offers = [WatchOffer(card.folder, card.name) for card in cards]
            self._offer_last()
        if self._watched_id and (record.record_id != self._watched_id or record.sealed):
            if record.sealed and record.record_id == self._watched_id:
                self.notice.emit(self.tr("The record is sealed. The folder is no longer watched."))
            self.stop()
        if record.document is not None and record.editable:
            self.cards.start()
        else:
            self.cards.stop()
        self._show()

    def _offer_last(self) -> None:
        last = self._open_record.context.preferences.values.watched_folder
        if last and self._record_id:
            # A network folder that is offline answers late.
            run(
                os.path.isdir,
                last,
                owner=self,
                done=partial(self._offer_last_folder, Path(last), self._record_id),
            )

    def _offer_last_folder(self, folder: Path, record_id: str, exists: bool) -> None:
        if exists and record_id == self._record_id and all(offer.folder != folder for offer in self._offers):
            self._offers.append(WatchOffer(folder))
            self._show()

    def _offer_card(self, card: Card) -> None:
        self._offers = [WatchOffer(card.folder, card.name)] + [
            offer for offer in self._offers if offer.folder != card.folder
        ]
        self._show()

    def _on_card_removed(self, card: Card) -> None:
        self._refused_folders.discard(card.folder)
        self._offers = [offer for offer in self._offers if offer.folder != card.folder]
        self._show()

    def _dismiss(self) -> None:
        dismissed = self._offers.pop(0) if self._offers else None
        if dismissed is not None and dismissed.card:
            self._refused_folders.add(dismissed.folder)
        elif dismissed is not None:
            self._open_record.context.preferences.change(watched_folder="")
        self._show()

    # -- photos

    def _free_places(self) -> int:
        return max(0, _MAX_QUEUED - self._queue.count(self._watched_id))

    def _photo_hashes(self) -> frozenset[str]:
        hashes = set()
        for photo in self._record_photos.photo_list.photos:
            with contextlib.suppress(ValueError):
                hashes.add(sha256_from_cid(photo.file.ipfs_cid or ""))
        return frozenset(hashes)

    def _on_photos_found(self, photos: tuple[FoundPhoto, ...]) -> None:
        self._sent_photos |= {photo.path: photo for photo in photos}
        self._queue.add([QueuedPicture(self._watched_id, photo.path, photo.path.name) for photo in photos])

    def _on_stored(self, picture: QueuedPicture) -> None:
        photo = self._sent_photo(picture)
        if photo is not None:
            self._added_count += 1
            run(self._seen_photos.remember_taken, picture.record_id, photo.sha256, owner=None)
            self._show()

    def _on_lost(self, picture: QueuedPicture, error: Exception) -> None:
        photo = self._sent_photo(picture)
        if photo is not None and isinstance(error, OSError):
            # The card was taken out meanwhile.
            self.watcher.put_back(photo)

    def _sent_photo(self, picture: QueuedPicture) -> FoundPhoto | None:
        if picture.record_id != self._watched_id or not isinstance(picture.source, Path):
            return None
        return self._sent_photos.pop(picture.source, None)

    # -- showing

    def _show(self) -> None:
        may = self._open_record.document is not None and self._open_record.editable
        self.bar.show_state(
            BarState(
                state=self.watcher.state,
                folder=self.watcher.folder,
                look=self.watcher.last_scan,
                added=self._added_count,
                offer=self._offers[0] if self._offers and may else None,
            )
        )
        if self.watcher.state is WatchState.OFF and not may:
            self.bar.hide()


def _utc(time: datetime) -> datetime:
    return time if time.tzinfo is not None else time.replace(tzinfo=UTC)
