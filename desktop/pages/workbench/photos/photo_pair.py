"""Loads the photos of the selected item and pairs them with the reference image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from desktop.background.workers import Task, run
from desktop.canvas.layers.finding_layer import FindingBox
from desktop.canvas.views.alignment import AlignedPair
from desktop.client import Session
from desktop.client.http.errors import NotFound
from desktop.imaging import ImageError
from desktop.localization.language import join_sentences
from desktop.messages.error_messages import sentence
from desktop.pages.workbench.photos.photo_box import PhotoBox, no_photo_text, version_lines
from desktop.pages.workbench.photos.photo_files import PhotoRef, make_pair, thumbnail
from desktop.record.changes import Change
from desktop.record.detection_settings import item_detection_settings
from desktop.record.document import ItemView
from desktop.record.item_rows import alignment
from desktop.record.open_record import OpenRecord
from desktop.record.photo_list import PhotoList
from desktop.record.photo_terms import removal_note
from desktop.widgets import confirm, keep_place
from shared.record import results
from shared.record.entries import Entry
from shared.record.geometry import Rect
from shared.wire.inspection import Photo

_GATHER_MS = 50


@dataclass(frozen=True, slots=True)
class _PairRequest:
    """The input of the displayed pair. `mapping` maps px of the reference image to px of the photo."""

    item_id: str
    ref: PhotoRef
    region: Rect | None
    mapping: list[list[float]] | None


class PhotoPairController(QObject):
    """Keeps the photo box in step with the chosen item."""

    pair_changed = Signal(object)
    """The new `AlignedPair` of the chosen item, or None."""
    photos_read = Signal()
    """The photos of the chosen item were read, or one was added."""
    removed = Signal()
    """A photo was removed from an item."""
    photo_changed = Signal()
    """`ref`, `mapping` or `of_item` changed: another photo is shown, or it is
    aligned in another way.
    """

    def __init__(
        self, open_record: OpenRecord, box: PhotoBox, photo_list: PhotoList, window: QWidget
    ) -> None:
        super().__init__(window)
        self._open_record, self._box, self._window = open_record, box, window
        self._photo_list = photo_list
        self._reading: Task | None = None
        self._pairing: Task | None = None
        self._photos_by_item: dict[str, Sequence[Photo]] = {}
        self._shown: _PairRequest | None = None
        self._pair_soon = QTimer(self, singleShot=True, interval=_GATHER_MS)
        self._pair_soon.timeout.connect(self._pair)
        self.ref: PhotoRef | None = None
        """The displayed photo of the chosen item; None if there is none."""
        self.mapping: list[list[float]] | None = None
        """The mapping from px of the reference image to px of the photo; None if it is not aligned."""
        self.of_item = False
        """Whether the displayed findings belong to the photo."""
        self._last_state: object = None
        self._by_hand: dict[tuple[str, str], list[list[float]]] = {}
        self._looked_at = ("", "")
        self._boxes: Sequence[FindingBox] = ()
        self.pair: AlignedPair | None = None
        open_record.current_edited.connect(self._on_edited)
        box.version_chosen.connect(self.show_version)
        box.strip.chosen.connect(self.compare_photo)
        box.strip.remove_wanted.connect(self.remove)

    # -- showing

    def show(self) -> None:
        """Show the pair of the chosen item. The photos of a newly chosen item are read."""
        item = self._open_record.item
        self._box.set_editable(self._open_record.editable and item is not None)
        if item is None:
            self.ref = None
            self._box.show_camera(None, None)
            self._set_photo("", None, is_of_item=False)
            return
        self._show_versions()
        if item.item_id not in self._photos_by_item:
            self._read(item.item_id)
        self._show_pair()

    def _on_edited(self, change: Change) -> None:
        if change & Change.VERDICTS:
            self._show_versions()
        if change & (Change.REGIONS | Change.FIELDS) and self._open_record.item is not None:
            self.show()

    def _show_versions(self) -> None:
        """List the versions of the chosen item's result, with its verdicts."""
        item, entry = self._open_record.item, self._open_record.stored_entry
        if item is not None:
            version = results.entry_version(entry) if entry is not None else 0
            self._box.show_versions(version_lines(item), version)

    def clear(self) -> None:
        """Forget everything about the record."""
        self._stop_pairing()
        self._photos_by_item.clear()
        self._box.strip.clear()
        self._shown = self.ref = None
        self._announce_pair(None)
        self._set_photo("", None, is_of_item=False)

    def reread(self, item_id: str) -> None:
        """Reload the photos of an item that another user changed."""
        if item_id == self._open_record.current:
            # The photos stay on view until then, so that nothing being done on them is interrupted.
            self._read(item_id)
        else:
            self._photos_by_item.pop(item_id, None)
            self._open_record.photos.pop(item_id, None)

    def add_photo(self, item_id: str, photo: Photo) -> None:
        """Add a photo to an item, and show it."""
        self._looked_at = ("", "")
        # An event may have added it before the response arrived.
        others = [each for each in self._photos_by_item.get(item_id, ()) if each.photo_id != photo.photo_id]
        self._on_photos_read(item_id, [*others, photo])

    def _read(self, item_id: str) -> None:
        if self._reading is not None:
            self._reading.cancel()
        service_id = self._open_record.edits.service_id(item_id)
        self._reading = run(
            self._session.items.photos,
            service_id,
            owner=self,
            done=partial(self._on_photos_read, item_id),
            failed=partial(self._on_read_failed, item_id),
        )

    def _on_read_failed(self, item_id: str, error: Exception) -> None:
        if isinstance(error, NotFound) and item_id not in self._photos_by_item:
            # The service does not have the item yet, and announces the photos that it will get.
            self._on_photos_read(item_id, ())
        else:
            self._show_pair()

    def _on_photos_read(self, item_id: str, photos: Sequence[Photo]) -> None:
        oldest_first = sorted(photos, key=lambda photo: photo.created_at)
        self._photos_by_item[item_id] = oldest_first
        self._open_record.photos[item_id] = [photo.file_id for photo in oldest_first]
        if item_id == self._open_record.current:
            self._show_pair()
            self.photos_read.emit()

    def _show_pair(self) -> None:
        item = self._open_record.item
        if item is None:
            return
        entry = self._open_record.entry
        photos = self._photos_by_item.get(item.item_id, ())
        ref = self._photo_of(item.item_id, entry, photos)
        # Without a place for it, the inspector would change three times for each item.
        is_coming = item.item_id not in self._photos_by_item
        keep_place(self._box.strip, is_coming)
        self._show_strip(photos, ref)
        on_view = next((photo for photo in photos if ref and photo.file.ipfs_cid == ref.content_id), None)
        if on_view is None:
            self._box.show_camera(None, None, is_coming=is_coming)
        else:
            self._box.show_camera(on_view.camera, on_view.taken_mark, on_view.used_in)
        source = self._open_record.source
        region = item.region(*source.size) if source is not None else None
        self.ref = ref
        is_of_item = ref is not None and self._is_of(entry, ref)
        by_hand = (self._by_hand.get(self._key) if self._key else None) or self._stored_by_hand(item)
        self._box.show_alignment(alignment(entry) if is_of_item else None, by_hand is not None)
        by_service = (
            results.entry_homography(entry) if is_of_item else self._photo_list.mapping_of(self.file_id)
        )
        mapping = None if ref is None else by_hand or by_service
        self._set_photo(item.item_id, mapping, is_of_item)
        if ref is None:
            self._stop_pairing()
            self._shown = None
            self._announce_pair(None)
            self._box.show_pair(None, no_photo_text(self._open_record.editable))
            return
        wanted = _PairRequest(item.item_id, ref, region, mapping)
        if wanted == self._shown:
            return
        if self._shown is None or self._shown.item_id != item.item_id:
            # The pictures of another item must not stand beside the findings of this one.
            self._announce_pair(None)
            self._box.show_pair(None, is_coming=True)
        self._shown = wanted
        self._stop_pairing()
        # Holding the key for the next item passes many items that are not looked at.
        self._pair_soon.start()

    def _set_photo(self, item_id: str, mapping: list[list[float]] | None, is_of_item: bool) -> None:
        """Set the shown photo and its mapping, and emit `photo_changed` when they changed."""
        self.mapping, self.of_item = mapping, is_of_item
        state = (item_id, self.ref, mapping, is_of_item, self.name)
        if state != self._last_state:
            self._last_state = state
            self._show_boxes()
            self.photo_changed.emit()

    def _stop_pairing(self) -> None:
        """Cancel the pairing: it is of another photo and must not be shown beside this item."""
        self._pair_soon.stop()
        if self._pairing is not None:
            self._pairing.cancel()
            self._pairing = None

    def _pair(self) -> None:
        wanted = self._shown
        if wanted is None:
            return
        self._pairing = run(
            make_pair,
            self._session,
            self._open_record.source,
            wanted.region,
            wanted.ref,
            wanted.mapping,
            owner=self,
            progress=self._on_pair_progress,
            done=self._on_paired,
            failed=self._on_pair_failed,
        )

    def _on_pair_progress(self, got: AlignedPair | float) -> None:
        """Show the pair of the preview until the full photo is loaded, or the progress of loading."""
        if isinstance(got, AlignedPair):
            self._on_paired(got)
        elif self.pair is None:
            text = self.tr("Downloading photo… {n}%").format(n=round(got * 100))
            self._box.show_pair(None, text, is_coming=True)

    def _on_paired(self, pair: AlignedPair) -> None:
        self._announce_pair(pair)
        self._box.show_pair(pair)
        self._show_boxes()

    def _on_pair_failed(self, error: Exception) -> None:
        self._shown = None
        self._announce_pair(None)
        text = str(error) if isinstance(error, ImageError) else sentence(error)
        self._box.show_pair(None, text)

    def _announce_pair(self, pair: AlignedPair | None) -> None:
        if pair is not None or self.pair is not None:
            self.pair = pair
            self.pair_changed.emit(pair)

    @property
    def finding_pair(self) -> AlignedPair | None:
        """The pair if it shows the photo of the displayed findings, else None."""
        return self.pair if self.of_item else None

    @property
    def _key(self) -> tuple[str, str] | None:
        ref = self.ref
        return (
            None
            if ref is None
            else (self._open_record.current, ref.content_id or ref.file_id or ref.url or "")
        )

    @property
    def file_id(self) -> str:
        """The id of the displayed photo's file; empty while it is unknown."""
        ref = self.ref
        if ref is None or ref.file_id:
            return "" if ref is None else ref.file_id
        photos = self._photos_by_item.get(self._open_record.current, ())
        return next((photo.file_id for photo in photos if photo.file.ipfs_cid == ref.content_id), "")

    @property
    def name(self) -> str:
        """The file name of the displayed photo; empty while it is unknown."""
        content_id = None if self.ref is None else self.ref.content_id
        photos = self._photos_by_item.get(self._open_record.current, ())
        names = (photo.file.filename for photo in photos if photo.file.ipfs_cid == content_id)
        return next(names, None) or ""

    def _stored_by_hand(self, item: ItemView) -> list[list[float]] | None:
        """The alignment that a user set for the displayed photo, here or at another desktop."""
        stored = item_detection_settings(item.item_point).alignment
        return (
            stored["homography"] if stored is not None and stored["photo_file_id"] == self.file_id else None
        )

    def align_by_hand(self, matrix: list[list[float]] | None) -> None:
        """Compare the photo by this mapping from reference px to photo px; None restores that of detection.

        It is kept for this item and photo while the program runs.
        """
        if self._key is None:
            return
        if matrix is None:
            self._by_hand.pop(self._key, None)
        else:
            self._by_hand[self._key] = matrix
        self._show_pair()

    def show_boxes(self, boxes: Sequence[FindingBox]) -> None:
        """Show these findings, px of their photo, while that photo is displayed."""
        self._boxes = boxes
        self._show_boxes()

    def _show_boxes(self) -> None:
        self._box.pane.set_findings(self._boxes if self.of_item else ())

    def _show_strip(self, photos: Sequence[Photo], ref: PhotoRef | None) -> None:
        current = next(
            (photo.photo_id for photo in photos if ref and photo.file.ipfs_cid == ref.content_id), ""
        )
        for photo in self._box.strip.show_photos(photos, current, self._open_record.editable):
            run(
                thumbnail,
                self._session,
                photo.file_id,
                owner=self,
                done=partial(self._box.strip.set_image, photo),
                failed=lambda _: None,
                priority=-1,
            )

    def show_version(self, version: int) -> None:
        """Show this version of the result with the photo that it looked at."""
        self._looked_at = ("", "")
        self._open_record.show_version(version)

    def compare_photo(self, photo_id: str) -> None:
        """Compare this photo of the chosen item with the reference."""
        self._looked_at = (self._open_record.current, photo_id)
        self._show_pair()

    def remove(self, photo_id: str) -> None:
        """Remove a photo from the chosen item, after asking."""
        item_id = self._open_record.current
        # Another user may have finished the record while the question was open.
        if self._open_record.may_edit() and self._confirm_removal(photo_id) and self._open_record.may_edit():
            run(
                self._session.items.delete_photo,
                self._open_record.edits.service_id(item_id),
                photo_id,
                owner=self,
                done=lambda _: self._on_removed(item_id),
                failed=lambda error: self._box.error.setText(sentence(error)),
            )

    def _on_removed(self, item_id: str) -> None:
        self.reread(item_id)
        self.removed.emit()

    def _confirm_removal(self, photo_id: str) -> bool:
        photos = self._photos_by_item.get(self._open_record.current, ())
        file_id = next((photo.file_id for photo in photos if photo.photo_id == photo_id), "")
        text = self.tr("The photo is removed from this item. Its detection results are kept.")
        return confirm(
            self._window,
            self.tr("Remove photo?"),
            join_sentences((text, self._removal_note(file_id))),
            self.tr("Remove"),
        )

    def _removal_note(self, file_id: str) -> str:
        photo, item = self._photo_list.of_file(file_id), self._open_record.item
        if photo is None or item is None:
            return ""
        return removal_note(photo, self._open_record.edits.service_id(item.item_id), item.item_name)

    def _photo_of(self, item_id: str, entry: Entry | None, photos: Sequence[Photo]) -> PhotoRef | None:
        """The photo of the shown version, unless there is a newer one or the user chose one."""
        chosen = next((photo for photo in photos if (item_id, photo.photo_id) == self._looked_at), None)
        if chosen is not None:
            return PhotoRef(chosen.file_id, chosen.file.ipfs_cid)
        info = (entry or {}).get("inputImage") or {}
        url = info.get("download_url")
        if photos and (entry is None or self._open_record.shows_newest):
            newest = photos[-1]
            return PhotoRef(newest.file_id, newest.file.ipfs_cid)
        if url:
            return PhotoRef("", info.get("ipfs_cid"), str(url))
        return None

    @staticmethod
    def _is_of(entry: Entry | None, ref: PhotoRef) -> bool:
        info = (entry or {}).get("inputImage") or {}
        return bool(info) and info.get("ipfs_cid") == ref.content_id

    @property
    def _session(self) -> Session:
        return self._open_record.context.session
