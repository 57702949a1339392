"""Fills an empty record from a template or the last inspection, and saves its regions as a template."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from desktop.background.workers import run
from desktop.client.http.answers import Versioned
from desktop.client.http.errors import Stale
from desktop.localization.language import join_sentences
from desktop.messages.error_messages import sentence
from desktop.pages.common.item_sources import copy_last_items
from desktop.record.document import ItemView
from desktop.record.open_record import OpenRecord
from desktop.widgets import confirm
from shared.wire.catalogue import ReferenceImage, TemplateRegion
from shared.wire.inspection import Item


class ItemFillController(QObject):
    """Asks the service to fill the open record."""

    filled = Signal()
    """The record has items now."""
    notice = Signal(str)
    """Why it could not be filled."""

    def __init__(self, open_record: OpenRecord, parent: QObject) -> None:
        super().__init__(parent)
        self._open_record = open_record

    def from_template(self) -> None:
        """Take the regions that are kept with the reference image."""
        self._run(self._open_record.context.session.items.from_template, self._open_record.record_id)

    def from_last(self) -> None:
        """Take the items of the newest other record of the same reference image."""
        if self._open_record.document is not None:
            self._run(copy_last_items, self._open_record.context.session, self._open_record.document.record)

    def _run(self, function: Callable[..., Sequence[Item] | None], *args: object) -> None:
        if not self._open_record.may_edit():
            return
        run(
            function,
            *args,
            owner=self,
            done=self._on_filled,
            failed=lambda error: self.notice.emit(sentence(error)),
        )

    def _on_filled(self, items: Sequence[Item] | None) -> None:
        if items is None:
            self.notice.emit(self.tr("No earlier record with this reference image."))
        else:
            self.filled.emit()


_MAX_REGIONS = 2000
"""Maximum number of regions of a template."""


class TemplateController(QObject):
    """Saves regions as a template.

    It asks before it replaces a template, and shows both numbers of regions.
    """

    notice = Signal(str)
    """A message for the user."""

    def __init__(self, open_record: OpenRecord, window: QWidget) -> None:
        super().__init__(window)
        self._open_record, self._window = open_record, window

    def save(self) -> None:
        """Save the shown regions as the template, once all edits are sent."""
        reference = self._open_record.reference
        if reference is None:
            self.notice.emit(self.tr("Select a reference image for the template first."))
            return
        if not self._regions():
            self.notice.emit(self.tr("The record has no regions. Draw one first."))
            return
        if len(self._regions()) > _MAX_REGIONS:
            self.notice.emit(
                self.tr(
                    "Cannot save the template: it can hold at most {n} regions. Delete some regions first."
                ).format(n=_MAX_REGIONS)
            )
            return
        run(
            self._open_record.context.session.catalogue.reference_images.get_versioned,
            reference.reference_image_id,
            owner=self,
            done=partial(self._ask_to_replace, self._open_record.record_id),
            failed=lambda error: self.notice.emit(sentence(error)),
        )

    def _ask_to_replace(self, record_id: str, newest: Versioned[ReferenceImage]) -> None:
        """Ask whether to replace the template of `newest`, the present reference image of this record."""
        now, reference = newest.value, self._open_record.reference
        regions = self._regions()
        is_present = reference is not None and reference.reference_image_id == now.reference_image_id
        if self._open_record.record_id != record_id or not is_present or not regions:
            return
        if now.template:
            has = self.tr("{name} already has a template with %n region(s).", "", len(now.template))
            will = self.tr("It will be replaced with the %n region(s) of this record.", "", len(regions))
            stay = self.tr("Existing records do not change.")
            text = join_sentences((has.format(name=now.reference_image_name), will, stay))
            if not confirm(self._window, self.tr("Replace template?"), text, self.tr("Replace")):
                return
        run(
            self._open_record.context.session.catalogue.reference_images.set_template,
            now.reference_image_id,
            regions,
            newest.etag,
            owner=self,
            done=self._on_saved,
            failed=self._on_save_failed,
        )

    def _on_save_failed(self, error: Exception) -> None:
        self.notice.emit(sentence(error))
        if isinstance(error, Stale):
            # The template is not the one that the user agreed to replace.
            self.save()

    def _on_saved(self, reference: ReferenceImage) -> None:
        current = self._open_record.reference
        if current is not None and current.reference_image_id == reference.reference_image_id:
            self._open_record.reference = reference
            self._open_record.rows_changed.emit()
        text = self.tr("%n region(s) saved as template of {name}.", "", len(reference.template))
        self.notice.emit(text.format(name=reference.reference_image_name))

    def _regions(self) -> list[TemplateRegion]:
        document = self._open_record.document
        items = document.items if document is not None else []
        return [region_of(item) for item in items if (item.item_point or {}).get("point")]


def region_of(item: ItemView) -> TemplateRegion:
    """An item as a region of a template: name, description, model, place, and how to detect on it."""
    point = item.item_point or {}
    return TemplateRegion.model_validate(
        {
            "item_name": item.item_name,
            "description": item.description,
            "model_id": item.model_id,
            "point": point["point"],
            "detection": _without_photo(point.get("detection")),
        }
    )


def _without_photo(detection: Any) -> Any:
    """An item's detection settings without the alignment of a photo."""
    if not isinstance(detection, Mapping):
        return detection
    return {name: value for name, value in detection.items() if name != "alignment"}
