"""Opens the guide and the system check from the main window and from dialogs over it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QMainWindow, QWidget
from shiboken6 import isValid

from desktop.context import Context
from desktop.help import HelpWindow, find_topic
from desktop.localization.language import LANGUAGES
from desktop.theme import theme_manager
from desktop.widgets import Page
from desktop.widgets.dialogs import HelpRequests


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
