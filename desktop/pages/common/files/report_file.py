"""Writes a report to a file, with progress and cancel."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from desktop.background import memory
from desktop.background.workers import Cancelled, ProgressReport
from desktop.context import Context
from desktop.exchange.data.file_names import safe_name
from desktop.localization.fonts import MissingGlyphsError
from desktop.messages.error_messages import sentence
from desktop.pages.common.files.file_dialogs import Purpose, ask_html_path, choose_file
from desktop.pages.common.files.writing import failure_sentence, run_with_dialog
from desktop.report import html, pdf
from desktop.report.collect import Progress, ReportOptions
from desktop.report.content import Report

Collect = Callable[[Progress], Report]
"""Collects the report; runs in a worker thread."""


class ReportFileController(QObject):
    """Asks where to save a report and writes it there in the background."""

    notice = Signal(str)
    """Why the report was not saved."""
    written = Signal(str)
    """The path of the report."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window

    def ask(self, name: str, html_first: bool = False) -> Path | None:
        """Ask for a PDF or HTML file, with the suggested name `name`. Returns None if the user cancels."""
        kinds = {self.tr("PDF (*.pdf)"): ".pdf", self.tr("Web page (*.html)"): ".html"}
        if html_first:
            kinds = dict(reversed(kinds.items()))
        suggested_name = safe_name(name, self.tr("Report")) + next(iter(kinds.values()))
        choice = choose_file(self._window, self.tr("Export report"), suggested_name, kinds, Purpose.REPORTS)
        return None if choice is None else choice[0]

    def write(self, collect: Collect, path: Path) -> None:
        """Collect a report and write it to `path` as HTML or PDF, according to the suffix."""
        run_with_dialog(
            lambda report: write_report(report, collect, path),
            owner=self,
            window=self._window,
            title=self.tr("Report"),
            text=self.tr("Exporting report…"),
            done=lambda _: self.written.emit(str(path)),
            failed=partial(self._on_failed, collect, path),
        )

    def _on_failed(self, collect: Collect, path: Path, error: Exception) -> None:
        if isinstance(error, MissingGlyphsError):
            html_path = ask_html_path(self._window, path, sentence(error))
            if html_path is not None:
                self.write(collect, html_path)
                return
        self.notice.emit(failure_sentence(error))


def report_options(context: Context) -> ReportOptions:
    """What the user wants in reports, from the preferences."""
    values = context.preferences.values
    return ReportOptions(values.report_pages, values.report_template)


def write_report(report: ProgressReport, collect: Collect, path: Path) -> None:
    """Collect a report and write it to `path` as HTML or PDF, according to the suffix.

    Reports the collected share, 0..1. Must not run on the GUI thread. Raises ClientError, MissingGlyphsError,
    OSError, and Cancelled.
    """
    try:
        _write(report, collect, path)
    finally:
        # Up to 20 MB of the heaps are free after the pictures of a report were deleted.
        memory.trim()


def _write(report: ProgressReport, collect: Collect, path: Path) -> None:
    content = collect(lambda done, total: report(done / total if total else 1.0))
    report.check()
    if path.suffix.lower() in (".html", ".htm"):
        html.write(content, path)
        return

    def is_cancelled() -> bool:
        try:
            report.check()
        except Cancelled:
            return True
        return False

    pdf.write(content, path, is_cancelled)
