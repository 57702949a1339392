"""The end of an inspection: finish the record, write the report."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QProgressDialog, QWidget

from desktop.client import Session
from desktop.client.errors import Conflict
from desktop.exchange.naming import harmless
from desktop.fonts import MissingGlyphsError
from desktop.pages.file_dialogs import Purpose
from desktop.pages.save_as import choose_file, html_instead
from desktop.pages.sentences import sentence
from desktop.pages.workbench.bench import Bench
from desktop.report import html, pdf
from desktop.report.collect import collect
from desktop.widgets import confirm
from desktop.workers import Cancelled, Lane, Report, Task, run
from shared.wire.inspection import Record

_SHOW_AFTER_MS = 500


class Finishing(QObject):
    """Closes the open record and writes its report."""

    undecided = Signal(str)
    """The first item, by its id, that has to be decided before the record can be finished."""
    finished = Signal()
    """The service closed the record."""
    said = Signal(str)
    """Something to tell the person."""
    written = Signal(str)
    """The path of a report that was written."""

    def __init__(self, bench: Bench, window: QWidget) -> None:
        super().__init__(window)
        self._bench, self._window = bench, window
        self._task: Task | None = None

    def finish(self) -> None:
        """Ask, then finish the record."""
        document = self._bench.document
        if document is None:
            return
        if not self._bench.rows:
            self.said.emit(self.tr("The record has no items. Draw a region first."))
            return
        open_ones = sum(not row.finished for row in self._bench.rows)
        if open_ones:
            first = next(row.item_id for row in self._bench.rows if not row.finished)
            self.said.emit(self.tr("%n item(s) have no verdict yet. Decide them first.", "", open_ones))
            self.undecided.emit(first)
            return
        failed = sum(row.status == "failed" for row in self._bench.rows)
        text = self.tr("All items passed.")
        if failed:
            text = self.tr("%n item(s) failed.", "", failed)
        if confirm(
            self._window,
            self.tr("Finish the record?"),
            text + " " + self.tr("The record gets its end time and its result."),
            self.tr("Finish"),
            danger=False,
        ):
            self.finish_now()

    def finish_now(self) -> None:
        """Finish the record without a question, once everything is saved."""
        self._bench.edits.when_saved(self._send, self)

    def _send(self) -> None:
        run(
            self._bench.context.session.records.finish,
            self._bench.record_id,
            owner=self,
            done=self._done,
            failed=self._failed,
        )

    def _done(self, record: Record) -> None:
        self._bench.serve_record(record)
        self.finished.emit()

    def _failed(self, error: Exception) -> None:
        self.said.emit(sentence(error))
        if isinstance(error, Conflict):
            named = error.details.get("items") or []
            if named:
                self.undecided.emit(self._bench.edits.local_id(str(named[0].get("item_id", ""))))

    # -- the report

    def report(self) -> None:
        """Ask where, then write the report."""
        document = self._bench.document
        if document is None:
            return
        name = harmless(document.record.inspection_name or "", self.tr("Report"))
        kinds = {self.tr("PDF (*.pdf)"): ".pdf", self.tr("Web page (*.html)"): ".html"}
        chosen = choose_file(self._window, self.tr("Write the report"), f"{name}.pdf", kinds, Purpose.REPORTS)
        if chosen is not None:
            self.write(chosen[0])

    def write(self, path: Path) -> None:
        """Write the report to `path`, as a PDF or, by its suffix, as a web page; with progress and cancel."""
        self._bench.edits.when_saved(lambda: self._write(path), self)

    def _write(self, path: Path) -> None:
        payload = self._bench.context.payload
        by = "" if payload is None else payload.user.name or payload.user.username
        dialog = QProgressDialog(self.tr("Writing the report…"), self.tr("Cancel"), 0, 100, self._window)
        dialog.setMinimumDuration(_SHOW_AFTER_MS)
        dialog.setWindowTitle(self.tr("Report"))
        dialog.setAutoClose(False)
        dialog.setAutoReset(False)
        dialog.setValue(0)
        task = run(
            _make,
            self._bench.context.session,
            self._bench.record_id,
            by,
            path,
            owner=self,
            progress=lambda share: dialog.setValue(round(90 * share)),
            done=lambda _: self._report_done(dialog, path),
            failed=lambda error: self._report_failed(dialog, path, error),
            lane=Lane.LONG,
        )
        dialog.canceled.connect(task.cancel)
        dialog.canceled.connect(dialog.deleteLater)

    def _report_done(self, dialog: QProgressDialog, path: Path) -> None:
        dialog.deleteLater()
        self.written.emit(str(path))

    def _report_failed(self, dialog: QProgressDialog, path: Path, error: Exception) -> None:
        dialog.deleteLater()
        if isinstance(error, MissingGlyphsError):
            other = html_instead(self._window, path, sentence(error))
            if other is not None:
                self.write(other)
        elif isinstance(error, OSError):
            why = error.strerror or str(error)
            self.said.emit(self.tr("The report could not be written: {why}").format(why=why))
        else:
            self.said.emit(sentence(error))


def show_folder(path: str) -> None:
    """Open the folder of a file in the system's own way."""
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(Path(path).parent)))


def _make(report: Report, session: Session, record_id: str, by: str, path: Path) -> None:
    made = collect(session, record_id, by, lambda done, total: report(done / total if total else 1.0))
    report.check()
    if path.suffix.lower() in (".html", ".htm"):
        html.write(made, path)
        return

    def cancelled() -> bool:
        try:
            report.check()
        except Cancelled:
            return True
        return False

    pdf.write(made, path, cancelled)
