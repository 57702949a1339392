"""The part of the workbench with the photos: of the chosen item, of the record, and the reference image."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop.pages.workbench.part import Needs, WorkbenchPart
from desktop.pages.workbench.phone import PhoneController
from desktop.pages.workbench.photos.adding import PhotoUploadController
from desktop.pages.workbench.photos.drag_and_drop import DropController
from desktop.pages.workbench.photos.folder_watch import FolderWatchController
from desktop.pages.workbench.photos.photo_box import PhotoBox
from desktop.pages.workbench.photos.photo_pair import PhotoPairController
from desktop.pages.workbench.photos.record_photos import RecordPhotosController
from desktop.pages.workbench.photos.reference_choice import OtherFileBanner, ReferenceChoice
from desktop.record.open_record import OpenRecord
from desktop.record.photo_list import PhotoList


class PhotosPart(WorkbenchPart):
    """Adds photos, assigns them to items, and pairs the shown one with the reference image."""

    regions_dropped = Signal(object)
    """The path of a file with regions that was dropped onto the page."""

    def __init__(self, open_record: OpenRecord, box: PhotoBox, page: QWidget) -> None:
        super().__init__(open_record, page)
        self.box = box
        self._photo_list = PhotoList(open_record, self)
        self.other_file_banner = OtherFileBanner(open_record)
        self.reference = ReferenceChoice(open_record)
        self.pairing = PhotoPairController(open_record, box, self._photo_list, page)
        """The photo of the chosen item that is shown, and its pair with the reference image."""
        self.uploading = PhotoUploadController(open_record, box, page)
        self.uploading.added.connect(self.pairing.add_photo)
        self.phone = PhoneController(open_record, page)
        self.record_photos = RecordPhotosController(
            open_record, self._photo_list, self.pairing, box.shared, page
        )
        self.folder_watch = FolderWatchController(open_record, self.record_photos, page)
        dropping = DropController(open_record, self.uploading, self.record_photos, self.reference, box, page)
        dropping.regions_wanted.connect(self.regions_dropped)
        self._show_notices_of(self.uploading, self.phone, self.record_photos, self.folder_watch, dropping)
        self._bind_commands()

    def _bind_commands(self) -> None:
        photos, strip = self.record_photos, self.box.strip
        self._bind(
            ("item.photo", self.uploading.choose_files, Needs.EDIT),
            ("item.camera", self.uploading.capture, Needs.EDIT),
            ("item.phone", self.phone.for_item, Needs.EDIT),
            ("record.photos", photos.choose_files, Needs.EDIT),
            ("record.camera", photos.capture, Needs.EDIT),
            ("record.film", photos.films.choose, Needs.EDIT),
            ("record.films", photos.films.list_kept, Needs.RECORD),
            ("record.phone", self.phone.for_record, Needs.EDIT),
            ("record.watch", self.folder_watch.choose, Needs.EDIT),
            ("record.review", photos.show_review, Needs.RECORD),
            ("record.accept", photos.accept_all, Needs.EDIT),
        )
        photos.tray.accept.setToolTip(self._commands.tooltip("record.accept"))
        self._commands.bind_within("edit.delete", strip.remove_focused, strip)

    def close(self) -> None:
        """Release what belongs to the record, which was left. Uploads continue."""
        self.reference.leave_record()
        self.record_photos.close()
        self.phone.close()

    def set_editable(self, on: bool) -> None:
        """Enable or disable adding photos to the chosen item."""
        self.box.set_editable(on and self._open_record.item is not None)

    def count_unassigned(self) -> int:
        """The number of photos of the record without an item."""
        return len(self._photo_list.tray)

    def assign(self, photo_ids: Sequence[str], item_id: str) -> None:
        """Assign photos of the record to an item, too."""
        self.record_photos.assign_to(photo_ids, [item_id])

    def paste(self) -> bool:
        """Add what is on the clipboard to the record. Returns False when it is no picture."""
        return self.record_photos.paste()

    def reread(self) -> None:
        """Read the photos of the record again."""
        self._photo_list.read()
