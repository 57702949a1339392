"""Composes the workbench page from its parts, opens records in it and shows what changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout

from desktop.background.memory_trimming import MemoryTrimming
from desktop.background.repaint import repaint_later
from desktop.background.workers import Task, run
from desktop.canvas.layers.colours import theme_colours
from desktop.client.http.errors import Forbidden, NotFound
from desktop.context import Context
from desktop.messages.error_messages import sentence
from desktop.pages.common.handover import HandoverBanner
from desktop.pages.sealing.seal_actions import SealController
from desktop.pages.sealing.seal_bar import SealBar
from desktop.pages.workbench.bars.menus import ContextMenus
from desktop.pages.workbench.bars.notices import Notices, SkippedItemsBanner
from desktop.pages.workbench.bars.tool_strip import ToolStrip
from desktop.pages.workbench.command_handlers import bind
from desktop.pages.workbench.comparing.aligning import AlignmentController
from desktop.pages.workbench.comparing.compare_mode import CompareController
from desktop.pages.workbench.conflict_dialog import ConflictDialog
from desktop.pages.workbench.connections import connect_parts
from desktop.pages.workbench.deleting import DeletionController, DeletionSource
from desktop.pages.workbench.folder_watch import FolderWatchController
from desktop.pages.workbench.items.crops import OtherFileCrops, PhotoCrops
from desktop.pages.workbench.items.detection_settings_edits import DetectionSettingsController
from desktop.pages.workbench.items.items_panel import SelectionController
from desktop.pages.workbench.layout import WorkbenchLayout
from desktop.pages.workbench.memory import MemoryController
from desktop.pages.workbench.phone import PhoneController
from desktop.pages.workbench.photo_view import PhotoView, ViewChoice
from desktop.pages.workbench.photos.adding import PhotoUploadController
from desktop.pages.workbench.photos.photo_pair import PhotoPairController
from desktop.pages.workbench.record_photos import RecordPhotosController
from desktop.pages.workbench.reference.item_filling import ItemFillController
from desktop.pages.workbench.reference.other_file_banner import OtherFileBanner
from desktop.pages.workbench.reference.reference_choice import ReferenceChoice
from desktop.pages.workbench.reference.reference_picture import ReferencePicture
from desktop.pages.workbench.results.comments import CommentsController, PhotoPlace
from desktop.pages.workbench.results.confidence_threshold import ThresholdController
from desktop.pages.workbench.results.correcting import CorrectionController
from desktop.pages.workbench.results.detecting import DetectionController
from desktop.pages.workbench.results.finishing import FinishController, show_folder
from desktop.pages.workbench.results.history import HistoryController
from desktop.pages.workbench.shown_findings import ShownFindings
from desktop.pages.workbench.status_line import StatusLine
from desktop.pages.workbench.trend import TrendController
from desktop.pages.workbench.undo import UndoController
from desktop.pages.workbench.widgets import WorkbenchWidgets
from desktop.record.changes import Change
from desktop.record.item_changes import ItemChanges
from desktop.record.item_rows import run_state
from desktop.record.live_changes import LiveChanges
from desktop.record.loading import LoadedRecord, load
from desktop.record.open_record import OpenRecord
from desktop.theme import theme_manager
from desktop.widgets import Page, StateStack, status_text
from shared.record.codes import Permission, Verdict
from shared.record.content import file_id_from_url

_LARGE = 1000
"""Above this number of items, list and canvas are painted in turns of their own after each change."""


class WorkbenchPage(Page):
    """One record: its items, its picture, the chosen item."""

    page_id: ClassVar[str] = "workbench"
    section: ClassVar[str] = "records"
    permission: ClassVar[Permission | None] = Permission.INSPECTION_READ
    has_status_bar: ClassVar[bool] = True

    def __init__(self, context: Context, widgets: WorkbenchWidgets | None = None) -> None:
        """`widgets`: those that were created in an earlier turn of the event loop."""
        super().__init__()
        self.context = context
        self._record_id = ""
        self._wanted_item = ""
        self._compare_wanted = False
        self._load_task: Task | None = None
        widgets = widgets or WorkbenchWidgets(context.commands)
        self.top, self.items, self.inspector = widgets.top, widgets.items, widgets.inspector
        self.view, self.photo, self.compare = widgets.view, widgets.photo, widgets.compare
        self.open_record = OpenRecord(context, self.view.store, self)
        self.item_changes = ItemChanges(self.open_record)
        self.selecting = SelectionController(
            self.open_record, self.items, self.view, self.inspector.commit, self
        )
        self.notices = Notices(self.open_record.edits)
        self.rest = SkippedItemsBanner()
        self.handover_note = HandoverBanner(context)
        self.other_file_banner = OtherFileBanner(self.open_record)
        self.reference = ReferenceChoice(self.open_record)
        self.centre = QStackedWidget()
        self.strip = ToolStrip(self.centre, context.commands)
        self.photos = PhotoPairController(self.open_record, self.inspector.photo, self)
        self.photo_upload = PhotoUploadController(self.open_record, self.inspector.photo, self)
        self.photo_upload.added.connect(self.photos.take_new)
        self.phone = PhoneController(self.open_record, self)
        self.live = LiveChanges(self.open_record, self.reload, self.photos.reread, self)
        self.detecting = DetectionController(self.open_record, self.live, self)
        findings_box, views = self.inspector.findings, (self.inspector.photo.pane, self.compare)
        self.threshold = ThresholdController(self.open_record, findings_box, context.preferences, self)
        self.correcting = CorrectionController(
            self.open_record, findings_box, self.inspector.correction, views, self
        )
        of_findings = (findings_box.list, *views, self.photo)
        self.deleting = DeletionController(
            self.open_record, self.items, self.view, of_findings, self.correcting, context.commands, self
        )
        self.detection_settings = DetectionSettingsController(
            self.open_record, self.inspector.fields.detection_settings, self.view, self
        )
        self.alignment_controller = AlignmentController(
            self.photos, self.detection_settings, self.inspector.photo, self.compare, self
        )
        canvases = (self.view, self.photo)
        seen_on = (*canvases, self.compare)
        self.comparing = CompareController(
            self.open_record, self.photos, self.correcting, self.strip, self.centre, seen_on, self
        )
        self.comparing.follow(self.inspector.photo, self.alignment_controller)
        self.comparing.show_minimap(context.preferences.values.minimap)
        self.comparing.keep_tool(context.preferences.values.draws_on)
        self.items.set_compact(context.preferences.values.compact_items)
        boxes = (findings_box, self.inspector.correction)
        self.photo_view = PhotoView(
            self.open_record, self.photos, self.comparing, self.correcting, boxes, canvases, self.strip, self
        )
        pictures = (self.photos, self.comparing, self.photo_view, self.alignment_controller)
        self.view_choice = ViewChoice(self.open_record, *pictures, self)
        parts = (self.inspector, self.photos, self.comparing, self.correcting, self.photo_view, self)
        self.shown_findings = ShownFindings(self.open_record, *parts)
        self.undo_controller = UndoController(
            self.open_record, self.inspector, self.alignment_controller, self.correcting, self
        )
        self.seal_bar = SealBar()
        self.seal_controller = SealController(context, self.seal_bar, self)
        places = (self.centre, self.reference, self.strip)
        self.picture = ReferencePicture(self.open_record, self.view, self.items.model, places, self)
        crops_in = (self.open_record, self.items.model, self.devicePixelRatioF(), self)
        self.crops = (PhotoCrops(*crops_in), OtherFileCrops(*crops_in))
        self.history = HistoryController(self.open_record, self.inspector.history, self)
        self.comments = CommentsController(
            self.open_record, self.inspector.comments, self._show_comment_marks, self
        )
        self.trend = TrendController(self.open_record, self)
        self.memory = MemoryController(self.open_record, self)
        shared = self.inspector.photo.shared
        self.record_photos = RecordPhotosController(
            self.open_record, self.photos, self.alignment_controller, self.detecting, shared, self
        )
        photo_list = self.record_photos.photo_list
        self.finishing = FinishController(self.open_record, lambda: len(photo_list.tray), self)
        self.folder_watch = FolderWatchController(self.open_record, self.record_photos, self)
        self.status_line = StatusLine(self.open_record, self.photos, self.comparing, self)
        ContextMenus(
            context.commands, self.view, self.items.list, lambda: self.open_record.item is not None, self
        )
        self.item_fill = ItemFillController(self.open_record, self)
        self.splitter = WorkbenchLayout(context.preferences, self.items, self.centre, self.inspector)
        self.stack = StateStack(self.splitter)
        self.memory_trimming = MemoryTrimming(self)
        self._build()
        self._connect()
        bind(self, self)
        self._on_theme_changed()

    @classmethod
    def title(cls) -> str:
        """The page's name."""
        return QCoreApplication.translate("WorkbenchPage", "Workbench")

    def _build(self) -> None:
        for shown in (self.view, self.photo, self.compare, self.reference):
            self.centre.addWidget(shown)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.top)
        column.addWidget(self.seal_bar)
        column.addWidget(self.notices)
        column.addWidget(self.handover_note)
        column.addWidget(self.rest)
        column.addWidget(self.other_file_banner)
        column.addWidget(self.folder_watch.bar)
        column.addWidget(self.record_photos.accepted)
        column.addWidget(self.stack, 1)
        column.addWidget(self.record_photos.tray)

    def _connect(self) -> None:
        open_record = self.open_record
        self.top.crumb_chosen.connect(lambda page_id: self.navigate.emit(page_id, {}))
        self.top.saving_clicked.connect(self.decide_conflicts)
        open_record.changing.connect(self._paint_large_later)
        open_record.rows_changed.connect(self._show_rows)
        open_record.items_changed.connect(self._show_count)
        open_record.regions_changed.connect(self.picture.crop)
        open_record.record_changed.connect(self._show_record)
        open_record.current_changed.connect(self._show_current)
        open_record.current_edited.connect(self._show_edited)
        open_record.sealing.connect(self._commit_typed_text)
        open_record.edits.saving_changed.connect(self._show_saving)
        self.status_line.notice.connect(self.status)
        for part in (self.inspector.fields, self.inspector.verdict):
            part.ended.connect(self._focus_picture)
        self.detecting.running_changed.connect(lambda _: self._show_run())
        self.finishing.undecided.connect(self.go_to_undecided)
        self.finishing.finished.connect(lambda: self.toast.emit(self.tr("Record finished and sealed.")))
        self.finishing.written.connect(self._on_report_written)
        self.record_photos.item_wanted.connect(self.go_to)
        for opening in (self.inspector.history, self.trend, self.memory):
            opening.open_wanted.connect(self._open_earlier)
        for changing in (self.reference.chosen, self.item_fill.filled):
            changing.connect(self.reload)
        theme_manager().theme_changed.connect(self._on_theme_changed)
        connect_parts(self)

    # -- opening

    def enter(self, params: dict[str, Any]) -> None:
        """Open `record_id` at `item_id`, or the last record; with `compare`, compare it with its photo."""
        record_id = str(params.get("record_id") or self._record_id)
        self._wanted_item = str(params.get("item_id") or "")
        self._compare_wanted = bool(params.get("compare"))
        if not record_id:
            self._offer_records(self.tr("No record open. Select one from the list."))
            return
        if record_id != self._record_id:
            self._close()
        self._record_id = record_id
        if self.open_record.document is None:
            self.stack.show_loading(self.tr("Opening record…"))
        self.open_record.edits.prepare(self.reload)

    def reload(self) -> None:
        """Reload the open record."""
        if self._load_task is not None:
            self._load_task.cancel()
        self._load_task = run(
            load,
            self.context.session,
            self._record_id,
            self.open_record.edits.local_id,
            owner=self,
            done=self._on_loaded,
            failed=self._on_load_failed,
        )

    def leave(self) -> bool:
        """Commit typed text. The record stays open for the next visit."""
        self._commit_typed_text()
        self.splitter.keep()
        self.live.stop()
        self.folder_watch.rest()
        self.memory_trimming.schedule()
        return True

    def return_params(self) -> dict[str, Any]:
        """The open record and the chosen item."""
        return {"record_id": self._record_id, "item_id": self.open_record.current}

    def _close(self) -> None:
        self.correcting.save()
        self.photos.forget()
        self.live.forget()
        self.detecting.stop()
        self.rest.hide()
        self.photo_view.drop()
        self.comparing.show(False)
        self.view_choice.reset()
        if self._load_task is not None:
            self._load_task.cancel()
        for crops in self.crops:
            crops.drop()
        self.picture.drop()
        self.items.end_search()
        self.open_record.leave()
        self.record_photos.close()
        self.phone.close()

    def _offer_records(self, why: str) -> None:
        self.stack.show_empty("list", why, self.tr("Show records"), lambda: self.navigate.emit("records", {}))

    def _on_loaded(self, opened: LoadedRecord) -> None:
        repaint_later(self.items, self.inspector, self.centre)
        self.stack.show_content()
        self.inspector.fields.set_models(opened.models)
        self.open_record.take(opened)
        if self._wanted_item and self._wanted_item in [row.item_id for row in self.open_record.rows]:
            self.open_record.choose(self._wanted_item)
        self.top.show_record(opened.record, self.open_record.seal)
        self.handover_note.show_record(opened.record.inspection_id)
        self.comments.read()
        if self.picture.show_current():
            self.comparing.front.setFocus()
            if self._compare_wanted:
                self.comparing.show_when_loaded()
        self._compare_wanted = False
        self._show_saving()
        self.live.start()

    def _on_load_failed(self, error: Exception) -> None:
        if isinstance(error, Forbidden):
            self.stack.show_no_permission()
        elif isinstance(error, NotFound):
            self._record_id = ""
            self._offer_records(self.tr("This record no longer exists."))
        elif self.open_record.document is not None:
            # The record stays on view; the top bar shows the state of the service.
            self.toast.emit(sentence(error))
        else:
            self.stack.show_error(sentence(error), retry=self.reload)

    # -- showing

    def _commit_typed_text(self) -> None:
        """Create edits of typed texts and corrections."""
        self.inspector.commit()
        self.correcting.save()

    def finish(self) -> None:
        """Commit typed text, then ask to finish the record."""
        self._commit_typed_text()
        self.finishing.finish()

    def _paint_large_later(self) -> None:
        document = self.open_record.document
        if document is not None and len(document.items) > _LARGE:
            repaint_later(self.items.list, self.view)

    def _show_rows(self) -> None:
        open_record, reference = self.open_record, self.open_record.reference
        can_start = open_record.editable and open_record.source is not None
        self.items.show_rows(open_record.rows, can_start, bool(reference is not None and reference.template))
        self.selecting.show()

    def _show_count(self) -> None:
        self.inspector.show_no_item(any_items=bool(self.open_record.rows))
        self.status_line.show()

    def _show_record(self) -> None:
        document, seal = self.open_record.document, self.open_record.seal
        if document is not None:
            self.top.show_record(document.record, seal)
            self.seal_controller.show(seal, document.record.inspection_name or "")
            self.set_editable(self.open_record.editable)

    def _show_current(self) -> None:
        open_record = self.open_record
        self.picture.show_current()
        self.inspector.finding_context = open_record.finding_context
        self.inspector.verdict.min_reason = open_record.min_reason
        draft = open_record.verdict_drafts.get(open_record.current)
        self.inspector.show_item(open_record.item, open_record.number, open_record.entry, draft)
        self.inspector.photo.set_editable(open_record.editable and open_record.item is not None)
        self.selecting.show()
        self._show_run()
        self.shown_findings.show()
        self.photos.show()
        self.history.show()
        self.status_line.show()

    def _show_edited(self, change: Change) -> None:
        """Show what changed on the chosen item, whose result is the same."""
        open_record, item = self.open_record, self.open_record.item
        if item is None:
            return
        if change & Change.FIELDS:
            self.inspector.fields.show_item(item, open_record.number)
        if change & Change.VERDICTS:
            self.inspector.verdict.show_item(item, open_record.verdict_drafts.get(item.item_id))
            self.photos.show_versions()
        if change & (Change.REGIONS | Change.FIELDS):
            self.photos.show()
        self.history.show()

    def _show_run(self) -> None:
        item = self.open_record.item
        if item is not None:
            self.inspector.run.show_run(
                run_state(item.result), self.detecting.running_items.get(item.item_id)
            )

    def _show_saving(self) -> None:
        self.top.show_saving(self.open_record.edits.save_state, self.open_record.edits.held)

    def set_editable(self, on: bool) -> None:
        """Enable or disable editing."""
        self.view.editor.editable = on
        self.strip.set_editable(on)
        self.inspector.set_editable(on)
        self.inspector.photo.set_editable(on and self.open_record.item is not None)
        self.items.set_editable(on)
        self.top.set_editable(on, self.context.may(Permission.INSPECTION_UPDATE))

    def _on_theme_changed(self) -> None:
        colours = theme_colours(theme_manager().theme.dark)
        for canvas in (self.view, self.photo, self.compare, self.inspector.photo.pane):
            canvas.set_colours(colours)

    # -- comments

    def begin_comment(self) -> None:
        """Let the user type a comment on the chosen item, or at the pointer's place on its photo."""
        self.inspector.show()
        place, file_id = self.photo.pointed_place(), self._photo_file_id()
        is_shown = self.photo_view.is_on and not self.comparing.is_on
        self.comments.begin((file_id, *place) if is_shown and place is not None and file_id else None)

    def _photo_file_id(self) -> str:
        ref = self.photos.ref
        return "" if ref is None else ref.file_id or file_id_from_url(ref.url) or ""

    def _show_comment_marks(self, marks: Sequence[tuple[int, PhotoPlace]]) -> None:
        file_id = self._photo_file_id()
        self.photo.set_marks([(number, x, y) for number, (of, x, y) in marks if of == file_id])

    # -- choosing

    def select_all(self) -> None:
        """Select everything visible in the focused view."""
        if self.deleting.deletion_source is DeletionSource.LIST:
            self.items.list.selectAll()
        elif self.comparing.canvas is self.comparing.front:
            self.comparing.front.select_all()

    def _focus_picture(self) -> None:
        shown = self.centre.currentWidget()
        if shown is not None:
            shown.setFocus()

    def _open_earlier(self, record_id: str, item_id: str) -> None:
        self.enter({"record_id": record_id, "item_id": item_id, "compare": True})

    def go_to(self, item_id: str) -> None:
        """Choose an item and make it visible. An empty id is ignored."""
        if item_id:
            self.inspector.commit()
            self.open_record.choose(item_id)
            self.view.ensure_visible(item_id)

    def go_to_undecided(self, item_id: str) -> None:
        """Choose an item, and let the user complete a verdict of it that waits."""
        self.go_to(item_id)
        if self.open_record.verdict_drafts.get(item_id) is not None:
            self.inspector.show()
            self.inspector.verdict.reason.setFocus()

    def decide(self, verdict: Verdict) -> None:
        """Give the chosen item a verdict by a key, and show it with the way to undo it."""
        number = self.open_record.number
        if self.inspector.verdict.decide(verdict):
            text = self.tr("Item {n}: {verdict}").format(n=number, verdict=status_text(verdict.value))
            self.undoable.emit(text, self.undo_controller.undo)

    def next_undecided(self) -> None:
        """Go to the next undecided item, or show that there is none."""
        item_id = self.open_record.next_undecided()
        if item_id:
            self.items.show_all()
            self.go_to(item_id)
        else:
            self.toast.emit(self.tr("All other items are decided."))

    # -- the whole record

    def decide_conflicts(self) -> None:
        """Ask the user about the edits that the service refused."""
        if self.open_record.edits.conflicts():
            ConflictDialog(self.open_record, self).open()

    def _on_report_written(self, path: str) -> None:
        self.toast.emit(self.tr("Report saved: {path}").format(path=path))
        show_folder(path)
