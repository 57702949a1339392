"""Shows the comments on the chosen item, at places on its photo, and lets users write and change theirs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from desktop.background.workers import Task, run
from desktop.localization.dates import format_recent
from desktop.messages.error_messages import sentence
from desktop.record.open_record import OpenRecord
from desktop.record.saved_wait import SavedWait
from desktop.widgets import Button, ButtonKind, IconButton, clear_layout, column_of, confirm, label, row_of
from shared.wire.shift import Comment, CommentWrite

PhotoPlace = tuple[str, float, float]
"""The file id of a photo, and a place on it in fractions (0..1) of the upright photo."""
_MAX_LENGTH = 2000


class _Draft(NamedTuple):
    """A text that was typed and not sent: for a new comment, or to change one."""

    text: str
    changed: Comment | None
    place: PhotoPlace | None


_NO_DRAFT = _Draft("", None, None)


class CommentsBox(QWidget):
    """Lists comments, numbered as their marks on the photo, above a field for the text of one."""

    wanted = Signal(object, str)
    """The `Comment` to change, or None for a new one, and its text."""
    delete_wanted = Signal(object)
    """The `Comment` to delete."""
    scroll_wanted = Signal()
    """The field must be in sight: the user begins to type, or sent a text."""
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
        self._changed: Comment | None = None
        self._rows = QVBoxLayout()
        self._rows.setSpacing(4)
        row = row_of((self.text, 1), self.add, spacing=6)
        column_of(self._rows, row, self.place, parent=self, margins=0, spacing=6)
        self.text.returnPressed.connect(self._send)
        self.add.clicked.connect(lambda _checked=False: self._send())
        self._show_field(False)

    def set_editable(self, on: bool) -> None:
        """Whether comments can be written."""
        self._is_editable = on

    def begin(self, changed: Comment | None = None) -> None:
        """Let the user type a new comment, or change the text of `changed`."""
        self._is_begun = True
        self._change(changed)
        if changed is not None:
            self.text.setText(changed.text)
        self._show_field(self._is_editable)
        self.text.setFocus(Qt.FocusReason.OtherFocusReason)
        self.scroll_wanted.emit()

    def end(self) -> None:
        """Forget the text that was being typed."""
        self.restore("", None)

    @property
    def changed(self) -> Comment | None:
        """The comment whose text is being changed; None while a new one is typed."""
        return self._changed

    def restore(self, text: str, changed: Comment | None) -> None:
        """Show a text that was being typed."""
        self._change(changed)
        self.text.setText(text)

    def _change(self, changed: Comment | None) -> None:
        self._changed = changed
        self.add.setText(self.tr("Add") if changed is None else self.tr("Save"))

    def event(self, event: QEvent) -> bool:
        kinds = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)
        if self._changed is None or not isinstance(event, QKeyEvent) or event.type() not in kinds:
            return super().event(event)
        if event.key() != Qt.Key.Key_Escape:
            return super().event(event)
        # Esc must not run a command of the page.
        event.accept()
        if event.type() is QEvent.Type.KeyPress:
            self.end()
        return True

    def _show_field(self, on: bool) -> None:
        self.text.setVisible(on)
        self.add.setVisible(on)
        # An empty box would still take the spacing of the column.
        self.setVisible(on or self._rows.count() > 0)

    def show_comments(self, comments: Sequence[Comment], user_id: str) -> None:
        """List these comments, oldest first; the user may change their own.

        The field takes its room once there is one.
        """
        clear_layout(self._rows)
        for number, comment in enumerate(comments, 1):
            name = comment.written_by_name or comment.written_by
            head = f"{number} · {name} · {format_recent(comment.created_at)}"
            row = QHBoxLayout()
            row.setSpacing(2)
            if comment.file_id is None:
                row.addWidget(label(head, "small", wrap=True), 1)
            else:
                link = Button(head, kind=ButtonKind.LINK, elide=True)
                link.clicked.connect(lambda _checked=False, shown=comment: self.place_wanted.emit(shown))
                row.addWidget(link, 1, Qt.AlignmentFlag.AlignLeft)
            if self._is_editable and comment.written_by == user_id:
                for icon, text, act in (
                    ("edit", self.tr("Change comment"), self.begin),
                    ("trash", self.tr("Delete comment"), self.delete_wanted.emit),
                ):
                    row.addWidget(_icon_button(icon, text, partial(act, comment)))
            self._rows.addLayout(row)
            self._rows.addWidget(label(comment.text, wrap=True))
        self._show_field(self._is_editable and (self._is_begun or bool(comments)))

    def show_place(self, on: bool) -> None:
        """Say whether the next comment belongs to a place on the photo."""
        self.place.setText(self.tr("At the marked place of the photo.") if on else "")
        self.place.setVisible(on)

    def _send(self) -> None:
        text = self.text.text().strip()
        if text and self.add.isEnabled():
            self.wanted.emit(self._changed, text)


def _icon_button(icon: str, text: str, act: Callable[[], object]) -> IconButton:
    button = IconButton(icon, text, side=20)
    button.clicked.connect(lambda _checked=False: act())
    return button


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
        self._item_id = ""
        self._drafts: dict[str, _Draft] = {}
        """What was typed and not sent, by item."""
        self._reading: Task | None = None
        box.wanted.connect(self._write)
        box.delete_wanted.connect(self._ask_to_delete)
        self._follows = False

    def _connect_once(self) -> None:
        if not self._follows:
            self._follows = True
            self._item_id = self._open_record.current
            self._open_record.current_changed.connect(self._on_current_changed)

    def read(self) -> None:
        """Read the comments of the open record again."""
        if self._open_record.record_id != self._record_id:
            self._comments, self._record_id = (), self._open_record.record_id
            self._drafts.clear()
            self._box.add.setEnabled(True)
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
        self._box.show_comments(shown, self._open_record.finding_context.me[0])
        marks = [
            (number, (comment.file_id, comment.x, comment.y))
            for number, comment in enumerate(shown, 1)
            if comment.file_id is not None and comment.x is not None and comment.y is not None
        ]
        if self._place is not None:
            marks.append((len(shown) + 1, self._place))
        self.marks_changed.emit(marks)

    def _on_current_changed(self) -> None:
        item_id = self._open_record.current
        if item_id != self._item_id:
            self._keep_draft()
            self._item_id = item_id
            text, changed, self._place = self._drafts.get(item_id, _NO_DRAFT)
            self._box.restore(text, changed)
            self._box.show_place(self._place is not None)
        self.show()

    def _keep_draft(self) -> None:
        text = self._box.text.text()
        self._drafts.pop(self._item_id, None)
        if text.strip():
            self._drafts[self._item_id] = _Draft(text, self._box.changed, self._place)

    def _end(self, item_id: str) -> None:
        """Forget what was typed for an item, which another may have replaced in the field meanwhile."""
        self._drafts.pop(item_id, None)
        if item_id == self._open_record.current:
            self._box.end()
            self._place = None
            self._box.show_place(False)

    def _on_read(self, comments: Sequence[Comment]) -> None:
        self._comments = comments
        if comments:
            self._connect_once()
        self.show()

    def _write(self, changed: Comment | None, text: str) -> None:
        if changed is None:
            # An item that was created here must have its id of the service first.
            item_id, place = self._open_record.current, self._place
            send = partial(self._send, item_id, place, text)
            self._box.add.setEnabled(False)
            SavedWait(self._open_record, send, self._on_unsaved, self)
        elif self._open_record.may_edit():
            self._box.add.setEnabled(False)
            change = self._open_record.context.session.records.change_comment
            run(
                partial(change, self._record_id, changed.comment_id, text),
                owner=self,
                done=partial(self._on_written, self._open_record.current),
                failed=self._on_failed,
            )

    def _ask_to_delete(self, comment: Comment) -> None:
        if not self._open_record.may_edit() or not confirm(
            self._box, self.tr("Delete comment?"), comment.text, self.tr("Delete comment")
        ):
            return
        run(
            self._open_record.context.session.records.delete_comment,
            self._record_id,
            comment.comment_id,
            owner=self,
            done=lambda _: self._on_deleted(comment),
            failed=self._on_failed,
        )

    def _on_deleted(self, comment: Comment) -> None:
        self._comments = [known for known in self._comments if known.comment_id != comment.comment_id]
        if self._box.changed is not None and self._box.changed.comment_id == comment.comment_id:
            self._end(self._open_record.current)
        self.show()

    def _send(self, item_id: str, place: PhotoPlace | None, text: str) -> None:
        service_id = self._open_record.edits.service_id(item_id)
        if not service_id or not self._open_record.may_edit():
            self._box.add.setEnabled(True)
            return
        file_id, x, y = place or (None, None, None)
        run(
            self._open_record.context.session.records.comment,
            self._record_id,
            CommentWrite(item_id=service_id, text=text, file_id=file_id, x=x, y=y),
            owner=self,
            done=partial(self._on_written, item_id),
            failed=self._on_failed,
        )

    def _on_written(self, item_id: str, comment: Comment) -> None:
        self._connect_once()
        self._box.add.setEnabled(True)
        self._end(item_id)
        shown = {known.comment_id: known for known in self._comments} | {comment.comment_id: comment}
        self._comments = list(shown.values())
        self.show()
        self._box.scroll_wanted.emit()

    def _on_unsaved(self, why: str) -> None:
        self._box.add.setEnabled(True)
        self.notice.emit(why)

    def _on_failed(self, error: Exception) -> None:
        self._box.add.setEnabled(True)
        self.notice.emit(sentence(error))
