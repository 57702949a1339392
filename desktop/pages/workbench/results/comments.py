"""Shows the comments on the chosen item, and writes new ones, at a place on the photo if one is shown."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from desktop.background.workers import Task, run
from desktop.localization.dates import format_recent
from desktop.messages.error_messages import sentence
from desktop.record.open_record import OpenRecord
from desktop.widgets import Button, ButtonKind, clear_layout, label
from shared.wire.shift import Comment, CommentWrite

PhotoPlace = tuple[str, float, float]
"""The file id of a photo, and a place on it in fractions (0..1) of the upright photo."""
_MAX_LENGTH = 2000


class CommentsBox(QWidget):
    """Lists comments, numbered as their marks on the photo, above a field for a new one."""

    wanted = Signal(str)
    """The text of a new comment."""
    place_wanted = Signal(object)
    """The `Comment` whose place the user wants to see."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("comments")
        self.text = QLineEdit()
        self.text.setObjectName("comment-text")
        self.text.setMaxLength(_MAX_LENGTH)
        self.text.setAccessibleName(self.tr("Comment"))
        self.text.setPlaceholderText(self.tr("Comment"))
        self.add = Button(self.tr("Add"))
        self.place = label("", "small", wrap=True)
        self.place.hide()
        self._is_editable = self._is_begun = False
        self._rows = QVBoxLayout()
        self._rows.setSpacing(4)
        row = QHBoxLayout()
        row.setSpacing(6)
        row.addWidget(self.text, 1)
        row.addWidget(self.add)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(self._rows)
        column.addLayout(row)
        column.addWidget(self.place)
        self.text.returnPressed.connect(self._send)
        self.add.clicked.connect(lambda _checked=False: self._send())

        self._show_field(False)

    def set_editable(self, on: bool) -> None:
        """Whether comments can be written."""
        self._is_editable = on

    def begin(self) -> None:
        """Let the user type."""
        self._is_begun = True
        self._show_field(self._is_editable)
        self.text.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_field(self, on: bool) -> None:
        self.text.setVisible(on)
        self.add.setVisible(on)
        # An empty box would still take the spacing of the column.
        self.setVisible(on or self._rows.count() > 0)

    def show_comments(self, comments: Sequence[Comment]) -> None:
        """List these comments, oldest first. The field takes its room once there is one."""
        clear_layout(self._rows)
        for number, comment in enumerate(comments, 1):
            name = comment.written_by_name or comment.written_by
            head = f"{number} · {name} · {format_recent(comment.created_at)}"
            if comment.file_id is None:
                self._rows.addWidget(label(head, "small", wrap=True))
            else:
                link = Button(head, kind=ButtonKind.LINK, elide=True)
                link.clicked.connect(lambda _checked=False, shown=comment: self.place_wanted.emit(shown))
                self._rows.addWidget(link, 0, Qt.AlignmentFlag.AlignLeft)
            self._rows.addWidget(label(comment.text, wrap=True))
        self._show_field(self._is_editable and (self._is_begun or bool(comments)))

    def show_place(self, on: bool) -> None:
        """Say whether the next comment belongs to a place on the photo."""
        self.place.setText(self.tr("At the marked place of the photo.") if on else "")
        self.place.setVisible(on)

    def _send(self) -> None:
        text = self.text.text().strip()
        if text:
            self.wanted.emit(text)


class CommentsController(QObject):
    """Reads the comments of the record, shows those of the chosen item, and sends new ones."""

    notice = Signal(str)
    marks_changed = Signal(object)
    """The numbers of the shown comments that have a place, each with its `PhotoPlace`."""

    def __init__(self, open_record: OpenRecord, box: CommentsBox, parent: QObject) -> None:
        super().__init__(parent)
        self._open_record, self._box = open_record, box
        self._comments: Sequence[Comment] = ()
        self._record_id = ""
        self._place: PhotoPlace | None = None
        self._reading: Task | None = None
        box.wanted.connect(self._write)
        self._follows = False

    def _connect_once(self) -> None:
        if not self._follows:
            self._follows = True
            self._open_record.current_changed.connect(self._on_current_changed)

    def read(self) -> None:
        """Read the comments of the open record again."""
        if self._open_record.record_id != self._record_id:
            self._comments, self._record_id = (), self._open_record.record_id
            self.show()
        if self._reading is not None:
            self._reading.cancel()
        self._reading = run(
            self._open_record.context.session.records.comments,
            self._record_id,
            owner=self,
            done=self._on_read,
            failed=lambda _: None,
        )

    def begin(self, place: PhotoPlace | None) -> None:
        """Let the user type a comment at a place on the photo; None for a comment on the item."""
        self._connect_once()
        self._place = place
        self._box.show_place(place is not None)
        self._box.set_editable(self._open_record.editable)
        self._box.begin()
        self.show()

    def show(self) -> None:
        """Show the comments of the chosen item, in the list and on the photo."""
        item_id = self._open_record.edits.service_id(self._open_record.current)
        shown = [comment for comment in self._comments if comment.item_id == item_id]
        self._box.set_editable(self._open_record.editable)
        self._box.show_comments(shown)
        marks = [
            (number, (comment.file_id, comment.x, comment.y))
            for number, comment in enumerate(shown, 1)
            if comment.file_id is not None and comment.x is not None and comment.y is not None
        ]
        if self._place is not None:
            marks.append((len(shown) + 1, self._place))
        self.marks_changed.emit(marks)

    def _on_current_changed(self) -> None:
        self._place = None
        self._box.show_place(False)
        self.show()

    def _on_read(self, comments: Sequence[Comment]) -> None:
        self._comments = comments
        if comments:
            self._connect_once()
        self.show()

    def _write(self, text: str) -> None:
        # An item that was created here must have its id of the service first.
        self._open_record.edits.call_when_saved(lambda: self._send(text), self)

    def _send(self, text: str) -> None:
        item_id = self._open_record.edits.service_id(self._open_record.current)
        if not item_id or not self._open_record.may_edit():
            return
        file_id, x, y = self._place or (None, None, None)
        self._box.add.setEnabled(False)
        run(
            self._open_record.context.session.records.comment,
            self._record_id,
            CommentWrite(item_id=item_id, text=text, file_id=file_id, x=x, y=y),
            owner=self,
            done=self._on_written,
            failed=self._on_failed,
        )

    def _on_written(self, comment: Comment) -> None:
        self._connect_once()
        self._box.add.setEnabled(True)
        self._box.text.clear()
        self._place = None
        self._box.show_place(False)
        if comment.comment_id not in {known.comment_id for known in self._comments}:
            self._comments = [*self._comments, comment]
        self.show()

    def _on_failed(self, error: Exception) -> None:
        self._box.add.setEnabled(True)
        self.notice.emit(sentence(error))
