"""Exports an inspection to a file, with format, progress and cancel."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLocale, QObject, Signal
from PySide6.QtWidgets import QWidget

from desktop.background.workers import ProgressReport
from desktop.client import Session
from desktop.client.http.errors import Forbidden, NotFound
from desktop.context import Context
from desktop.exchange.data.column_terms import CHINESE, ColumnTerms
from desktop.exchange.data.file_names import safe_name
from desktop.exchange.formats.archive import write_archive
from desktop.exchange.gather import collect_inspection
from desktop.exchange.registry import FORMATS, ExportFormat
from desktop.imaging import ImageError
from desktop.imaging.decoding.decoder import upright_copy
from desktop.localization.detection_terms import finding_word, model_word, severity_word
from desktop.messages.seal_terms import seal_word
from desktop.pages.common.files.file_dialogs import Purpose, choose_file
from desktop.pages.common.files.writing import failure_sentence, run_with_dialog
from shared.record.codes import SealState
from shared.system import atomic


class ExportController(QObject):
    """Asks where to save an inspection and writes it there in the background."""

    notice = Signal(str)
    """Why the file cannot be saved."""
    written = Signal(str)
    """The path of the file that was written."""

    def __init__(self, context: Context, window: QWidget) -> None:
        super().__init__(window)
        self._context, self._window = context, window

    def ask_target(self, name: str) -> tuple[Path, ExportFormat, bool] | None:
        """Ask for the file, its format, and whether to include pictures. Returns None if the user cancels.

        `name` is the name of the inspection.
        """
        formats_by_filter = {self._filter_text(file_format): file_format for file_format in FORMATS}
        filters_with_pictures = {
            self._filter_text_with_pictures(file_format): file_format
            for file_format in FORMATS
            if file_format.pictures is not None
        }
        formats_by_filter |= filters_with_pictures
        choice = choose_file(
            self._window,
            self.tr("Export record"),
            safe_name(name, self.tr("record")),
            {text: file_format.name_suffix for text, file_format in formats_by_filter.items()},
            Purpose.EXPORTS,
            complete=lambda path, kind: choose_format(path, formats_by_filter[kind])[0],
        )
        if choice is None:
            return None
        path, kind = choice
        path, file_format = choose_format(path, formats_by_filter[kind])
        return path, file_format, kind in filters_with_pictures and file_format.pictures is not None

    def write(self, record_id: str, path: Path, file_format: ExportFormat, pictures: bool = False) -> None:
        """Write the inspection, with progress and cancel.

        An existing file is kept until the new one is complete.
        """
        terms = column_terms_in_language()
        run_with_dialog(
            lambda report: _write(
                report, self._context.session, record_id, path, file_format, pictures, terms
            ),
            owner=self,
            window=self._window,
            title=self.tr("Export record"),
            text=self.tr("Saving {file}…").format(file=path.name),
            done=partial(self._on_written, path),
            failed=lambda error: self.notice.emit(failure_sentence(error)),
        )

    def _on_written(self, path: Path, missing: int) -> None:
        self.written.emit(str(path))
        if missing:
            self.notice.emit(self.tr("%n image(s) not exported: missing on the service.", "", missing))

    def _filter_text(self, file_format: ExportFormat) -> str:
        texts = {
            "json": self.tr("Walkaround JSON, complete record"),
            "csv": self.tr("CSV table, one row per finding"),
            "coco": self.tr("COCO datasets of regions and findings"),
            "yolo": self.tr("YOLO datasets of regions and findings"),
            "cvat": self.tr("CVAT annotations of regions and findings"),
        }
        return f"{texts[file_format.format_id]} (*{file_format.suffix})"

    def _filter_text_with_pictures(self, file_format: ExportFormat) -> str:
        texts = {
            "coco": self.tr("COCO datasets with images"),
            "yolo": self.tr("YOLO datasets with images"),
            "cvat": self.tr("CVAT annotations with images"),
        }
        return f"{texts[file_format.format_id]} (*{file_format.suffix})"


def column_terms_in_language() -> ColumnTerms:
    """The terms of a table in the language of the program."""
    translate = QCoreApplication.translate
    return ColumnTerms(
        headings=CHINESE if QLocale().language() == QLocale.Language.Chinese else {},
        outcome={
            "passed": translate("Report", "Passed"),
            "failed": translate("Report", "Failed"),
            "undecided": translate("Report", "Undecided"),
        },
        state={state.value: seal_word(state) or translate("Seal", "Open") for state in SealState},
        label=finding_word,
        severity=severity_word,
        model=lambda model_id, name: model_word(model_id, name) or None,
    )


def choose_format(path: Path, selected: ExportFormat) -> tuple[Path, ExportFormat]:
    """The file and the format that a user means who typed `path` and selected a format.

    A typed suffix takes precedence over the selected format. A path without one gets the format's suffix.
    """
    suffix = path.suffix.lower()
    if suffix == selected.suffix:
        return path, selected
    candidates = [file_format for file_format in FORMATS if file_format.suffix == suffix]
    if len(candidates) == 1:
        return path, candidates[0]
    # Several formats share the suffix: the end of the name decides, else the selected format is used.
    for file_format in candidates:
        if path.name.lower().endswith(file_format.name_suffix):
            return path, file_format
    return path.with_name(path.name + selected.name_suffix), selected


def _write(
    report: ProgressReport,
    session: Session,
    record_id: str,
    path: Path,
    file_format: ExportFormat,
    with_pictures: bool,
    terms: ColumnTerms,
) -> int:
    """Write the file. Returns the number of pictures that could not be included."""
    collect_share = 0.5 if with_pictures else 1.0
    inspection = collect_inspection(
        session, record_id, lambda done, total: report(collect_share * done / max(total, 1))
    )
    report.check()
    if not with_pictures or file_format.files is None or file_format.pictures is None:
        data = file_format.write(inspection, terms)
        report.check()
        atomic.write_file(path, data, durable=True)
        return 0
    pictures = file_format.pictures(inspection)
    exported: set[str] = set()

    def fetch_pictures() -> Iterator[tuple[str, bytes]]:
        for number, (name, picture) in enumerate(pictures.items(), 1):
            report.check()
            try:
                data = upright_copy(session.files.fetch(picture.url))
            except (NotFound, Forbidden, ImageError):
                continue
            finally:
                report(collect_share + collect_share * number / len(pictures))
            exported.add(name)
            yield name, data

    write_archive(path, file_format.files(inspection), fetch_pictures())
    return len(pictures) - len(exported)
