"""Composes the workbench page of four parts, connects them, and opens records in it."""

from __future__ import annotations

from typing import Any, ClassVar

from PySide6.QtCore import QCoreApplication

from desktop.background.repaint import repaint_later
from desktop.client.http.errors import Forbidden, NotFound
from desktop.context import Context
from desktop.messages.error_messages import sentence
from desktop.pages.common.handover import HandoverBanner
from desktop.pages.workbench.canvas.part import CanvasPart
from desktop.pages.workbench.canvas.widgets import WorkbenchWidgets
from desktop.pages.workbench.items.part import ItemsPart
from desktop.pages.workbench.layout import WorkbenchLayout
from desktop.pages.workbench.photos.part import PhotosPart
from desktop.pages.workbench.results.part import ResultsPart
from desktop.pages.workbench.saving import ConflictDialog, Notices
from desktop.record.live_changes import LiveChanges
from desktop.record.loading import LoadedRecord
from desktop.record.open_record import OpenRecord
from desktop.widgets import Page, StateStack, column_of
from shared.record.codes import Permission

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
        widgets = widgets or WorkbenchWidgets(context.commands)
        self._wanted = ("", False)
        """The item to choose in the record that is being opened, and whether to compare its pictures."""
        self.top, self.inspector = widgets.top, widgets.inspector
        inspector, pane = widgets.inspector, widgets.inspector.photo.pane
        record = self.open_record = OpenRecord(context, widgets.view.store, self)
        self.live = LiveChanges(record, self)
        self.items = ItemsPart(record, widgets.items, inspector.fields, inspector.commit, self)
        self.photos = PhotosPart(record, inspector.photo, self)
        self.results = ResultsPart(
            record, inspector, (pane, widgets.compare), self.live, self.photos.count_unassigned, self
        )
        self.canvas = CanvasPart(record, widgets, self.photos, self.results.correcting, self)
        tray = self.photos.record_photos.tray
        self.splitter = WorkbenchLayout(
            context.preferences, widgets.items, self.canvas.centre, tray, inspector
        )
        self.stack = StateStack(self.splitter)
        self._build()
        self._connect_parts()
        self._connect()
        context.commands.bind("view.inspector", self.splitter.fold, owner=self, enabled=self._is_open)
        context.commands.bind("reload", self.reload, owner=self, enabled=self._is_open)
        context.commands.bind("finding.next", self._walk_findings, owner=self.items.panel.list)

    @classmethod
    def title(cls) -> str:
        """The page's name."""
        return QCoreApplication.translate("WorkbenchPage", "Workbench")

    @property
    def context(self) -> Context:
        """What the pages share."""
        return self.open_record.context

    def _build(self) -> None:
        handover = HandoverBanner(self.context)
        self.live.loaded.connect(lambda opened: handover.show_record(opened.record.inspection_id))
        column_of(
            self.top,
            self.results.seal_bar,
            Notices(self.open_record.edits, self),
            handover,
            self.results.skipped,
            self.photos.other_file_banner,
            self.photos.folder_watch.bar,
            self.photos.record_photos.accepted,
            (self.stack, 1),
            parent=self,
            margins=0,
            spacing=0,
        )

    def _connect_parts(self) -> None:
        items, photos, results, canvas = self.items, self.photos, self.results, self.canvas
        for part in (items, photos, results, canvas):
            part.notice.connect(self.toast)
        items.chosen.connect(canvas.view.ensure_visible)
        items.filling.filled.connect(self.reload)
        photos.reference.chosen.connect(self.reload)
        photos.pairing.photos_read.connect(results.show_newest_photo)
        photos.regions_dropped.connect(items.region_files.read)
        photos.record_photos.item_wanted.connect(items.go_to)
        photos.record_photos.detection_wanted.connect(results.detecting.detect_items)
        running = results.detecting.running_changed
        running.connect(items.panel.model.show_running)
        running.connect(photos.record_photos.follow_detection)
        results.item_wanted.connect(items.go_to)
        results.open_wanted.connect(self._open_earlier)
        results.decided.connect(lambda text: self.undoable.emit(text, canvas.undoing.undo))
        results.comments.marks_changed.connect(canvas.show_marks)
        canvas.comment_wanted.connect(results.begin_comment)
        canvas.status_line.notice.connect(self.status)

    def _connect(self) -> None:
        record, edits, live, top = self.open_record, self.open_record.edits, self.live, self.top
        record.changing.connect(self._paint_large_later)
        record.record_changed.connect(self._show_record)
        record.current_changed.connect(self._show_current)
        record.current_gone.connect(self._leave_gone)
        for signal in (edits.saving_changed, self.results.correcting.changed, record.current_changed):
            signal.connect(self._show_saving)
        for notice in (edits.failed, edits.unsent_notice, record.refused):
            notice.connect(self.toast)
        live.loaded.connect(self._on_loaded)
        live.failed.connect(self._on_load_failed)
        live.photos_changed.connect(self.photos.pairing.reread)
        live.record_changed.connect(self.photos.reread)
        top.crumb_chosen.connect(lambda page_id: self.navigate.emit(page_id, {}))
        top.saving_clicked.connect(self.decide_conflicts)
        top.detect_cancelled.connect(self.results.detecting.cancel)
        self.results.detecting.progress_changed.connect(top.show_detecting)
        for field in (self.inspector.fields, self.inspector.verdict):
            field.ended.connect(self.canvas.focus)
        self.inspector.comments.place_wanted.connect(lambda _: self.canvas.photo_view.show(True))

    # -- opening

    def enter(self, params: dict[str, Any]) -> None:
        """Open `record_id` at `item_id`, or the last record; with `compare`, compare it with its photo."""
        record_id = str(params.get("record_id") or self.live.record_id)
        self._wanted = str(params.get("item_id") or ""), bool(params.get("compare"))
        if not record_id:
            self._offer_records(self.tr("No record open. Select one from the list."))
            return
        if record_id != self.live.record_id:
            self._close()
        self.live.record_id = record_id
        # Before the record is read: what others change meanwhile would be missed.
        self.live.start()
        if not self._is_open():
            self.stack.show_loading(self.tr("Opening record…"))
        self.open_record.edits.prepare(self.reload)

    def reload(self) -> None:
        """Reload the open record."""
        self.live.reload()

    def leave(self) -> bool:
        """Commit typed text. The record stays open for the next visit."""
        self.results.commit()
        self.splitter.save_sizes()
        self.live.stop()
        self.photos.folder_watch.pause()
        self.canvas.leave()
        return True

    def return_params(self) -> dict[str, Any]:
        """The open record and the chosen item."""
        return {"record_id": self.live.record_id, "item_id": self.open_record.current}

    def _is_open(self) -> bool:
        return self.open_record.document is not None

    def _close(self) -> None:
        self.results.correcting.save()
        self.photos.pairing.clear()
        self.live.cancel_reading()
        self.results.close()
        self.canvas.close()
        self.items.close()
        self.open_record.close()
        self.photos.close()

    def _offer_records(self, why: str) -> None:
        self.stack.show_empty("list", why, self.tr("Show records"), lambda: self.navigate.emit("records", {}))

    def _on_loaded(self, opened: LoadedRecord) -> None:
        (item_id, compare), self._wanted = self._wanted, (self._wanted[0], False)
        repaint_later(self.items.panel, self.inspector, self.canvas.centre)
        self.stack.show_content()
        self.inspector.fields.set_models(opened.models)
        self.open_record.open(opened)
        if item_id and item_id in [row.item_id for row in self.open_record.rows]:
            self.open_record.choose(item_id)
        self._show_record()
        self.results.comments.read()
        self.canvas.begin(compare=compare)
        self._show_saving()

    def _on_load_failed(self, error: Exception) -> None:
        if isinstance(error, Forbidden):
            self.stack.show_no_permission()
        elif isinstance(error, NotFound):
            self.live.record_id = ""
            self._offer_records(self.tr("This record no longer exists."))
        elif self._is_open():
            # The record stays on view; the top bar shows the state of the service.
            self.toast.emit(sentence(error))
        else:
            self.stack.show_error(sentence(error), retry=self.reload)

    def _open_earlier(self, record_id: str, item_id: str) -> None:
        self.enter({"record_id": record_id, "item_id": item_id, "compare": True})

    # -- showing

    def _paint_large_later(self) -> None:
        document = self.open_record.document
        if document is not None and len(document.items) > _LARGE:
            repaint_later(self.items.panel.list, self.canvas.view)

    def _show_record(self) -> None:
        document, seal = self.open_record.document, self.open_record.seal
        if document is not None:
            self.top.show_record(document.record, seal)
            may_update = self.context.may(Permission.INSPECTION_UPDATE)
            editable = self.open_record.editable
            self.top.set_editable(editable, editable and may_update, self.open_record.edits.problem)

    def _show_current(self) -> None:
        self.canvas.picture.show_current()
        self.results.show_item()
        self.items.selecting.show()
        self.canvas.shown_findings.show()
        self.photos.pairing.show()
        self.canvas.status_line.show()

    def _leave_gone(self, number: int, name: str) -> None:
        """Say that the shown item is gone, and let no further key do something to the next one."""
        is_typing = self.inspector.forget_typing()
        focus = self.focusWidget()
        if focus is not None and self.inspector.isAncestorOf(focus):
            self.canvas.focus()
        text = self.tr("Item {n}, {name}, was deleted elsewhere.")
        if is_typing:
            text = self.tr("Item {n}, {name}, was deleted elsewhere. What you were typing was not applied.")
        self.toast.emit(text.format(n=number, name=name))

    def _walk_findings(self) -> None:
        """From the list of items: mark the first finding, whose keys then work on the picture."""
        if self.canvas.shown_findings.step(1):
            self.canvas.focus()
        else:
            self.items.panel.list.focusNextPrevChild(True)

    def _show_saving(self) -> None:
        edits, drafted = self.open_record.edits, self.open_record.drafts.steps
        self.top.show_saving(edits.save_state, edits.held, drafted)

    def decide_conflicts(self) -> None:
        """Ask the user about the edits that the service refused."""
        if self.open_record.edits.conflicts():
            ConflictDialog(self.open_record, self).open()
