"""Asks before photos are lost that are not uploaded yet."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from desktop.theme import theme_manager
from desktop.widgets import Confirm, ask

_UPDATE_MS = 200


class UnsentQuestion(Confirm):
    """Follows the upload, which goes on: once no photo is left to lose, it goes on as if confirmed."""

    def __init__(
        self, parent: QWidget, title: str, describe: Callable[[int], str], verb: str, count: Callable[[], int]
    ) -> None:
        super().__init__(parent, title, describe(count()), verb)
        self._describe, self._count = describe, count
        self._timer = QTimer(self, interval=_UPDATE_MS)
        self._timer.timeout.connect(self._update)
        self._timer.start()
        # The window itself has no stylesheet that this dialog could take over.
        theme_manager().apply_to(self)

    def _update(self) -> None:
        photos = self._count()
        if photos:
            self.text.setText(self._describe(photos))
        else:
            self._timer.stop()
            self.accept()


def confirm_unsent(
    parent: QWidget, title: str, describe: Callable[[int], str], verb: str, count: Callable[[], int]
) -> bool:
    """Whether all photos are uploaded, also while the question is open, or the user accepts their loss.

    `count`: the number of photos that are not uploaded yet, which `describe` puts into a sentence.
    """
    if not count():
        return True
    dialog = UnsentQuestion(parent, title, describe, verb, count)
    try:
        return ask(dialog)
    finally:
        dialog.deleteLater()
