"""Shows the progress of a report and lets the user cancel it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop.background.workers import Lane, Task, run
from desktop.context import Context
from desktop.exchange.data.file_names import safe_name
from desktop.localization.fonts import MissingGlyphsError
from desktop.messages.error_messages import sentence
from desktop.pages.common.files.file_dialogs import Purpose, ask_html_path, choose_file
from desktop.pages.common.files.report_file import report_options, write_report
from desktop.report.collect import collect
from desktop.widgets import Button, ButtonKind, Panel, ProgressBar, label, row_of
from shared.wire.inspection import Record


class ReportProgress(Panel):
    """A bar that is shown while a report is written."""

    written = Signal(Path)
    """The path of the report."""
    failed = Signal(str)
    """A sentence that says why the report was not written."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("raised", "bottom", parent)
        self._task: Task | None = None
        self._status_label = label("")
        self._bar = ProgressBar(self.tr("Progress"))
        self._bar.setFixedWidth(200)
        self.stop = Button(self.tr("Cancel"), kind=ButtonKind.GHOST)
        row_of(self._status_label, self._bar, 1, self.stop, parent=self, margins=(16, 4, 12, 4), spacing=12)
        self.stop.clicked.connect(self.cancel)
        self.hide()

    def ask_target(self, context: Context, record: Record, made_by: str, format_id: str) -> None:
        """Ask for a file and write the report of `record` into it; `format_id` is pdf or html."""
        name = safe_name(record.inspection_name or "", self.tr("Record"))
        pdf, html = (self.tr("PDF (*.pdf)"), ".pdf"), (self.tr("HTML (*.html)"), ".html")
        kinds = dict((html, pdf) if format_id == "html" else (pdf, html))
        choice = choose_file(self, self.tr("Export report"), f"{name}.{format_id}", kinds, Purpose.REPORTS)
        if choice is None:
            return
        path, _ = choice
        self.start(context, record.inspection_id, made_by, path)

    def start(self, context: Context, record_id: str, made_by: str, path: Path) -> None:
        """Write the report of a record to `path`. A report that is being written is cancelled."""
        self.cancel()
        self._status_label.setText(self.tr("Saving {file}…").format(file=path.name))
        self._bar.setValue(0)
        self.show()
        self._task = run(
            write_report,
            partial(collect, context.session, record_id, made_by, options=report_options(context)),
            path,
            owner=self,
            progress=lambda share: self._bar.setValue(round(90 * share)),
            done=lambda _result: self._done(path),
            failed=partial(self._on_failed, partial(self.start, context, record_id, made_by), path),
            lane=Lane.LONG,
        )

    def cancel(self) -> None:
        """Stop writing. No incomplete file remains."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        self.hide()

    def _done(self, path: Path) -> None:
        self.cancel()
        self.written.emit(path)

    def _on_failed(self, start: Callable[[Path], None], path: Path, error: Exception) -> None:
        self.cancel()
        if isinstance(error, MissingGlyphsError):
            html = ask_html_path(self, path, sentence(error))
            if html is not None:
                start(html)
            else:
                self.failed.emit(sentence(error))
        elif isinstance(error, OSError):
            self.failed.emit(
                self.tr("Cannot save the file: {why}. Select another location.").format(why=error)
            )
        else:
            self.failed.emit(sentence(error))
