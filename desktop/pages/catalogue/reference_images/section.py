"""Lists the reference images and uploads new ones."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import ClassVar

from PySide6.QtCore import QCoreApplication, QMimeData
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QImage, QPixmap
from PySide6.QtWidgets import QDialog

from desktop.background.workers import run
from desktop.client.api.catalogue import Entries
from desktop.client.session import Session
from desktop.context import Context
from desktop.imaging.conversion import PICTURE_SUFFIXES
from desktop.imaging.decoding.pixels import decode_thumbnail
from desktop.pages.catalogue.delete_entry import DeletableSection
from desktop.pages.catalogue.forms import ReferenceForm
from desktop.pages.catalogue.reference_images.cards import ReferenceCards
from desktop.pages.catalogue.reference_images.sending import send_reference
from desktop.pages.catalogue.reference_images.uploads import Uploads
from desktop.pages.common.files.file_dialogs import Purpose, open_pictures
from shared.wire.catalogue import ReferenceImage, ReferenceImageWrite

_THUMB_PX = 512


class ReferenceSection(DeletableSection[ReferenceImage]):
    """The reference images, as cards."""

    empty_icon: ClassVar[str] = "photo"

    def __init__(self, context: Context) -> None:
        translate = QCoreApplication.translate
        self._opens_form = False
        super().__init__(context, translate("Catalogue", "Add images…"), translate("Catalogue", "Name"))
        self.uploads = Uploads(context, partial(send_reference, context.session))
        self.uploads.uploaded.connect(self._on_uploaded)
        self.card_column.insertWidget(0, self.uploads)
        self.setAcceptDrops(True)

    def make_view(self) -> ReferenceCards:
        self.cards = ReferenceCards(self.tr("Reference images"))
        self.cards.card_activated.connect(lambda _: self.edit_selected())
        self.cards.selection_changed.connect(self.update_buttons)
        self.cards.menu_requested.connect(self.show_menu)
        return self.cards

    def empty_text(self) -> str:
        return self.tr(
            "No reference images yet. Add images that show the correct condition, or drop them here."
        )

    def key(self, entry: ReferenceImage) -> str:
        return entry.reference_image_id

    def name(self, entry: ReferenceImage) -> str:
        return entry.reference_image_name

    def selected_entry(self) -> ReferenceImage | None:
        return self.cards.selected_card

    def show_entries(self, entries: list[ReferenceImage], keep: str) -> None:
        self.cards.cards.show(entries)
        rows = [row for row, entry in enumerate(entries) if entry.reference_image_id == keep]
        if entries:
            self.cards.select_card(rows[0] if rows else 0)
        for file_id in self.cards.cards.files_without_picture():
            run(
                _read_thumbnail,
                self._context.session,
                file_id,
                owner=self,
                done=partial(self._show_thumbnail, file_id),
                failed=lambda _: None,
                priority=-1,
            )

    def form(self, entry: ReferenceImage | None) -> QDialog | None:
        return None if entry is None else ReferenceForm(self._context, entry, self)

    def entries(self) -> Entries[ReferenceImage, ReferenceImageWrite]:
        return self._context.session.catalogue.reference_images

    def _show_thumbnail(self, file_id: str, image: QImage) -> None:
        self.cards.cards.set_picture(file_id, QPixmap.fromImage(image))

    # -- uploads

    def open_new_form(self) -> None:
        """Ask for pictures and upload them."""
        if not self.may_edit:
            return
        self.send(open_pictures(self, self.tr("Add reference images"), Purpose.REFERENCES))

    def send(self, paths: list[Path]) -> None:
        """Upload pictures. Each becomes a reference image with the name of its file."""
        if not paths:
            return
        self._opens_form = len(paths) == 1
        self.stack.show_content()
        for path in paths:
            self.uploads.add(path)

    def _on_uploaded(self, entry: ReferenceImage) -> None:
        self.search.clear()
        self._number = 1
        self.reload(entry.reference_image_id)
        if self._opens_form:
            self._opens_form = False
            self._open_form(self.form(entry))
        else:
            self.toast.emit(self.tr("{name} added.").format(name=entry.reference_image_name))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if self.may_edit and _picture_paths(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        self.send(_picture_paths(event.mimeData()))


def _picture_paths(mime: QMimeData) -> list[Path]:
    paths = [Path(url.toLocalFile()) for url in mime.urls() if url.isLocalFile()]
    return [path for path in paths if path.suffix.lower() in PICTURE_SUFFIXES]


def _read_thumbnail(session: Session, file_id: str) -> QImage:
    return decode_thumbnail(session.files.thumbnail(file_id, _THUMB_PX))
