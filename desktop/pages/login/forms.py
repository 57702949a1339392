"""Defines the forms of the login card: password login and first administrator.

Defines small widgets of the login card.
"""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QScrollArea, QVBoxLayout, QWidget

from desktop.background.workers import run
from desktop.client import Session
from desktop.client.http.errors import Conflict, Invalid, Refused, TooMany
from desktop.connection.local_service import ServiceState
from desktop.messages.error_messages import field_sentence, seconds_sentence, sentence
from desktop.pages.common.forms.passwords import follows_rules, rules_label
from desktop.theme import CARD_RADIUS, theme_manager
from desktop.widgets import (
    Button,
    ButtonKind,
    ErrorLine,
    Field,
    IconLabel,
    Logo,
    PasswordField,
    column_of,
    label,
    move_toggles_after,
    row_of,
)
from shared.wire.account import Payload


class Countdown(QObject):
    """Counts down the seconds that the user has to wait."""

    counted = Signal(int)
    """The remaining seconds, 0 at the end."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.remaining = 0
        """The remaining seconds; 0 when no countdown is running."""
        self.timer = QTimer(self, interval=1000)
        self.timer.timeout.connect(lambda: self._count(self.remaining - 1))

    def start(self, seconds: int) -> None:
        """Start the countdown, which replaces a running one."""
        self.timer.start()
        self._count(seconds)

    def stop(self) -> None:
        """Stop the countdown silently."""
        self.remaining = 0
        self.timer.stop()

    def _count(self, seconds: int) -> None:
        self.remaining = max(0, seconds)
        if not self.remaining:
            self.timer.stop()
        self.counted.emit(self.remaining)


class FormArea(QScrollArea):
    """Wants the height of `form`, and scrolls it on a screen that has less."""

    def __init__(self, form: QWidget) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidgetResizable(True)
        self.setWidget(form)
        self._content = form

    def sizeHint(self) -> QSize:
        return self._content.sizeHint()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)


class ServiceDot(QWidget):
    """Shows the state of the service as a coloured dot."""

    _TONES: ClassVar[dict[ServiceState, str]] = {
        ServiceState.READY: "passed",
        ServiceState.STARTING: "undecided",
        ServiceState.RESTARTING: "undecided",
        ServiceState.FAILED: "failed",
        ServiceState.STOPPED: "failed",
    }

    def __init__(self) -> None:
        super().__init__()
        self._state = ServiceState.STARTING
        self.setFixedSize(8, 8)

    def show_state(self, state: ServiceState) -> None:
        """Show another state."""
        self._state = state
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(getattr(theme_manager().theme, self._TONES[self._state])))
        painter.drawEllipse(self.rect())
        painter.end()


class Welcome(QWidget):
    """Shown at the left while no face is enrolled."""

    def __init__(self) -> None:
        super().__init__()
        column = column_of(1, Logo(56), parent=self, margins=(48, 32, 48, 32), spacing=12)
        column.addSpacing(12)
        column.addWidget(label(self.tr("Welcome to Walkaround"), "title"))
        column.addSpacing(4)
        for icon, text in (
            ("compare", self.tr("Compare today's photos with a reference image")),
            ("check", self.tr("Record every verdict with name and reason")),
            ("lock", self.tr("Seal the finished record; any later change is detected")),
            ("cloud-off", self.tr("Works without a network")),
        ):
            row = QHBoxLayout()
            row.setSpacing(12)
            row.addWidget(IconLabel(icon, "dim"), 0, Qt.AlignmentFlag.AlignTop)
            row.addWidget(label(text, wrap=True), 1)
            column.addLayout(row)
        column.addStretch(2)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, area, radius = theme_manager().theme, QRectF(self.rect()), CARD_RADIUS - 1
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.raised))
        # Only the left corners are rounded. The right ones are outside the widget.
        painter.drawRoundedRect(area.adjusted(0, 0, 2 * radius, 0), radius, radius)
        painter.fillRect(QRectF(area.right() - 1, 0, 1, area.height()), QColor(theme.line))
        painter.end()


def _large(field: Field) -> Field:
    field.editor.setProperty("large", True)
    return field


class PasswordForm(QWidget):
    """The fields for username and password. They keep their texts until the login succeeds."""

    logged_in = Signal(object)
    """The `Payload` of the logged-in user."""

    def __init__(self, session: Session, user_name: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._countdown = Countdown(self)
        self._countdown.counted.connect(self._on_counted)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.user_name = _large(Field(self.tr("Username")))
        self.user_name.set_text(user_name)
        self.password = PasswordField(self.tr("Password"))
        _large(self.password)
        self.button = Button(self.tr("Log in"), kind=ButtonKind.MAIN, large=True)
        self.button.clicked.connect(lambda _checked=False: self.submit())
        column.addWidget(self.user_name)
        column.addSpacing(12)
        column.addWidget(self.password)
        column.addSpacing(16)
        column.addWidget(self.button)
        move_toggles_after(self.button, self.password)
        for field, action in ((self.user_name, self.password.setFocus), (self.password, self.submit)):
            assert isinstance(field.editor, QLineEdit)
            field.editor.returnPressed.connect(action)

    def begin(self) -> None:
        """Set the focus to the first empty field."""
        (self.password if self.user_name.text() else self.user_name).setFocus()

    def submit(self) -> None:
        """Log in with the entered username and password."""
        if not self.button.isEnabled():
            return
        for field, text in (
            (self.user_name, self.tr("Enter your username.")),
            (self.password, self.tr("Enter your password.")),
        ):
            if not field.text():
                field.set_error(text)
                field.setFocus()
                return
        self.password.set_error("")
        self._set_busy(True)
        login = self._session.account.login
        run(
            login,
            self.user_name.text(),
            self.password.text(),
            owner=self,
            done=self._on_logged_in,
            failed=self._on_failed,
        )

    def _set_busy(self, busy: bool) -> None:
        self.button.setEnabled(not busy)
        self.button.setText(self.tr("Logging in…") if busy else self.tr("Log in"))

    def _on_logged_in(self, payload: Payload) -> None:
        self._set_busy(False)
        self.password.clear()
        self.logged_in.emit(payload)

    def _on_failed(self, error: Exception) -> None:
        self._set_busy(False)
        if isinstance(error, TooMany):
            self._countdown.start(round(error.retry_after))
        else:
            self.password.set_error(sentence(error))
        if isinstance(error, Refused) and isinstance(self.password.editor, QLineEdit):
            self.password.setFocus()
            self.password.editor.selectAll()

    def _on_counted(self, seconds: int) -> None:
        self.button.setEnabled(not seconds)
        self.password.set_error(seconds_sentence(seconds) if seconds else "")


class FirstRunForm(QWidget):
    """Creates the first administrator of a service without users."""

    logged_in = Signal(object)
    """The `Payload` of the new administrator."""
    user_exists = Signal()
    """The first user was created elsewhere in the meantime, so that a login is needed."""
    back = Signal()
    """The user wants to choose the service again."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.user_name = Field(self.tr("Username"))
        self.name = Field(self.tr("Full name (optional)"))
        self.password = PasswordField(self.tr("Password"))
        self.confirmation = PasswordField(self.tr("Confirm password"))
        self.error = ErrorLine()
        self.button = Button(self.tr("Create account and log in"), kind=ButtonKind.MAIN, large=True)
        self.button.clicked.connect(lambda _checked=False: self.submit())
        self.back_button = Button(self.tr("Back"), large=True)
        self.back_button.clicked.connect(lambda _checked=False: self.back.emit())
        buttons = QWidget()
        row_of(self.back_button, (self.button, 1), parent=buttons, margins=0, spacing=8)
        for widget, gap in (
            (self.user_name, 10),
            (self.name, 10),
            (self.password, 6),
            (rules_label(), 10),
            (self.confirmation, 14),
            (buttons, 8),
            (self.error, 0),
        ):
            column.addWidget(widget)
            column.addSpacing(gap)
        move_toggles_after(self.button, self.password, self.confirmation)
        fields = (self.user_name, self.name, self.password, self.confirmation)
        for index, field in enumerate(fields):
            assert isinstance(field.editor, QLineEdit)
            last = index == len(fields) - 1
            field.editor.returnPressed.connect(self.submit if last else fields[index + 1].setFocus)

    def begin(self) -> None:
        """Set the focus to the first field."""
        self.user_name.setFocus()

    def submit(self) -> None:
        """Create the administrator with the entered data."""
        if not self.button.isEnabled() or not self._check_fields():
            return
        self.error.setText("")
        self.button.setEnabled(False)
        run(
            self._session.account.first_run,
            self.user_name.text(),
            self.password.text(),
            self.name.text().strip() or None,
            owner=self,
            done=self._on_admin_created,
            failed=self._on_failed,
        )

    def _check_fields(self) -> bool:
        rules = self.tr("Enter a password that meets the rules below.")
        for field, is_wrong, text in (
            (self.user_name, not self.user_name.text().strip(), self.tr("Enter a username.")),
            (self.password, not follows_rules(self.password.text(), self.user_name.text()), rules),
            (
                self.confirmation,
                self.confirmation.text() != self.password.text(),
                self.tr("The passwords do not match. Enter them again."),
            ),
        ):
            field.set_error(text if is_wrong else "")
            if is_wrong:
                field.setFocus()
                return False
        return True

    def _on_admin_created(self, payload: Payload) -> None:
        self.button.setEnabled(True)
        for field in (self.password, self.confirmation):
            field.clear()
        self.logged_in.emit(payload)

    def _on_failed(self, error: Exception) -> None:
        self.button.setEnabled(True)
        fields = {"username": self.user_name, "password": self.password, "name": self.name}
        if isinstance(error, Invalid):
            faults = {name: field_sentence(error, name) for name in fields}
            for name, text in faults.items():
                fields[name].set_error(text)
            if any(faults.values()):
                return
        self.error.setText(sentence(error))
        if isinstance(error, Conflict):
            self.user_exists.emit()
