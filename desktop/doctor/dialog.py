"""Shows the checks of the installation one after another, and repairs what can be repaired."""

from __future__ import annotations

import platform
from collections.abc import Callable

from PySide6.QtCore import Qt, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QScrollArea, QWidget

from desktop.background.workers import Lane, ProgressReport, Task, run
from desktop.client.http.address import server_key
from desktop.connection.local_service import ServiceState
from desktop.context import Context
from desktop.doctor import texts
from desktop.doctor.checks import Check, computer_checks, service_checks
from desktop.doctor.computer import DisplayFacts
from desktop.doctor.network import ServiceLocation, network
from desktop.widgets import Button, ButtonKind, Dialog, IconLabel, ProgressBar, column_of, label
from shared import __version__
from shared.system.checkup import CheckResult, Level, repair
from shared.system.paths import read_service_address
from shared.system.redaction import redact

_MARKS = {
    Level.OK: ("check", "passed"),
    Level.WARN: ("warning", "undecided"),
    Level.FAIL: ("error", "failed"),
}
_LEVELS_WORST_FIRST = (Level.FAIL, Level.WARN, Level.OK)
Found = list[tuple[str, CheckResult]]


def list_checks(context: Context) -> list[Callable[[], Found]]:
    """Return the checks for the service in use, each as a function for a worker."""
    checks: list[Check] = computer_checks(DisplayFacts.now())
    location = _location(context)
    if location is not None:
        checks.append(("network", lambda: network(location)))
    functions: list[Callable[[], Found]] = [lambda check=check: _run_check(check) for check in checks]  # type: ignore[misc]
    if context.embedded and context.data_folder is not None:
        folder = context.data_folder
        functions.append(lambda: service_checks(folder))
    return functions


def _run_check(check: Check) -> Found:
    return [(check[0], result) for result in check[1]()]


def _location(context: Context) -> ServiceLocation | None:
    """Return the address of the service; None while the local one has not reported it yet."""
    url = context.session.base_url
    if not context.embedded:
        return ServiceLocation(url, context.preferences.values.certificates.get(server_key(url)))
    if context.service_state is not ServiceState.READY or context.data_folder is None:
        return None
    written = read_service_address(context.data_folder)
    return ServiceLocation(url, None if written is None else written.fingerprint)


def _run_checks(report: ProgressReport, checks: list[Callable[[], Found]]) -> None:
    for number, check in enumerate(checks, 1):
        report((number, check()))


