"""Shows the release rule of the installation, which administrators can change."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from desktop.background.workers import run
from desktop.context import Context
from desktop.pages.common.forms.password_prompt import run_guarded
from desktop.pages.common.messages.error_messages import sentence
from desktop.widgets import Button, Dialog, label
from shared.codes import Permission


class RulesDialog(Dialog):
    """Shows whether a second person must release finished records. A change is saved immediately."""

    def __init__(self, context: Context, parent: QWidget | None) -> None:
        super().__init__(parent)
        self._context = context
        self._may_change = context.may(Permission.SETTINGS_MANAGE)
        self.setObjectName("finish-rules")
        self.setWindowTitle(self.tr("Release rule"))
        self.setModal(True)
        self.setMinimumWidth(480)
        self.four_eyes = QCheckBox(self.tr("Require two-person release"))
        self.four_eyes.setObjectName("four-eyes")
        self.four_eyes.setEnabled(False)
        self.four_eyes.clicked.connect(self._save)
        self.message = label("", "dim", wrap=True)
        self.retry = Button(self.tr("Retry"))
        self.retry.clicked.connect(lambda _checked=False: self._load())
        self._build()
        self._load()

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 20, 20, 16)
        column.setSpacing(8)
        column.addWidget(label(self.tr("Release rule"), "item"))
        column.addWidget(self.four_eyes)
        rule = self.tr(
            "When enabled, a finished record awaits release by another user, and its report says so "
            "on every page. The user who finished a record cannot release it. Records finished "
            "earlier do not change."
        )
        column.addWidget(label(rule, wrap=True))
        column.addWidget(self.message)
        column.addStretch(1)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addStretch(1)
        row.addWidget(self.retry)
        close = Button(self.tr("Close"))
        close.clicked.connect(self.accept)
        row.addWidget(close)
        column.addSpacing(8)
        column.addLayout(row)

    def _load(self) -> None:
        self._say(self.tr("Loading…"))
        records = self._context.session.records
        run(records.four_eyes, owner=self, done=self._show, failed=self._on_load_failed)

    def _show(self, is_required: bool) -> None:
        self.four_eyes.setChecked(is_required)
        self.four_eyes.setEnabled(self._may_change)
        self._say("" if self._may_change else self.tr("Only an administrator can change this."))

    def _on_load_failed(self, error: Exception) -> None:
        self._say(sentence(error), offer_retry=True)

    def _save(self, is_required: bool) -> None:
        self.four_eyes.setEnabled(False)
        run_guarded(
            self._context,
            partial(self._context.session.records.set_four_eyes, is_required),
            owner=self,
            done=lambda _result: self._on_saved(is_required),
            failed=partial(self._on_save_failed, is_required),
        )

    def _on_saved(self, is_required: bool) -> None:
        self._show(is_required)
        self._say(self.tr("Saved."))

    def _on_save_failed(self, is_required: bool, error: Exception) -> None:
        self._show(not is_required)
        self._say(sentence(error))

    def _say(self, text: str, offer_retry: bool = False) -> None:
        self.message.setText(text)
        self.message.setVisible(bool(text))
        self.retry.setVisible(offer_retry)
