"""Chooses the reference image of a record, and warns of items that are marked on another one."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from desktop.background.workers import Lane, ProgressReport, Task, run
from desktop.client import Session
from desktop.imaging.conversion import prepare_upload
from desktop.messages.error_messages import sentence
from desktop.pages.common.files.file_dialogs import Purpose, open_picture
from desktop.pages.common.forms import lookup
from desktop.pages.common.forms.chooser import Choice, SearchCombo
from desktop.record.document import ItemView
from desktop.record.edit_names import EditName
from desktop.record.open_record import OpenRecord
from desktop.record.region_link import item_file, same_file
from desktop.widgets import Banner, Button, ErrorLine, IconLabel, ProgressBar, label, row_of
from shared.record.codes import Permission
from shared.wire.catalogue import ReferenceImageWrite
from shared.wire.inspection import RecordUpdate

_log = logging.getLogger(__name__)


class ReferenceChoice(QWidget):
    """Takes the place of the canvas until the record has a reference image."""

    chosen = Signal()
    """The record has a reference image now."""

    def __init__(self, open_record: OpenRecord, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._open_record = open_record
        self._task: Task | None = None
        self.setObjectName("reference-choice")
        self.images = SearchCombo(
            self.tr("Reference image"),
            self._find,
            placeholder=self.tr("Select or search"),
        )
        self.images.setObjectName("reference-images")
        self.images.setMinimumWidth(200)
        self.use = Button(self.tr("Use image"))
        self.use.setObjectName("reference-use")
        self.upload = Button(self.tr("Upload image…"), icon="upload")
        self.upload.setObjectName("reference-upload")
        self._text = label("", wrap=True)
        self._error = ErrorLine()
        self._bar = ProgressBar(self.tr("Uploading image"))
        self._bar.hide()
        for shown_label in (self._text, self._error):
            shown_label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            shown_label.setMinimumWidth(300)
            shown_label.setMaximumWidth(460)
        column = QVBoxLayout(self)
        column.setSpacing(12)
        column.addStretch(1)
        column.addWidget(IconLabel("photo", "dim", 32), 0, Qt.AlignmentFlag.AlignHCenter)
        column.addLayout(_in_the_middle(self._text))
        column.addLayout(_in_the_middle(self.images, self.use))
        column.addWidget(self.upload, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self._bar)
        column.addLayout(_in_the_middle(self._error))
        column.addStretch(1)
        self.use.clicked.connect(lambda _checked=False: self._use_chosen())
        self.upload.clicked.connect(lambda _checked=False: self._choose_file())

    def offer(self) -> None:
        """Read the reference images and offer them."""
        context = self._open_record.context
        may = context.may(Permission.INSPECTION_UPDATE) and not self._open_record.sealed
        self._text.setText(
            self.tr("This record has no reference image. Select the image to draw regions on.")
            if may
            else self.tr("This record has no reference image. A user with edit permission can select one.")
        )
        for widget in (self.images, self.use):
            widget.setVisible(may)
        self.upload.setVisible(
            may and context.may(Permission.CATALOGUE_MANAGE) and context.may(Permission.FILE_ADD)
        )
        self._error.setText("")
        if may:
            self.images.show_choice(None)

    def _find(self, text: str, page: int) -> Sequence[Choice]:
        """Find reference images, those of the record's aircraft first."""
        document = self._open_record.document
        aircraft_id = document.record.aircraft_id if document is not None else None
        return lookup.references(self._open_record.context.session, aircraft_id)(text, page)

    def _use_chosen(self) -> None:
        try:
            chosen = self.images.selected_id()
        except ValueError:
            chosen = None
        if chosen is None:
            self._error.setText(self.tr("No reference image with this name. Select one from the list."))
            self.images.setFocus()
            return
        self._error.setText("")
        self._use(chosen)

    def _choose_file(self) -> None:
        path = open_picture(self, self.tr("Upload reference image"), Purpose.REFERENCES)
        if path is not None:
            self.add(path)

    def add(self, path: Path) -> None:
        """Upload a picture, enter it into the catalogue and use it."""
        document = self._open_record.document
        if document is None or self._task is not None or self._open_record.refuse_if_sealed():
            return
        self._error.setText("")
        self._bar.setValue(0)
        self._bar.show()
        self._run(_upload, path, document.record.aircraft_id)

    def leave_record(self) -> None:
        """Forget what was begun for the record, which was left. It still ends, for that record."""
        self._task = None
        self._bar.hide()

    def _use(self, reference_image_id: str) -> None:
        if self._task is None and not self._open_record.refuse_if_sealed():
            self._run(_set_reference, reference_image_id)

    def _run(self, function: Callable[..., None], *arguments: object) -> None:
        """Call a function with the session, the id of the open record and arguments in a worker thread."""

        def report_progress(share: float) -> None:
            if self._task is task:
                self._bar.setValue(round(100 * share))

        def on_done(_: None) -> None:
            if self._task is task:
                self.leave_record()
                self.chosen.emit()

        def on_failed(error: Exception) -> None:
            if self._task is task:
                self.leave_record()
                self._error.setText(sentence(error))
            else:
                _log.warning("the reference image of a record that was left: %s", type(error).__name__)

        session, record_id = self._open_record.context.session, self._open_record.record_id
        self._task = task = run(
            function,
            session,
            record_id,
            *arguments,
            owner=self,
            progress=report_progress,
            done=on_done,
            failed=on_failed,
            lane=Lane.LONG,
        )


