"""Opens the guide and the system check from the main window and from dialogs over it.

Shows version, service, file locations and licences of the program.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QUrl, qVersion
from PySide6.QtGui import QDesktopServices, QGuiApplication, QIcon
from PySide6.QtWidgets import QDialog, QFormLayout, QHBoxLayout, QLabel, QMainWindow, QVBoxLayout, QWidget
from shiboken6 import isValid

from desktop.client.updates import update_address
from desktop.context import Context
from desktop.help import HelpWindow, find_topic
from desktop.localization.fonts import shows_chinese
from desktop.localization.language import LANGUAGES
from desktop.logs import log_dir
from desktop.theme import theme_manager
from desktop.widgets import Page, column_of
from desktop.widgets.basic.buttons import Button
from desktop.widgets.basic.labels import label
from desktop.widgets.dialogs import Dialog, HelpRequests
from shared import __version__
from shared.system.paths import program_folder, resource_path


class Assistance(HelpRequests):
    """The commands `help` and `doctor` of one main window.

    A modal dialog opens its own window of the guide, because it would block the main window's.
    """

    def __init__(self, window: QMainWindow, context: Context, page: Callable[[], Page | None]) -> None:
        super().__init__(window)
        self._window = window
        self._context = context
        self._page = page
        self.help: HelpWindow | None = None
        context.commands.bind("help", self.open_help, window)
        context.commands.bind("doctor", self.open_doctor, window)
        self.requested.connect(self.open_help)

    def open_help(self, dialog: QDialog | None = None) -> HelpWindow:
        """Open the guide at the topic of the current page or dialog. Returns its window."""
        parent: QWidget = self._window if dialog is None else dialog
        window = self.help
        if window is None or not isValid(window) or window.parentWidget() is not parent:
            if window is not None and isValid(window):
                window.close()
            window = self.help = HelpWindow(parent, self._context.commands, _language(self._window))
            window.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            theme_manager().apply_to(window)
        # Shown first, because pictures are scaled to the size of the window.
        window.show()
        window.open_topic(find_topic(self._page(), dialog))
        window.raise_()
        window.activateWindow()
        return window

    def open_doctor(self) -> None:
        """Open the system check."""
        # Imported here so that it does not delay the start.
        from desktop.doctor.dialog import DoctorDialog

        dialog = DoctorDialog(self._window, self._context)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        theme_manager().apply_to(dialog)
        dialog.open()


def _language(window: QWidget) -> str:
    code = window.locale().name()
    return code if code in LANGUAGES else ("zh_CN" if code.startswith("zh") else "en")


_ICON = QSize(56, 56)


def licences_folder() -> Path | None:
    """The folder with the licence texts of a frozen program; None for a program that is not frozen."""
    folder = program_folder() / "licences"
    return folder if folder.is_dir() else None


class About(Dialog):
    """Shows information for support, which can be copied. It contains no names of users."""

    def __init__(self, parent: QWidget | None, context: Context) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("About Walkaround"))
        self.setMinimumWidth(520)
        service = self.tr("This computer") if context.embedded else context.session.base_url
        self.facts = [
            (self.tr("Version"), __version__),
            (self.tr("Service"), service),
            (self.tr("Data"), str(context.data_folder) if context.data_folder else self.tr("On the server")),
            (self.tr("Log files"), str(log_dir())),
            (self.tr("System"), platform.platform(terse=True)),
            ("Python, Qt", f"{sys.version.split()[0]}, {qVersion()}"),
        ]
        column = column_of(self._header_row(), parent=self, margins=(24, 20, 24, 20), spacing=16)
        lines = QFormLayout()
        lines.setHorizontalSpacing(16)
        lines.setVerticalSpacing(6)
        for name, fact in self.facts:
            fact_label = label(fact, wrap=True)
            fact_label.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
            fact_label.setAccessibleName(name)
            lines.addRow(label(name, "dim"), fact_label)
        column.addLayout(lines)
        column.addWidget(label(self._privacy_text(), "dim", wrap=True))
        column.addLayout(self._button_row())

    def _privacy_text(self) -> str:
        address = update_address()
        if not address:
            return self.tr("No data leaves your systems: no telemetry, no update checks.")
        return self.tr(
            "No data leaves your systems: no telemetry. Newer versions are checked for at {address} only."
        ).format(address=address)

    def _header_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(16)
        icon = QLabel()
        icon.setPixmap(
            QIcon(str(resource_path("icons", "walkaround.svg"))).pixmap(_ICON, self.devicePixelRatio())
        )
        row.addWidget(icon)
        names = QVBoxLayout()
        names.setSpacing(4)
        names.addWidget(label("Walkaround 绕机检查工作站" if shows_chinese() else "Walkaround", "item"))
        names.addWidget(label(self.tr("Surface inspection workstation"), "dim"))
        names.addStretch(1)
        row.addLayout(names, 1)
        return row

    def _button_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        self.copy = Button(self.tr("Copy"))
        self.copy.clicked.connect(self._copy)
        row.addWidget(self.copy)
        folder = licences_folder()
        if folder is not None:
            licences = Button(self.tr("Third-party licences"))
            licences.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))))
            row.addWidget(licences)
        row.addStretch(1)
        close = Button(self.tr("Close"))
        close.clicked.connect(self.accept)
        close.setDefault(True)
        close.setFocus()
        row.addWidget(close)
        return row

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText("\n".join(f"{name}: {fact}" for name, fact in self.facts))
        self.copy.setText(self.tr("Copied"))
