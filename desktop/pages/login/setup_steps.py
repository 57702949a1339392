"""Asks for the language and the service on the first run, before the first administrator is created."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from desktop.localization.language import LANGUAGES
from desktop.pages.login.service_choice import ServiceChoice
from desktop.preferences import Preferences
from desktop.widgets import Button, ButtonKind, column_of, row_of


class Step(StrEnum):
    """The steps of the first run before the account."""

    LANGUAGE = "language"
    SERVICE = "service"


class SetupSteps(QWidget):
    """Shows one step at a time. Each step keeps its inputs."""

    language_chosen = Signal(str)
    """The code of a language."""
    server_chosen = Signal(str)
    """The address of the checked service, or an empty string for the local one."""
    back = Signal()
    """The user wants the previous step."""

    def __init__(
        self, language: str, server_url: str, preferences: Preferences, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.step = Step.LANGUAGE
        """The visible step."""
        self.languages: dict[str, Button] = {}
        self.choice = ServiceChoice(server_url, preferences)
        self.proceed = Button(self.tr("Continue"), kind=ButtonKind.MAIN, large=True)
        self.back_button = Button(self.tr("Back"), large=True)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._language_step(language))
        self._stack.addWidget(self._service_step())
        column_of(self._stack, parent=self, margins=0)
        self.proceed.clicked.connect(lambda _checked=False: self.choice.submit())
        self.back_button.clicked.connect(lambda _checked=False: self.back.emit())
        self.choice.chosen.connect(self.server_chosen)
        self.choice.busy.connect(self._set_busy)

    def _language_step(self, language: str) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        for code, name in LANGUAGES.items():
            kind = ButtonKind.MAIN if code == language else ButtonKind.PLAIN
            button = Button(name, kind=kind, large=True)
            button.clicked.connect(lambda _checked=False, it=code: self.language_chosen.emit(it))
            column.addWidget(button)
            self.languages[code] = button
        column.addStretch(1)
        return page

    def _service_step(self) -> QWidget:
        page = QWidget()
        column = column_of(self.choice, parent=page, margins=0, spacing=12)
        row = row_of(self.back_button, (self.proceed, 1), spacing=8)
        column.addLayout(row)
        column.addStretch(1)
        return page

    def show_step(self, step: Step) -> None:
        """Show a step."""
        self.step = step
        self._stack.setCurrentIndex(list(Step).index(step))

    def begin(self, language: str) -> None:
        """Set the focus to the first input of the step. `language` is the present one."""
        if self.step is Step.SERVICE:
            self.choice.begin()
        elif language in self.languages:
            self.languages[language].setFocus()

    def _set_busy(self, busy: bool) -> None:
        self.proceed.setEnabled(not busy)
        self.proceed.setText(self.tr("Connecting…") if busy else self.tr("Continue"))
