"""Shows the code that connects a phone: QR code, address, remaining time, the phone and its photos."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import timedelta

import segno
from PySide6.QtCore import QCoreApplication, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import QLineEdit, QSizePolicy, QWidget

from desktop.client.http.address import is_local
from desktop.localization.dates import format_minute
from desktop.widgets import Button, ButtonKind, Combo, Dialog, column_of, label, row_of
from shared.wire.phone import CodeEnd, NewPhoneCode, PhoneCode

SIDE = 264
_BORDER = 4
"""Modules of white around the code (ISO/IEC 18004, 9.1)."""


class QrCode(QWidget):
    """Shows the QR code of a text, or a white area."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedSize(SIDE, SIDE)
        self.setAccessibleName(self.tr("QR code"))
        self.modules: list[list[bool]] = []

    def show_text(self, text: str) -> None:
        """Show the code of `text`; an empty text shows no code."""
        matrix = segno.make(text, error="m", micro=False).matrix if text else ()
        self.modules = [[bool(module) for module in row] for row in matrix]
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor("#ffffff"))
        if self.modules:
            # Whole device pixels for each module: edges that are smoothed are read badly from a screen.
            ratio = self.devicePixelRatioF()
            count = len(self.modules)
            side = max(1, int(SIDE * ratio) // (count + 2 * _BORDER))
            start = (int(SIDE * ratio) - side * count) // 2
            painter.scale(1 / ratio, 1 / ratio)
            for row, modules in enumerate(self.modules):
                for column, dark in enumerate(modules):
                    if dark:
                        place = QRect(start + column * side, start + row * side, side, side)
                        painter.fillRect(place, QColor("#000000"))
        painter.end()


def addresses_for_phones(base_url: str, code: NewPhoneCode) -> Sequence[str]:
    """The addresses for a phone: the address in use, unless it is local, then the others."""
    used = base_url.rstrip("/")
    current = [] if is_local(used) else [used]
    return [*dict.fromkeys([*current, *code.addresses])]


def opened_by_phone(address: str, code: NewPhoneCode) -> str:
    """The address for a phone. The token is in the fragment, which is not sent to a server."""
    return f"{address}/phone#{code.token}"


_TICK_MS = 1_000
_CONNECTED_SECONDS = 30
"""Seconds after its last report for which a phone counts as connected. Its page reports every 10 s."""


def ended_sentence(end: CodeEnd) -> str:
    """Why a code has ended, and what to do, as a sentence."""
    translate = QCoreApplication.translate
    return {
        CodeEnd.ENDED: translate("PhoneDialog", "The code was ended. Create a new one to continue."),
        CodeEnd.EXPIRED: translate("PhoneDialog", "The code has expired. Create a new one to continue."),
        CodeEnd.SEALED: translate("PhoneDialog", "The record is finished. No more photos can be added."),
        CodeEnd.DELETED: translate("PhoneDialog", "The record or item was deleted."),
        CodeEnd.LOGGED_OUT: translate("PhoneDialog", "The session that created the code has ended."),
        CodeEnd.NO_RIGHT: translate("PhoneDialog", "You can no longer add photos. Ask an administrator."),
    }[end]


class PhoneDialog(Dialog):
    """A dialog beside the workbench, which stays usable, so that the user sees arriving photos."""

    new_wanted = Signal(bool)
    """Emitted to request another code. True also opens this computer to phones in its network."""
    end_wanted = Signal()
    """Emitted to end the code, so that no phone may add photos by it."""

    def __init__(self, subject: str, base_url: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._base_url = base_url
        self.code: NewPhoneCode | None = None
        self._status: PhoneCode | None = None
        self._until = 0.0
        self.setWindowTitle(self.tr("Take photos with a phone"))
        self.setModal(False)
        self.setMinimumWidth(640)
        self.qr = QrCode()
        self.heading = label(subject, "item", wrap=True)
        self.how = label("", "dim", wrap=True)
        self.address = QLineEdit()
        self.address.setReadOnly(True)
        self.address.setAccessibleName(self.tr("Address"))
        self.copy = Button(self.tr("Copy"), icon="copy")
        self.choice = Combo(self.tr("Network"))
        self.left = label("", "strong")
        self.phone = label("", wrap=True)
        self.arrived = label("", wrap=True)
        self.warning = label("", "dim", wrap=True)
        self.warning.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.error = label("", "error", wrap=True)
        self.allow = Button(self.tr("Allow phones in this network"), kind=ButtonKind.MAIN)
        self.new = Button(self.tr("New code"), icon="refresh")
        self.end = Button(self.tr("End code"))
        self.close_button = Button(self.tr("Close"))
        self._build()
        self._tick = QTimer(self, interval=_TICK_MS)
        self._tick.timeout.connect(self._show_time)
        self.copy.clicked.connect(lambda _checked=False: self._copy())
        self.choice.picked.connect(lambda _: self._show_address())
        self.allow.clicked.connect(lambda _checked=False: self.new_wanted.emit(True))
        self.new.clicked.connect(lambda _checked=False: self.new_wanted.emit(False))
        self.end.clicked.connect(lambda _checked=False: self.end_wanted.emit())
        self.close_button.clicked.connect(self.close)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.show_waiting()

    def _build(self) -> None:
        # In a widget: a layout of wrapping sentences is then no wider than necessary.
        side = QWidget()
        side.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        texts = column_of(self.heading, self.how, parent=side, margins=0, spacing=10)
        line = row_of((self.address, 1), self.copy)
        texts.addWidget(self.choice)
        texts.addWidget(self.left)
        texts.addWidget(self.phone)
        texts.addWidget(self.arrived)
        texts.addWidget(self.warning)
        texts.addWidget(self.allow, 0, Qt.AlignmentFlag.AlignLeft)
        texts.addStretch(1)
        both = row_of((self.qr, 0, Qt.AlignmentFlag.AlignTop), (side, 1), spacing=20)
        row = row_of(self.new, self.end, 1, self.close_button, spacing=8)
        column_of(self.error, both, line, row, parent=self, margins=(20, 20, 20, 16), spacing=16)

    @property
    def addresses(self) -> Sequence[str]:
        """The addresses at which a phone reaches the service; empty if only this computer does."""
        return [] if self.code is None else addresses_for_phones(self._base_url, self.code)

    @property
    def end_reason(self) -> CodeEnd | None:
        """Why the shown code has ended; None while it is valid or if there is none."""
        if self._status is not None and self._status.ended is not None:
            return self._status.ended
        return CodeEnd.EXPIRED if self.code is not None and time.monotonic() >= self._until else None

    # -- what is shown

    def show_waiting(self) -> None:
        """Show that a code is being created."""
        self.code = self._status = None
        self._show_error_text("")
        self.how.setText(self.tr("Creating code…"))
        self._show()

    def show_code(self, code: NewPhoneCode) -> None:
        """Show a new code."""
        self.code, self._status = code, code
        self._until = time.monotonic() + code.seconds_left
        self.choice.set_choices([(address, address) for address in self.addresses])
        self._show_error_text("")
        self._show()
        self._tick.start()

    def show_status(self, status: PhoneCode) -> None:
        """Show the state of the code at the service."""
        if self.code is None or status.code_id != self.code.code_id:
            return
        self._status = status
        self._until = time.monotonic() + status.seconds_left
        self._show_error_text("")
        self._show()

    def show_error(self, text: str) -> None:
        """Show an error without changing the rest."""
        self._show_error_text(text)
        if self.code is None:
            self.how.setText("")
            self.new.setEnabled(True)

    def _show_error_text(self, text: str) -> None:
        self.error.setText(text)
        self.error.setVisible(bool(text))

    def _show(self) -> None:
        code, ended = self.code, self.end_reason
        reached = bool(self.addresses) and ended is None
        self.choice.setVisible(reached and len(self.addresses) > 1)
        for widget in (self.address, self.copy, self.left, self.phone):
            widget.setVisible(reached)
        may_open = code is not None and ended is None and not reached and code.can_open_network
        self.allow.setVisible(may_open)
        self.new.setEnabled(code is not None)
        self.end.setEnabled(reached)
        self._show_address()
        self._show_warning(reached)
        self.arrived.hide()
        if code is not None:
            self._show_texts(ended, reached, may_open)
        self._show_time()

    def _show_texts(self, ended: CodeEnd | None, reached: bool, may_open: bool) -> None:
        status = self._status
        assert status is not None
        if ended is not None:
            self.how.setText(ended_sentence(ended))
        elif reached:
            self.how.setText(
                self.tr(
                    "Scan the code with the phone's camera. The phone must be on the same network. Photos "
                    "are added in your name."
                )
            )
        elif may_open:
            self.how.setText(
                self.tr(
                    "The service runs on this computer alone: phones cannot reach it. While a code is valid, "
                    "this computer can answer phones in its network, encrypted and only to take photos. Your "
                    "firewall may ask you to allow it."
                )
            )
        else:
            self.how.setText(
                self.tr(
                    "Phones cannot connect: this service accepts connections from this computer only. Ask "
                    "an administrator to start it for the network."
                )
            )
        self.phone.setText(self._phone_text(status))
        self.arrived.setText(self._arrival_text(status))
        self.arrived.setVisible(bool(self.arrived.text()))

    def _phone_text(self, status: PhoneCode) -> str:
        if status.claimed_at is None or status.seen_at is None:
            return self.tr("Waiting for a phone…")
        name = status.phone or self.tr("Phone")
        # By the clock of the service, which may differ from the one of this computer.
        answered_at = status.expires_at - timedelta(seconds=status.seconds_left)
        if abs((answered_at - status.seen_at).total_seconds()) <= _CONNECTED_SECONDS:
            return self.tr("{phone} connected").format(phone=name)
        return self.tr("{phone}, last seen {time}").format(phone=name, time=format_minute(status.seen_at))

    def _arrival_text(self, status: PhoneCode) -> str:
        parts = []
        if status.arrived or status.claimed_at is not None:
            parts.append(self.tr("%n photo(s) arrived", "", status.arrived))
        if status.sending:
            parts.append(self.tr("%n on the way", "", status.sending))
        if status.refused:
            parts.append(self.tr("%n refused", "", status.refused))
        return " · ".join(parts)

    def _show_address(self) -> None:
        addresses, text = self.addresses, ""
        if self.code is not None and addresses and self.end_reason is None:
            chosen = next((address for address in addresses if address == self.choice.value()), addresses[0])
            text = opened_by_phone(chosen, self.code)
        if text != self.address.text() or not text:
            self.qr.show_text(text)
            self.qr.setVisible(bool(text))
            self.address.setText(text)
            self.address.setCursorPosition(0)
            self.copy.setText(self.tr("Copy"))

    def _show_warning(self, reached: bool) -> None:
        fingerprint = None if self.code is None or not reached else self.code.fingerprint
        self.warning.setVisible(fingerprint is not None)
        if fingerprint is not None:
            self.warning.setText(
                self.tr(
                    "The service made its certificate itself, so the phone warns once. Continue there if "
                    "this is its fingerprint (SHA-256 of the key): {fingerprint}"
                ).format(fingerprint=fingerprint.replace(":", " "))
            )

    def _show_time(self) -> None:
        if self.code is None:
            return
        left = max(0, int(self._until - time.monotonic()))
        self.left.setText(self.tr("Valid for {time}").format(time=f"{left // 60}:{left % 60:02}"))
        if self.end_reason is not None and self.end.isEnabled():
            self._show()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.address.text())
        self.copy.setText(self.tr("Copied"))