class DoctorDialog(Dialog):
    """Shows the results of all checks, worst first, with advice and for some faults a button to repair it."""

    def __init__(self, parent: QWidget | None, context: Context) -> None:
        super().__init__(parent)
        self._context = context
        self._task: Task | None = None
        self.results: Found = []
        self.setWindowTitle(self.tr("System check"))
        self.setMinimumWidth(680)
        column = column_of(
            label(self.tr("System check"), "item"), parent=self, margins=(20, 20, 20, 16), spacing=12
        )
        self.summary = label("", "dim", wrap=True)
        column.addWidget(self.summary)
        self.progress = ProgressBar(self.tr("System check"))
        column.addWidget(self.progress)
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setMinimumHeight(380)
        column.addWidget(self._area, 1)
        column.addLayout(self._button_row())
        self.repair_buttons: list[Button] = []
        self.check()

    def _button_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        self.copy = Button(self.tr("Copy report"))
        self.copy.clicked.connect(self._copy)
        self.again = Button(self.tr("Check again"))
        self.again.clicked.connect(self.check)
        close = Button(self.tr("Close"), kind=ButtonKind.MAIN)
        close.clicked.connect(self.accept)
        close.setDefault(True)
        row.addWidget(self.copy)
        row.addStretch(1)
        row.addWidget(self.again)
        row.addWidget(close)
        return row

    def check(self) -> None:
        """Run every check again, one after another, in the background."""
        if self._task is not None:
            self._task.cancel()
        checks = list_checks(self._context)
        self.results = []
        self.again.setEnabled(False)
        self.copy.setText(self.tr("Copy report"))
        self.summary.setText(self.tr("Checking…"))
        self.progress.setMaximum(len(checks))
        self.progress.setValue(0)
        self.progress.show()
        self._show()
        self._task = run(
            _run_checks,
            checks,
            owner=self,
            progress=self._add_results,
            done=self._show_summary,
            failed=self._show_failure,
            lane=Lane.LONG,
        )

    def done(self, result: int) -> None:
        if self._task is not None:
            self._task.cancel()
        super().done(result)

    def report(self) -> str:
        """Return the results as text for support, without names and secrets."""
        lines = [f"Walkaround {__version__}, {platform.platform(terse=True)}, Qt {qVersion()}"]
        for _name, result in self.results:
            sentences = [texts.message(result), *filter(None, [texts.advice(result)])]
            lines.append(f"{result.level:<5} {' — '.join(sentences)}")
        return redact("\n".join(lines))

    def _add_results(self, value: tuple[int, Found]) -> None:
        number, results = value
        self.progress.setValue(number)
        self.results.extend(results)
        self._show()

    def _show_summary(self, _nothing: None) -> None:
        self.progress.hide()
        self.again.setEnabled(True)
        faults = sum(result.level is Level.FAIL for _name, result in self.results)
        warnings = sum(result.level is Level.WARN for _name, result in self.results)
        if faults:
            self.summary.setText(self.tr("%n fault(s) found. Each says what to do.", "", faults))
        elif warnings:
            self.summary.setText(self.tr("No faults. %n warning(s).", "", warnings))
        else:
            self.summary.setText(self.tr("Everything works."))

    def _show_failure(self, error: Exception) -> None:
        self._show_summary(None)
        self.summary.setText(self.tr("The check was interrupted. Check again."))
        raise error

    def _show(self) -> None:
        inner = QWidget()
        inner.setProperty("clear", True)
        grid = QGridLayout(inner)
        grid.setContentsMargins(0, 0, 8, 0)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(1, 1)
        grid.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.repair_buttons = []
        ordered = sorted(self.results, key=lambda entry: _LEVELS_WORST_FIRST.index(entry[1].level))
        for at, (_name, result) in enumerate(ordered):
            self._add(grid, at, result)
        self._area.setWidget(inner)

    def _add(self, grid: QGridLayout, row: int, result: CheckResult) -> None:
        names = {Level.OK: self.tr("Fine"), Level.WARN: self.tr("Warning"), Level.FAIL: self.tr("Fault")}
        mark = IconLabel(*_MARKS[result.level])
        mark.setAccessibleName(names[result.level])
        mark.setToolTip(names[result.level])
        grid.addWidget(mark, row, 0, Qt.AlignmentFlag.AlignTop)
        column = column_of(label(texts.message(result), wrap=True), spacing=2)
        advice = texts.advice(result)
        if advice:
            column.addWidget(label(advice, "dim", wrap=True))
        grid.addLayout(column, row, 1)
        if result.repair is not None:
            button = Button(self.tr("Repair"))
            button.setAccessibleName(self.tr("Repair: {what}").format(what=texts.message(result)))
            button.clicked.connect(lambda _checked=False: self._repair(result))
            self.repair_buttons.append(button)
            grid.addWidget(button, row, 2, Qt.AlignmentFlag.AlignTop)

    def _repair(self, result: CheckResult) -> None:
        for button in self.repair_buttons:
            button.setEnabled(False)
        run(repair, result, owner=self, done=lambda _nothing: self.check(), failed=self._show_repair_error)

    def _show_repair_error(self, error: Exception) -> None:
        for button in self.repair_buttons:
            button.setEnabled(True)
        why = getattr(error, "strerror", None) or type(error).__name__
        self.summary.setText(
            self.tr("Cannot repair this: {why}. Follow the advice beside it.").format(why=why)
        )

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.report())
        self.copy.setText(self.tr("Copied"))
