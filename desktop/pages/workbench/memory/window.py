"""Shows the memory window: the chosen photo, its data, and all photos as a film strip."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.background.workers import Task, run
from desktop.client import Session
from desktop.client.http.errors import Conflict, Invalid, NotFound
from desktop.imaging.sources.cut import map_rect
from desktop.localization.language import join_sentences
from desktop.messages.error_messages import sentence
from desktop.pages.workbench.memory.contents import (
    ExplainedDifference,
    MemoryContents,
    frames_of,
    key_of,
    read_memory,
    similar_first,
    sources_of,
    state_text,
)
from desktop.pages.workbench.memory.details import MemoryRules, PhotoDetails
from desktop.pages.workbench.trend.contents import REFERENCE, Place, place_of
from desktop.pages.workbench.trend.film_strip_dialog import FilmStripDialog
from desktop.record.item_rows import to_reference
from desktop.record.open_record import OpenRecord
from desktop.widgets import Banner, Confirm, ElidedLabel, column_of, label, row_of
from shared.record.suppression import SuppressedFinding
from shared.wire.detection import REFERENCE_DIFFERENCE
from shared.wire.memory import MemoryChange, MemoryPhoto, MemoryState

_FOLLOW_MS = 400
_DETAILS_PX = 300


class MemoryDialog(FilmStripDialog):
    """The memory of one region."""

    def __init__(
        self,
        session: Session,
        item_id: str,
        title: str,
        model_id: str | None,
        place: Place | None,
        difference: ExplainedDifference | None = None,
        similar: Sequence[str] = (),
        parent: QWidget | None = None,
    ) -> None:
        """Create the window. `item_id` is the id at the service, `place` the place of the item's region or
        None.

        A photo that explains `difference` is chosen first. The photos of the files `similar`, which resemble
        today's most, come first.
        """
        names = self.tr("Photos of the known variations"), self.tr("Chosen photo of the known variations")
        super().__init__(session, place, *names, parent)
        self.setObjectName("memory")
        self.setWindowTitle(self.tr("Known variations"))
        self._item_id = item_id
        self._unused = model_id not in (None, REFERENCE_DIFFERENCE)
        self._difference, self._similar = difference, similar
        self._read_task: Task | None = None
        self._change_task: Task | None = None
        self.memory: MemoryContents | None = None
        self.details = PhotoDetails()
        self.rules = MemoryRules()
        self.banner = Banner()
        self.problem = label("", "error", wrap=True)
        self._build(title)
        self._read_again = QTimer(self, singleShot=True, interval=_FOLLOW_MS)
        self._read_again.timeout.connect(self.read)
        self._connect()
        self.read()

    def _build(self, title: str) -> None:
        self.details.setFixedWidth(_DETAILS_PX)
        upper = row_of((self._frame_column(), 1), self.details, spacing=10)
        column_of((upper, 3), (self.strip, 2), parent=self.content, margins=0, spacing=10)
        below = row_of(self.rules, 1, self.close_button, spacing=8)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSpacing(8)
        column.addWidget(ElidedLabel(title, "item"))
        column.addWidget(self.summary)
        column.addWidget(self.banner)
        column.addWidget(self.stack, 1)
        column.addWidget(self.problem)
        column.addLayout(below)
        self.problem.hide()

    def _connect(self) -> None:
        self.film.opened.connect(lambda _key: self._open_record())
        self.details.open_wanted.connect(self._open_record)
        self.details.leave_out_wanted.connect(
            lambda file_id, out: self.change(MemoryChange(left_out={file_id: out}))
        )
        self.rules.required_wanted.connect(lambda number: self.change(MemoryChange(required=number)))
        self.rules.frozen_wanted.connect(lambda on: self.change(MemoryChange(frozen=on)))
        self.rules.start_over_wanted.connect(self._ask_start_over)
        self.banner.action_chosen.connect(self._show_reference)

    # Reading and changing

    def read(self) -> None:
        """Read the memory from the service."""
        if self._read_task is not None:
            self._read_task.cancel()
        if self.memory is None:
            self.stack.show_loading(self.tr("Reading known variations…"))
        self._read_task = run(
            read_memory,
            self._session,
            self._item_id,
            owner=self,
            done=self._show_memory,
            failed=self._show_error,
        )

    def read_if_of(self, file_id: str) -> None:
        """Read the memory again after a change on the reference image of this file; an empty id stands for
        any file."""
        shown_file_id = None if self.memory is None else self.memory.state.reference_file_id
        if shown_file_id is not None and file_id in ("", shown_file_id) and not self._read_again.isActive():
            self._read_again.start()

    def _show_error(self, error: Exception) -> None:
        # What is on view stays.
        if self.memory is None:
            self.stack.show_error(sentence(error), retry=self.read)

    def change(self, change: MemoryChange) -> None:
        """Change the memory, one change at a time. A refusal of the service is shown below the photos."""
        if self._change_task is not None:
            return
        self.problem.hide()
        self._change_task = run(
            self._session.items.change_memory,
            self._item_id,
            change,
            owner=self,
            done=self._on_changed,
            failed=self._on_change_failed,
        )

    def _on_changed(self, state: MemoryState) -> None:
        self._change_task = None
        if self._read_task is not None:
            # What it read may be older.
            self._read_task.cancel()
        if self.memory is not None:
            self._show_memory(MemoryContents(state, self.memory.aligned))

    def _on_change_failed(self, error: Exception) -> None:
        self._change_task = None
        self.problem.setText(sentence(error))
        self.problem.show()
        if isinstance(error, Conflict | Invalid | NotFound):
            # It is not as it is on view.
            self.read()

    def _ask_start_over(self) -> None:
        dialog = Confirm(
            self,
            self.tr("Clear known variations?"),
            self.tr(
                "All photos so far are removed, in all records; detection reports every difference again "
                "until enough photos are passed."
            ),
            self.tr("Clear"),
        )
        dialog.accepted.connect(lambda: self.change(MemoryChange(start_over=True)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    # Showing

    def _show_memory(self, memory: MemoryContents) -> None:
        self.memory = memory = similar_first(memory, self._similar)
        state = memory.state
        parts = [state_text(state)]
        if self._unused:
            parts.append(self.tr("The model of this item does not use it; only reference difference does."))
        self.summary.setText(join_sentences(parts))
        self.rules.show_state(state)
        self._show_disagreements(state)
        if not state.photos:
            self.pictures.show({}, 1.0)
            self.film.show((), 1.0, 0)
            self.stack.show_empty("photo", self._empty_text(state))
            return
        self.stack.show_content()
        frames = frames_of(memory, self._place, self._difference, self._similar)
        files = () if self._difference is None else self._difference.files
        explaining = [key_of(photo) for photo in state.photos if photo.file_id in files]
        newest = min(self._offset, len(frames) - 1)
        sources = sources_of(memory, self._place)
        self._show_frames(sources, frames, [self._chosen_key(), *explaining], newest)

    def _empty_text(self, state: MemoryState) -> str:
        if state.reference_file_id is None:
            return self.tr(
                "This item has no region on a reference image, so it has no known variations. Draw a region."
            )
        return self.tr(
            "No photos yet. The photo of an item is added when a person passes the item. "
            "Findings that were deleted as not a defect are added when the item is decided. "
            "Differences that look the same in at least two photos are then no longer reported."
        )

    def _show_disagreements(self, state: MemoryState) -> None:
        count = len(state.disagreements)
        if not count:
            self.banner.hide()
            return
        text = self.tr(
            "%n place(s) look different in nearly all newer photos than in the reference image. "
            "A planner can replace the reference image in the catalogue.",
            "",
            count,
        )
        marked = self.tr("Show on reference image") if self._place is not None and state.photos else ""
        self.banner.show_message(text, "warn", action=marked, closable=False)

    def _show_reference(self) -> None:
        keys = [frame.key for frame in self.film.frames]
        if REFERENCE in keys:
            self.film.choose(keys.index(REFERENCE))
            self.strip.setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def photo(self) -> MemoryPhoto | None:
        """The chosen photo; None stands for the reference image."""
        if self.memory is None:
            return None
        key = self._chosen_key()
        return next((photo for photo in self.memory.state.photos if key_of(photo) == key), None)

    def _show_chosen(self, index: int) -> None:
        photo = self.photo
        if self.memory is None:
            return
        source = sources_of(self.memory, self._place).get(self._chosen_key())
        aligned = source is not None and source.to_photo is not None
        self.details.show_photo(photo, aligned=aligned, can_change=self.memory.state.can_change)
        super()._show_chosen(index)

    def _open_record(self) -> None:
        photo = self.photo
        if photo is not None:
            self.accept()
            self.open_wanted.emit(photo.inspection_id, photo.item_id)

    def _on_finished(self) -> None:
        self._read_again.stop()
        super()._on_finished()


class MemoryController(QObject):
    """Opens the window for the chosen item of the workbench."""

    open_wanted = Signal(str, str)
    """The ids of a record and of its item whose photo the user wants to compare."""

    def __init__(self, open_record: OpenRecord, window: QWidget) -> None:
        super().__init__(window)
        self._open_record, self._window = open_record, window
        self._dialog: MemoryDialog | None = None

    def show(
        self, difference: SuppressedFinding | None = None, similar: Sequence[str] = ()
    ) -> MemoryDialog | None:
        """Open the window at the photos that explain a difference, or at the newest photo.

        `similar` are the ids of the files of photos that come first, since they resemble today's most.
        Returns None when no item is chosen.
        """
        open_record = self._open_record
        item = open_record.item
        if item is None:
            return None
        back = to_reference(open_record.entry)
        marked = None
        if difference is not None:
            where = None if back is None else map_rect(difference.box, back)
            marked = ExplainedDifference(difference.label, difference.photos, where)
        dialog = MemoryDialog(
            open_record.context.session,
            open_record.edits.service_id(item.item_id),
            item.item_name,
            item.model_id,
            place_of(open_record),
            marked,
            similar,
            self._window,
        )
        dialog.open_wanted.connect(self.open_wanted)
        dialog.finished.connect(self._on_closed)
        self._dialog = dialog
        dialog.open()
        return dialog

    def read_if_of(self, file_id: str) -> None:
        """Read the memory again after a change on the reference image of this file; an empty id stands for
        any file."""
        if self._dialog is not None:
            self._dialog.read_if_of(file_id)

    def _on_closed(self) -> None:
        self._dialog = None
