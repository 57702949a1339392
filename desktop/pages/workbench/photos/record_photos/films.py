"""Opens films: takes their frames as photos, keeps them with the record, and lists those that are kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from PySide6.QtCore import QLocale, QObject, Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from desktop.background.workers import Lane, ProgressReport, Task, run
from desktop.client import Session
from desktop.imaging.conversion import PreparedUpload
from desktop.localization.dates import format_minute_in_zone
from desktop.messages.error_messages import sentence
from desktop.pages.common.files.file_dialogs import Purpose, choose_file, open_file
from desktop.pages.workbench.photos.record_photos.film_dialog import FilmDialog
from desktop.record.open_record import OpenRecord
from desktop.record.photo_queue import PhotoQueue, QueuedPicture
from desktop.widgets import (
    BaseDialog,
    Button,
    ButtonKind,
    ProgressBar,
    StateStack,
    Toast,
    column_of,
    confirm,
    row_of,
)
from shared.images.films import FILM_SUFFIXES, can_read
from shared.wire.photos import RecordFilm

T = TypeVar("T")
P = TypeVar("P")


class FilmController(QObject):
    """Opens films of the record, and queues the frames and films that the user takes."""

    def __init__(self, open_record: OpenRecord, queue: PhotoQueue, window: QWidget) -> None:
        super().__init__(window)
        self._open_record, self._queue, self._window = open_record, queue, window

    def choose(self) -> None:
        """Ask for a film and show it."""
        patterns = " ".join(f"*{suffix}" for suffix in FILM_SUFFIXES if can_read(suffix))
        kinds = self.tr("Films ({patterns})").format(patterns=patterns)
        path = open_file(self._window, self.tr("Open film"), kinds, Purpose.PHOTOS)
        if path is not None:
            self.show(path)

    def show(self, path: Path, folder: TemporaryDirectory[str] | None = None) -> None:
        """Show a film; one that is not kept, only if photos can be added to the open record.

        `folder` has a copy of a kept film, and is deleted with the dialog.
        """
        editable = self._open_record.editable if folder is not None else self._open_record.may_edit()
        if self._open_record.document is None or not (editable or folder is not None):
            return
        item = self._open_record.item
        number = self._open_record.number if item is not None and item.updated_at is not None else 0
        dialog = FilmDialog(path, self._window, number, folder=folder, editable=editable)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        record_id = self._open_record.record_id
        item_id = self._open_record.edits.service_id(self._open_record.current)
        dialog.taken.connect(partial(self._add, record_id, item_id))
        film = QueuedPicture(record_id, path, path.name, is_film=True)
        dialog.kept.connect(partial(self._queue.add, [film]))
        dialog.follow(self._queue, film)
        dialog.open()

    def list_kept(self) -> None:
        """List the films that are kept with the open record."""
        if self._open_record.document is None:
            return
        session, editable = self._open_record.context.session, self._open_record.editable
        dialog = FilmsDialog(session, self._open_record.record_id, self._queue, editable, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.add_wanted.connect(self.choose)
        dialog.opened.connect(self.show)
        dialog.open()

    def _add(self, record_id: str, item_id: str, frame: PreparedUpload, is_of_item: bool) -> None:
        owner = item_id if is_of_item else ""
        self._queue.add([QueuedPicture(record_id, frame.source, frame.name, item_id=owner, asks=True)])


class FilmsDialog(BaseDialog):
    """The films of a record, newest first, each with its size, who added it and when."""

    opened = Signal(object, object)
    """Emits the path of the copy of a film, and the `TemporaryDirectory` with it."""
    add_wanted = Signal()
    """The user wants to open another film."""

    def __init__(
        self, session: Session, record_id: str, queue: PhotoQueue, editable: bool, parent: QWidget | None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("films")
        self.setWindowTitle(self.tr("Films of the record"))
        self.setMinimumSize(620, 360)
        self._session, self._record_id, self._editable = session, record_id, editable
        self._films: Sequence[RecordFilm] = ()
        self._loading: Task | None = None
        self.list = QListWidget()
        self.list.setAccessibleName(self.windowTitle())
        self.open_button = Button(self.tr("Open"), kind=ButtonKind.MAIN, icon="play")
        self.save = Button(self.tr("Save as…"), icon="download")
        self.remove = Button(self.tr("Remove"), icon="trash")
        self.add = Button(self.tr("Open film…"), icon="plus")
        self.close_button = Button(self.tr("Close"))
        self._bar = ProgressBar(self.tr("Film download progress"))
        self._toast = Toast(self)
        self._stack = StateStack(self.list)
        self._build()
        for button, act in (
            (self.open_button, self._open),
            (self.save, self._save),
            (self.remove, self._remove),
            (self.add, self._add),
            (self.close_button, self.close),
        ):
            button.clicked.connect(lambda _checked=False, it=act: it())
        self.list.itemActivated.connect(lambda _item: self._open())
        self.list.currentRowChanged.connect(lambda _row: self._offer())
        queue.stored.connect(self._on_stored)
        self._read()

    def _build(self) -> None:
        buttons = row_of(self.remove, self.save, 1, self.add, self.close_button, self.open_button)
        column_of((self._stack, 1), self._bar, buttons, parent=self, margins=(20, 16, 20, 16), spacing=12)
        self._bar.hide()
        self._offer()

    def _on_stored(self, picture: QueuedPicture) -> None:
        if picture.is_film and picture.record_id == self._record_id:
            self._read()

    def _read(self) -> None:
        self._stack.show_loading(self.tr("Loading…"))
        list_films = self._session.films.list
        run(list_films, self._record_id, owner=self, done=self._on_read, failed=self._on_read_failed)

    def _on_read(self, films: Sequence[RecordFilm]) -> None:
        self._films = films
        self.list.clear()
        for film in films:
            item = QListWidgetItem(f"{film.file.filename}\n{_details(film)}")
            item.setToolTip(f"SHA-256 {film.file.sha256}")
            self.list.addItem(item)
        self.list.setCurrentRow(0 if films else -1)
        if films:
            self._stack.show_content()
        else:
            self._stack.show_empty(
                "play", self.tr("No films are kept with this record. Open a film and choose Keep film.")
            )
        self._offer()

    def _on_read_failed(self, error: Exception) -> None:
        self._stack.show_error(sentence(error), self._read)

    @property
    def _chosen(self) -> RecordFilm | None:
        row = self.list.currentRow()
        return self._films[row] if 0 <= row < len(self._films) else None

    def _offer(self) -> None:
        can_load = self._chosen is not None and self._loading is None
        self.open_button.setEnabled(can_load)
        self.save.setEnabled(can_load)
        self.remove.setEnabled(can_load)
        self.remove.setVisible(self._editable)
        self.add.setVisible(self._editable)

    def _open(self) -> None:
        film = self._chosen
        if film is not None and self._loading is None:
            name = film.file.filename
            self._load(_copy_to_view, film, name, partial(self._on_copied, name))

    def _on_copied(self, name: str, folder: TemporaryDirectory[str]) -> None:
        self.accept()
        self.opened.emit(Path(folder.name) / name, folder)

    def _save(self) -> None:
        film = self._chosen
        if film is None:
            return
        suffix = Path(film.file.filename).suffix.lower()
        kinds = {self.tr("Films ({patterns})").format(patterns=f"*{suffix}"): suffix}
        chosen = choose_file(self, self.tr("Save film"), film.file.filename, kinds, Purpose.EXPORTS)
        if chosen is not None:
            saved = self.tr("Saved: {file}").format(file=chosen[0].name)
            self._load(_copy, film, chosen[0], lambda _: self._toast.show_message(saved))

    def _load(
        self,
        load: Callable[[ProgressReport, Session, str, P], T],
        film: RecordFilm,
        target: P,
        done: Callable[[T], object],
    ) -> None:
        def on_done(loaded: T) -> None:
            self._end_loading()
            done(loaded)

        self._bar.setValue(0)
        self._bar.show()
        self._loading = run(
            load,
            self._session,
            film.file.file_id,
            target,
            owner=self,
            progress=lambda share: self._bar.setValue(round(100 * share)),
            done=on_done,
            failed=self._on_failed,
            lane=Lane.LONG,
        )
        self._offer()

    def _end_loading(self) -> None:
        self._loading = None
        self._bar.hide()
        self._offer()

    def _on_failed(self, error: Exception) -> None:
        self._end_loading()
        self._toast.show_message(sentence(error))

    def _remove(self) -> None:
        film = self._chosen
        if film is not None and confirm(
            self,
            self.tr("Remove {film} from the record?").format(film=film.file.filename),
            self.tr("Photos that are frames of it stay."),
            self.tr("Remove"),
        ):
            remove = self._session.films.delete
            done, failed = lambda _: self._read(), self._on_failed
            run(remove, self._record_id, film.film_id, owner=self, done=done, failed=failed)

    def _add(self) -> None:
        self.accept()
        self.add_wanted.emit()

    def done(self, result: int) -> None:
        """Stop a download with the dialog."""
        if self._loading is not None:
            self._loading.cancel()
        super().done(result)


def _copy(report: ProgressReport, session: Session, file_id: str, path: Path) -> None:
    """Download a film. A file that is not complete is deleted. Reports 0..1. Raises ClientError, OSError."""
    try:
        session.files.save(file_id, path, lambda done, total: report(done / total if total else 1.0))
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def _copy_to_view(
    report: ProgressReport, session: Session, file_id: str, name: str
) -> TemporaryDirectory[str]:
    """Download a film into a folder of its own. Raises ClientError, OSError."""
    folder = TemporaryDirectory(prefix="walkaround-film-", ignore_cleanup_errors=True)
    try:
        _copy(report, session, file_id, Path(folder.name) / name)
    except BaseException:
        folder.cleanup()
        raise
    return folder


def _details(film: RecordFilm) -> str:
    size = QLocale().formattedDataSize(film.file.size)
    return " · ".join(filter(None, (size, format_minute_in_zone(film.created_at), film.added_by_name)))
