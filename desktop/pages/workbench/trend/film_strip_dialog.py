"""The base of the windows that show one frame of a region large, and all of them as a film strip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.client import Session
from desktop.pages.workbench.trend.contents import Place
from desktop.pages.workbench.trend.film_strip import FilmStrip, FrameView, ZoomButtons
from desktop.pages.workbench.trend.film_strip_model import FilmStripModel, Frame
from desktop.pages.workbench.trend.pictures import FINE_PX, FramePictures, FrameSource
from desktop.widgets import BaseDialog, Button, ElidedLabel, StateStack, column_of, label

_REQUEST_MS = 80
_LEAST_SIZE = QSize(900, 560)
_DEFAULT_SIZE = QSize(1400, 900)
_FRAME_SIZE = QSize(40, 130)
"""The space that is left free around the window on its parent."""


class FilmStripDialog(BaseDialog):
    """The frames of one place: the chosen one large, below it the strip. Pictures are made when in sight."""

    open_wanted = Signal(str, str)
    """The ids of a record and of its item whose photo the user wants to compare."""

    def __init__(
        self, session: Session, place: Place | None, strip_name: str, frame_name: str, parent: QWidget | None
    ) -> None:
        """`place` is the place of the item's region or None; the names are those for screen readers."""
        super().__init__(parent)
        self.setModal(True)
        self.setMinimumSize(_LEAST_SIZE)
        size = _DEFAULT_SIZE if parent is None else parent.window().size() - _FRAME_SIZE
        self.resize(size.expandedTo(_LEAST_SIZE))
        self._session, self._place = session, place
        self.pictures = FramePictures(session, self)
        self.film = FilmStripModel(self.pictures, self)
        self.film.waiting = self.tr("Loading photo…")
        self.strip = FilmStrip(self.film, strip_name)
        self.frame_view = FrameView(self.film, frame_name)
        self.summary = label("", "dim", wrap=True)
        self.which = ElidedLabel("", "strong")
        self.close_button = Button(self.tr("Close"))
        self.close_button.clicked.connect(self.accept)
        self.content = QWidget()
        self.stack = StateStack(self.content)
        self._soon = QTimer(self, singleShot=True, interval=_REQUEST_MS)
        self._soon.timeout.connect(self._request_pictures)
        self.film.current_changed.connect(self._show_chosen)
        self.film.view_changed.connect(self._soon.start)
        self.film.frames_changed.connect(self._soon.start)
        self.film.playing_changed.connect(self._soon.start)
        self.finished.connect(self._on_finished)

    def _frame_column(self, *tools: QWidget) -> QVBoxLayout:
        """The large frame with its tools below it: zoom, `tools`, and which frame it is before the last."""
        row = ZoomButtons(self.film)
        for tool in tools[:-1]:
            row.addWidget(tool)
        row.addWidget(self.which, 1)
        for tool in tools[-1:]:
            row.addWidget(tool)
        return column_of((self.frame_view, 1), row, margins=0, spacing=6)

    @property
    def _offset(self) -> int:
        """The number of frames before the first photo: the reference image."""
        return 0 if self._place is None else 1

    def _chosen_key(self) -> str:
        return self.film.frames[self.film.current].key if self.film.frames else ""

    def _show_frames(
        self, sources: Mapping[str, FrameSource], frames: Sequence[Frame], keys: Sequence[str], otherwise: int
    ) -> None:
        """Show `frames`. The first of `keys` that has one is chosen, else the frame at `otherwise`."""
        was_empty = not self.film.frames
        aspect = 4 / 3 if self._place is None else self._place.aspect
        self.pictures.show(sources, aspect)
        present = [frame.key for frame in frames]
        places = [present.index(key) for key in keys if key in present]
        self.film.show(frames, aspect, places[0] if places else otherwise)
        if was_empty:
            self.strip.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_chosen(self, index: int) -> None:
        if self.film.frames:
            frame = self.film.frames[index]
            self.which.setText(f"{index + 1}/{len(self.film.frames)} · {frame.day} · {frame.name}")
        self._soon.start()

    def _request_pictures(self) -> None:
        """Request the visible pictures, the large one first."""
        film = self.film
        if not film.frames:
            return
        ahead = film.next_keys() if film.is_playing else []
        keys = [self._chosen_key(), *ahead, *(film.frames[index].key for index in self.strip.in_sight())]
        box = self.frame_view.picture_box()
        longest = round(max(box.width(), box.height()) * self.devicePixelRatioF())
        self.pictures.want(list(dict.fromkeys(keys)), film.view, min(longest, FINE_PX))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._soon.start()

    def _on_finished(self) -> None:
        self.film.play(False)
        self._soon.stop()
        self.pictures.stop()
        self.deleteLater()
