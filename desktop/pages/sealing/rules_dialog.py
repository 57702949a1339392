"""Shows the rules of the installation for finishing records, which administrators can change."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QCheckBox, QSpinBox, QVBoxLayout, QWidget

from desktop.background.workers import run
from desktop.context import Context
from desktop.messages.error_messages import sentence
from desktop.pages.common.forms.passwords import run_guarded
from desktop.widgets import Button, Dialog, label, row_of
from shared.record.codes import Permission
from shared.wire.seal import InspectionPolicy


class RulesDialog(Dialog):
    """Shows the rules for finishing and releasing records. A change is saved immediately."""

    def __init__(self, context: Context, parent: QWidget | None) -> None:
        super().__init__(parent)
        self._context = context
        self._may_change = context.may(Permission.SETTINGS_MANAGE)
        self.setObjectName("finish-rules")
        self.setWindowTitle(self.tr("Finishing rules"))
        self.setModal(True)
        self.setMinimumWidth(480)
        self.four_eyes = QCheckBox(self.tr("Require second-person review"))
        self.four_eyes.setObjectName("four-eyes")
        self.four_eyes.clicked.connect(lambda on: self._save(InspectionPolicy(four_eyes=on)))
        self.requires_inspection = QCheckBox(self.tr("Require inspection of passed items"))
        self.requires_inspection.setObjectName("requires-inspection")
        self.requires_inspection.clicked.connect(
            lambda on: self._save(InspectionPolicy(requires_inspection=on))
        )
        self.coverage = QSpinBox()
        self.coverage.setObjectName("required-coverage")
        self.coverage.setAccessibleName(self.tr("Share of a region that a photo must show"))
        self.coverage.setRange(0, 100)
        self.coverage.setSuffix("%")
        self.coverage.setKeyboardTracking(False)
        self.coverage.editingFinished.connect(self._save_coverage)
        self._policy = InspectionPolicy()
        self._allow_changes(False)
        self.message = label("", "dim", wrap=True)
        self.retry = Button(self.tr("Retry"))
        self.retry.clicked.connect(lambda _checked=False: self._load())
        self._build()
        self._load()

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 20, 20, 16)
        column.setSpacing(8)
        column.addWidget(label(self.tr("Finishing rules"), "item"))
        column.addWidget(self.requires_inspection)
        inspection = self.tr(
            "When enabled, a record cannot be finished while a passed item has no photo, no detection of its "
            "newest photo, or a photo that does not show enough of the region."
        )
        column.addWidget(label(inspection, wrap=True))
        share = row_of((label(self.coverage.accessibleName(), wrap=True), 1), self.coverage, spacing=8)
        column.addLayout(share)
        coverage = self.tr(
            "A detection that finds nothing in a photo of less of the region is not a pass. Results that "
            "exist do not change."
        )
        column.addWidget(label(coverage, "dim", wrap=True))
        column.addSpacing(8)
        column.addWidget(self.four_eyes)
        rule = self.tr(
            "When enabled, a finished record awaits review by another user, and its report says so "
            "on every page. The user who finished a record cannot review it. Records finished "
            "earlier do not change."
        )
        column.addWidget(label(rule, wrap=True))
        column.addWidget(self.message)
        column.addStretch(1)
        row = row_of(1, self.retry, spacing=8)
        close = Button(self.tr("Close"))
        close.clicked.connect(self.accept)
        row.addWidget(close)
        column.addSpacing(8)
        column.addLayout(row)

    def _load(self) -> None:
        self._show_text(self.tr("Loading…"))
        run(self._context.session.records.policy, owner=self, done=self._show, failed=self._on_load_failed)

    def _show(self, policy: InspectionPolicy) -> None:
        self._policy = policy
        self._fill()
        self._allow_changes(self._may_change)
        self._show_text("" if self._may_change else self.tr("Only an administrator can change this."))

    def _fill(self) -> None:
        policy = self._policy
        self.four_eyes.setChecked(bool(policy.four_eyes))
        self.requires_inspection.setChecked(bool(policy.requires_inspection))
        self.coverage.setValue(round(100 * (policy.required_coverage or 0.0)))

    def _allow_changes(self, on: bool) -> None:
        for control in (self.four_eyes, self.requires_inspection, self.coverage):
            control.setEnabled(on)

    def _on_load_failed(self, error: Exception) -> None:
        self._show_text(sentence(error), offer_retry=True)

    def _save_coverage(self) -> None:
        share = self.coverage.value() / 100
        if self.coverage.isEnabled() and share != self._policy.required_coverage:
            self._save(InspectionPolicy(required_coverage=share))

    def _save(self, changes: InspectionPolicy) -> None:
        self._allow_changes(False)
        run_guarded(
            self._context,
            partial(self._context.session.records.set_policy, changes),
            owner=self,
            done=self._on_saved,
            failed=self._on_save_failed,
        )

    def _on_saved(self, policy: InspectionPolicy) -> None:
        self._show(policy)
        self._show_text(self.tr("Saved."))

    def _on_save_failed(self, error: Exception) -> None:
        self._show(self._policy)
        self._show_text(sentence(error))

    def _show_text(self, text: str, offer_retry: bool = False) -> None:
        self.message.setText(text)
        self.message.setVisible(bool(text))
        self.retry.setVisible(offer_retry)
