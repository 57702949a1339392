"""Shows the face models that exist, with what they allow, and how an administrator chooses one."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from desktop.widgets import Card, clear_layout, column_of, label
from shared.wire.face import FaceModel


class ModelsCard(Card):
    """Lists the models: what they are for, their licences, and the command that gets a model."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = QGridLayout()
        self._rows.setHorizontalSpacing(24)
        self._rows.setVerticalSpacing(12)
        self._rows.setColumnStretch(1, 1)
        column = column_of(
            label(self.tr("Face models"), "item"), parent=self, margins=(24, 20, 24, 20), spacing=12
        )
        text = self.tr(
            "A model is chosen on the service's computer by “walkaround face use NAME”, from the next start "
            "on. All users must then enrol again. A liveness check works with every model once installed."
        )
        column.addWidget(label(text, "dim", wrap=True))
        column.addLayout(self._rows)

    def show_models(self, models: Sequence[FaceModel]) -> None:
        """Show `models`; those of one engine that are offered and allow the same share a row."""
        clear_layout(self._rows)
        groups: dict[tuple[str, ...], list[FaceModel]] = {}
        for model in models:
            is_alike = model.state == "offered" and model.research_only
            key = (model.engine, model.licence) if is_alike else (model.name,)
            groups.setdefault(key, []).append(model)
        for row, group in enumerate(groups.values()):
            cell = QWidget()
            lines = QVBoxLayout(cell)
            lines.setContentsMargins(0, 0, 0, 0)
            lines.setSpacing(2)
            lines.addWidget(label(", ".join(model.name for model in group), "strong", wrap=True))
            for text in self._describe(group[0]):
                lines.addWidget(label(text, "small", wrap=True))
            state = label(self._state(group[0]), "dim")
            self._rows.addWidget(state, row, 0, Qt.AlignmentFlag.AlignTop)
            self._rows.addWidget(cell, row, 1)

    def _state(self, model: FaceModel) -> str:
        match model.state:
            case "in_use":
                return self.tr("In use")
            case "installed":
                return self.tr("Installed")
            case "missing":
                return self.tr("Missing")
            case "offered":
                return self.tr("Available")

    def _describe(self, model: FaceModel) -> list[str]:
        if model.state == "missing":
            lines = [self.tr("Chosen, but not installed: face login does not work.")]
            return [*lines, self._how(model)] if model.how else lines
        return [
            self.tr("Non-commercial research only: a login at work is not allowed.")
            if model.research_only
            else self.tr("May be used at work."),
            self.tr("A liveness check for every model")
            if model.engine == "liveness"
            else self.tr("With a liveness check")
            if model.checks_liveness
            else self.tr("Without a liveness check: a photo on a phone can log in"),
            self.tr("Licence: {name}").format(name=model.licence),
            *([self._how(model)] if model.how else []),
        ]

    def _how(self, model: FaceModel) -> str:
        return self.tr("To get it: {command}").format(command=model.how)
