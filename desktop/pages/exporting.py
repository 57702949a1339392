"""Writing an inspection into a file: which format, where, how far, and a way to stop it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QProgressDialog, QWidget

from desktop.client import Session
from desktop.context import Context
from desktop.exchange.formats import FORMATS, ExportFormat
from desktop.exchange.gather import gather
from desktop.exchange.naming import harmless
from desktop.pages.save_as import keep_folder, last_folder, may_replace
from desktop.pages.sentences import sentence
from desktop.report.saving import save
from desktop.workers import Lane, Report, run

_SHOW_AFTER_MS = 500


class Exporting(QObject):
    """Asks where to, and writes an inspection there in the background."""

    said = Signal(str)
    """Why it could not be written."""
    written = Signal(str)
    """The path of the file that was written."""

    def __init__(self, context: Context, window: QWidget) -> None:
        super().__init__(window)
        self._context, self._window = context, window

    def ask(self, name: str) -> tuple[Path, ExportFormat] | None:
        """Ask for the place and the format; `name` is the inspection's. None for no file."""
        kinds = {self._kind(made): made for made in FORMATS}
        chosen, kind = QFileDialog.getSaveFileName(
            self._window,
            self.tr("Export the inspection"),
            str(last_folder() / harmless(name, self.tr("inspection"))),
            ";;".join(kinds),
        )
        if not chosen:
            return None
        path, made = meant(Path(chosen), kinds.get(kind, FORMATS[0]))
        # The dialog asked about the name that was typed, not about the one with a suffix.
        if path != Path(chosen) and path.exists() and not may_replace(self._window, path):
            return None
        keep_folder(path)
        return path, made

    def write(self, record_id: str, path: Path, made: ExportFormat) -> None:
        """Write the inspection, with progress and cancel; an old file stays until the new one is complete."""
        dialog = QProgressDialog(
            self.tr("Writing {file}…").format(file=path.name), self.tr("Cancel"), 0, 100, self._window
        )
        dialog.setMinimumDuration(_SHOW_AFTER_MS)
        dialog.setWindowTitle(self.tr("Export the inspection"))
        dialog.setAutoClose(False)
        dialog.setAutoReset(False)
        dialog.setValue(0)
        task = run(
            _write,
            self._context.session,
            record_id,
            path,
            made,
            owner=self,
            progress=lambda share: dialog.setValue(round(90 * share)),
            done=lambda _: self._done(dialog, path),
            failed=lambda error: self._failed(dialog, error),
            lane=Lane.LONG,
        )
        dialog.canceled.connect(task.cancel)
        dialog.canceled.connect(dialog.deleteLater)

    def _done(self, dialog: QProgressDialog, path: Path) -> None:
        dialog.deleteLater()
        self.written.emit(str(path))

    def _failed(self, dialog: QProgressDialog, error: Exception) -> None:
        dialog.deleteLater()
        if isinstance(error, OSError):
            why = error.strerror or str(error)
            self.said.emit(
                self.tr("The file cannot be written: {why}. Choose another place.").format(why=why)
            )
        else:
            self.said.emit(sentence(error))

    def _kind(self, made: ExportFormat) -> str:
        said = {
            "json": self.tr("Walkaround JSON, everything of the record"),
            "csv": self.tr("CSV table, one row for each finding"),
            "coco": self.tr("COCO datasets of regions and findings"),
            "yolo": self.tr("YOLO datasets of regions and findings"),
        }
        return f"{said[made.format_id]} (*{made.suffix})"


def meant(path: Path, chosen: ExportFormat) -> tuple[Path, ExportFormat]:
    """The file and the format that a person means who typed `path` and chose `chosen`.

    A suffix that was typed says more than the choice; without one, the path gets that of the choice.
    """
    suffix = path.suffix.lower()
    if suffix == chosen.suffix:
        return path, chosen
    of_suffix = [made for made in FORMATS if made.suffix == suffix]
    if len(of_suffix) == 1:
        return path, of_suffix[0]
    # Two formats share one suffix: its name ends as the format says, or the choice decides.
    for made in of_suffix:
        if path.name.lower().endswith(made.ending):
            return path, made
    return path.with_name(path.name + chosen.ending), chosen


def _write(report: Report, session: Session, record_id: str, path: Path, made: ExportFormat) -> None:
    inspection = gather(session, record_id, lambda done, total: report(done / total if total else 1.0))
    report.check()
    data = made.write(inspection)
    report.check()
    save(data, path)
