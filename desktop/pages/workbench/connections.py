"""Connects the signals of the workbench's parts to each other."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import SignalInstance

from desktop.background.memory_trimming import MemoryTrimming
from desktop.canvas.views.canvas_view import CanvasView
from desktop.pages.sealing.seal_actions import SealController
from desktop.pages.workbench.bars.notices import SkippedItemsBanner
from desktop.pages.workbench.bars.tool_strip import ToolStrip
from desktop.pages.workbench.bars.top_bar import RecordTopBar
from desktop.pages.workbench.comparing.aligning import AlignmentController
from desktop.pages.workbench.comparing.compare_mode import CompareController
from desktop.pages.workbench.deleting import DeletionController
from desktop.pages.workbench.folder_watch import FolderWatchController
from desktop.pages.workbench.inspector import Inspector
from desktop.pages.workbench.items.detection_settings_edits import DetectionSettingsController
from desktop.pages.workbench.items.items_panel import ItemsPanel
from desktop.pages.workbench.memory import MemoryController
from desktop.pages.workbench.phone import PhoneController
from desktop.pages.workbench.photo_view import PhotoCanvas, PhotoView
from desktop.pages.workbench.photos.adding import PhotoUploadController
from desktop.pages.workbench.photos.photo_pair import PhotoPairController
from desktop.pages.workbench.record_photos import RecordPhotosController
from desktop.pages.workbench.reference.item_filling import ItemFillController
from desktop.pages.workbench.results.comments import CommentsController
from desktop.pages.workbench.results.correcting import CorrectionController
from desktop.pages.workbench.results.detecting import DetectionController
from desktop.pages.workbench.results.finishing import FinishController
from desktop.pages.workbench.trend import TrendController
from desktop.pages.workbench.undo import UndoController
from desktop.record.item_changes import ItemChanges
from desktop.record.live_changes import LiveChanges
from desktop.record.open_record import OpenRecord


class Parts(Protocol):
    """The parts of the page, and its message to the user."""

    alignment_controller: AlignmentController
    comments: CommentsController
    comparing: CompareController
    correcting: CorrectionController
    deleting: DeletionController
    detecting: DetectionController
    detection_settings: DetectionSettingsController
    finishing: FinishController
    folder_watch: FolderWatchController
    inspector: Inspector
    item_changes: ItemChanges
    item_fill: ItemFillController
    items: ItemsPanel
    live: LiveChanges
    memory: MemoryController
    memory_trimming: MemoryTrimming
    open_record: OpenRecord
    phone: PhoneController
    photo: PhotoCanvas
    photo_upload: PhotoUploadController
    photo_view: PhotoView
    photos: PhotoPairController
    record_photos: RecordPhotosController
    rest: SkippedItemsBanner
    seal_controller: SealController
    strip: ToolStrip
    toast: SignalInstance
    top: RecordTopBar
    trend: TrendController
    undo_controller: UndoController
    view: CanvasView


def connect_parts(page: Parts) -> None:
    """Connect the parts of the page to each other, and their notices to its toast."""
    _connect_notices(page)
    _connect_pictures(page)
    _connect_items(page)
    _connect_detection(page)
    page.inspector.history.trend_wanted.connect(page.trend.show)
    page.inspector.explained.memory_wanted.connect(page.memory.show)
    page.seal_controller.changed.connect(page.open_record.update_seal)
    page.live.memory_changed.connect(page.memory.follow)
    page.live.record_changed.connect(page.record_photos.photo_list.read)
    page.live.record_changed.connect(page.comments.read)
    page.comments.follow_photo(page.photos.photo_changed, page.photo.opened)
    page.comments.notice.connect(page.toast)
    page.inspector.comments.place_wanted.connect(lambda _: page.photo_view.show(True))


def _connect_notices(page: Parts) -> None:
    noticing = (
        page.comparing,
        page.undo_controller,
        page.alignment_controller,
        page.correcting,
        page.detecting,
        page.finishing,
        page.item_fill,
        page.detection_settings,
        page.deleting,
        page.photo_view,
        page.photo_upload,
        page.phone,
        page.record_photos,
        page.folder_watch,
        page.seal_controller,
    )
    edits = page.open_record.edits
    notices = (part.notice for part in noticing)
    for notice in (edits.failed, edits.unsent_notice, page.open_record.refused, *notices):
        notice.connect(page.toast)


def _connect_pictures(page: Parts) -> None:
    view, trimming = page.view, page.memory_trimming
    for canvas in (view, page.photo):
        canvas.prepared.connect(trimming.schedule)
        canvas.tool_changed.connect(page.strip.show_tool)
    page.photos.pair_changed.connect(trimming.schedule)
    view.regions_edited.connect(page.item_changes.change_regions)
    view.regions_edited.connect(lambda _: page.items.list.viewport().update())
    view.region_activated.connect(view.show_region)
    view.edit_refused.connect(page.open_record.may_edit)
    page.comparing.changed.connect(lambda: page.items.name_drawing(page.photo_view.is_on))


def _connect_items(page: Parts) -> None:
    items, fields, changes = page.items, page.inspector.fields, page.item_changes
    items.model.region_of = page.view.store.get
    items.activated.connect(page.photo_view.show_item)
    items.template_wanted.connect(page.item_fill.from_template)
    items.list.moved.connect(changes.move)
    items.last_wanted.connect(page.item_fill.from_last)
    fields.detection_settings.area_wanted.connect(lambda: page.photo_view.show(False))
    fields.renamed.connect(changes.rename)
    fields.described.connect(changes.describe)
    fields.model_picked.connect(changes.set_model)
    page.inspector.verdict.decided.connect(changes.decide_item)
    page.inspector.verdict.draft_changed.connect(page.open_record.keep_verdict_draft)
    page.inspector.verdict.reason_wanted.connect(page.inspector.show)


def _connect_detection(page: Parts) -> None:
    run, detecting = page.inspector.run, page.detecting
    run.wanted.connect(detecting.detect)
    run.cancelled.connect(detecting.cancel_item)
    run.align_wanted.connect(page.alignment_controller.start)
    detecting.running_changed.connect(page.items.model.show_running)
    detecting.progress_changed.connect(page.top.show_detecting)
    detecting.rest_changed.connect(page.rest.show_count)
    page.rest.action_chosen.connect(detecting.detect_again)
    page.top.detect_cancelled.connect(detecting.cancel)