def _upload(
    report: ProgressReport, session: Session, record_id: str, path: Path, aircraft_id: str | None
) -> None:
    source, name = prepare_upload(path)
    report.check()
    stored = session.files.upload(
        source, name, progress=lambda done, all_: report(done / all_ if all_ else 1.0)
    )
    report.check()
    body = ReferenceImageWrite(
        reference_image_name=path.stem, file_id=stored.file_id, aircraft_id=aircraft_id
    )
    image = session.catalogue.reference_images.create(body)
    _set_reference(report, session, record_id, image.reference_image_id)


def _set_reference(
    _report: ProgressReport, session: Session, record_id: str, reference_image_id: str
) -> None:
    session.records.update(record_id, RecordUpdate(reference_image_id=reference_image_id), None)


class OtherFileBanner(Banner):
    """Follows the chosen item. Detection compares with the image that an item names."""

    def __init__(self, open_record: OpenRecord, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("own-file")
        self._open_record = open_record
        open_record.record_changed.connect(self.show_item)
        open_record.regions_changed.connect(self.show_item)
        open_record.current_changed.connect(self.show_item)
        self.action_chosen.connect(self.move_to_reference)

    def show_item(self) -> None:
        """Show the banner for the chosen item.

        It is hidden if the region is on the record's reference image.
        """
        open_record, home = self._open_record, self._open_record.link.record_file
        file = open_record.link.file
        if open_record.item is None or file is None or same_file(file, home):
            self.hide()
        elif home is None or not open_record.editable:
            text = self.tr("This item uses a different image: {name}.")
            self.show_message(text.format(name=file.name), closable=False)
        else:
            others = self._elsewhere()
            text = self.tr(
                "%n item(s) are not on the record's reference image. This item is on {name}.", "", others
            )
            self.show_message(
                text.format(name=file.name), "warn", self.tr("Move to reference image"), closable=False
            )

    def move_to_reference(self) -> None:
        """Move the regions of all items to the same place of the record's reference image, as one step."""
        open_record, home = self._open_record, self._open_record.link.record_file
        if open_record.document is None or home is None or not open_record.editable:
            return
        edits = []
        for item in open_record.document.items:
            if self._is_elsewhere(item):
                point = {**(item.item_point or {}), "fileInfo": dict(home.info)}
                edits.append(open_record.document.change(item.item_id, EditName.MARK, {"item_point": point}))
        done = [edit for edit in edits if edit is not None]
        if done:
            open_record.edits.do(*done)

    def _elsewhere(self) -> int:
        document = self._open_record.document
        return sum(self._is_elsewhere(item) for item in document.items) if document is not None else 0

    def _is_elsewhere(self, item: ItemView) -> bool:
        home = self._open_record.link.record_file
        return not same_file(item_file(item, home), home)


def _in_the_middle(*widgets: QWidget) -> QHBoxLayout:
    # Without an alignment, which would cut the lines of a wrapped text.
    row = row_of(1)
    for widget in widgets:
        row.addWidget(widget, 100 if isinstance(widget, QLabel) else 0)
    row.addStretch(1)
    return row
