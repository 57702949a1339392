"""Lists and ends a user's sessions, on the account page and in the form of a user."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.background.workers import run
from desktop.context import Context
from desktop.localization.dates import format_recent
from desktop.localization.language import join_words
from desktop.messages.error_messages import sentence
from desktop.pages.common.forms.passwords import run_guarded
from desktop.widgets import Button, Chip, ErrorLine, clear_layout, confirm, label, row_of, separator
from shared.wire.account import LoginSession
from shared.wire.common import Page


def method_word(method: str) -> str:
    """The word for a login method; the service's code if it is unknown."""
    translate = QCoreApplication.translate
    return {
        "pwd": translate("AuditField", "Password"),
        "face": translate("AuditField", "Face"),
    }.get(method, method)


class SessionList(QWidget):
    """The sessions of one user, or of the current user without `user_id`; the current session comes first.

    The session of this window is marked. It has no button, because logging out ends it.
    """

    ended = Signal(str)
    """A sentence that says which sessions were ended."""

    def __init__(self, context: Context, user_id: str | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._user_id = user_id
        self.buttons: dict[str, Button] = {}
        """The button that ends a session, by its ID."""
        for_self = self.tr("Where you are logged in. End a session that you do not recognize.")
        for_user = self.tr("Where the user is logged in. Ending a session logs it out immediately.")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        self.end_all = Button(
            self.tr("End all other sessions") if user_id is None else self.tr("End all sessions")
        )
        self.end_all.clicked.connect(lambda _checked=False: self._end_all())
        self.end_all.hide()
        head = row_of(label(self.tr("Sessions"), "item"), 1, self.end_all)
        column.addLayout(head)
        column.addWidget(label(for_self if user_id is None else for_user, "dim", wrap=True))
        self._rows = QVBoxLayout()
        self._rows.setSpacing(10)
        column.addLayout(self._rows)
        self._loading_label = label(self.tr("Loading…"), "dim")
        self._loading_label.hide()
        column.addWidget(self._loading_label)
        self.error = ErrorLine()
        column.addWidget(self.error)
        self._more_label = label("", "small")
        self._more_label.hide()
        column.addWidget(self._more_label)

    def load(self) -> None:
        """Read the sessions from the service."""
        self._loading_label.setVisible(self._rows.isEmpty())
        self._read_sessions("")

    def _read_sessions(self, error: str) -> None:
        """Read the sessions, then show `error` below them."""

        def show_page(page: Page[LoginSession]) -> None:
            self.show_sessions(page)
            self.error.setText(error)

        run(self._fetch, owner=self, done=show_page, failed=self._on_failed)

    def _fetch(self) -> Page[LoginSession]:
        session = self._context.session
        if self._user_id is None:
            return session.account.sessions()
        return session.users.sessions(self._user_id)

    def show_sessions(self, page: Page[LoginSession]) -> None:
        """Show these sessions."""
        self._loading_label.hide()
        clear_layout(self._rows)
        self.buttons.clear()
        for number, entry in enumerate(sorted(page.data, key=lambda entry: not entry.current)):
            if number:
                self._rows.addWidget(separator())
            self._rows.addWidget(self._row(entry))
        if not page.data:
            self._rows.addWidget(label(self.tr("Not logged in anywhere."), "dim"))
        remaining = page.pagination.total - len(page.data)
        self._more_label.setText(self.tr("and {count} more").format(count=remaining))
        self._more_label.setVisible(remaining > 0)
        self.end_all.setVisible(any(not entry.current for entry in page.data))

    def _row(self, entry: LoginSession) -> QWidget:
        widget = QWidget()
        widget.setProperty("clear", True)
        row = QHBoxLayout(widget)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(12)
        texts = QVBoxLayout()
        texts.setSpacing(2)
        head = row_of(label(self._program(entry), "strong"), spacing=8)
        if entry.current:
            chip = Chip()
            chip.show_text(self.tr("This session"), "accent")
            head.addWidget(chip, 0, Qt.AlignmentFlag.AlignVCenter)
        head.addStretch(1)
        texts.addLayout(head)
        methods = join_words(map(method_word, entry.methods))
        texts.addWidget(label(f"{methods} · {entry.address}", "small", wrap=True))
        times = self.tr("Logged in {begun}, last used {used}").format(
            begun=format_recent(entry.created_at), used=format_recent(entry.used_at)
        )
        texts.addWidget(label(times, "small", wrap=True))
        row.addLayout(texts, 1)
        if not entry.current:
            button = Button(self.tr("End session"))
            button.setAccessibleName(self.tr("End session: {program}").format(program=self._program(entry)))
            button.clicked.connect(lambda _checked=False, session_entry=entry: self._end(session_entry))
            self.buttons[entry.session_id] = button
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)
        return widget

    def _program(self, entry: LoginSession) -> str:
        return entry.program or self.tr("Unknown program")

    def _end(self, entry: LoginSession) -> None:
        text = self.tr("{program} at {address} is logged out immediately.").format(
            program=self._program(entry), address=entry.address
        )
        if not confirm(self, self.tr("End session?"), text, self.tr("End session")):
            return
        session, user_id = self._context.session, self._user_id
        if user_id is None:
            end = partial(session.account.end_session, entry.session_id)
        else:
            end = partial(session.users.end_session, user_id, entry.session_id)
        self.error.setText("")
        run_guarded(
            self._context,
            end,
            owner=self,
            done=lambda _: self._report_end(self.tr("Session ended.")),
            failed=self._on_end_failed,
        )

    def _end_all(self) -> None:
        for_self = self.tr("All sessions except this one are logged out immediately.")
        for_user = self.tr("The user is logged out everywhere immediately and can log in again.")
        verb = self.tr("End sessions")
        title = self.tr("End all other sessions?") if self._user_id is None else self.tr("End all sessions?")
        if not confirm(self, title, for_self if self._user_id is None else for_user, verb):
            return
        session, user_id = self._context.session, self._user_id
        end = (
            session.account.end_other_sessions
            if user_id is None
            else partial(session.users.end_sessions, user_id)
        )
        self.error.setText("")
        run_guarded(
            self._context,
            end,
            owner=self,
            done=lambda count: self._report_end(self.tr("%n session(s) ended.", "", count)),
            failed=self._on_end_failed,
        )

    def _report_end(self, text: str) -> None:
        self.ended.emit(text)
        self.load()

    def _on_end_failed(self, error: Exception) -> None:
        self._read_sessions(sentence(error))

    def _on_failed(self, error: Exception) -> None:
        self._loading_label.hide()
        self.error.setText(sentence(error))
