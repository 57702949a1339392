"""Composes the workbench page from its parts. This module only wires the parts together."""

from __future__ import annotations

from typing import Any, ClassVar

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout

from desktop.canvas.colours import colours_of
from desktop.canvas.compare import CompareView
from desktop.canvas.regions import RegionsChanged, Step
from desktop.canvas.view import CanvasView
from desktop.client.errors import Forbidden, NotFound
from desktop.context import Context
from desktop.memory import Trimming
from desktop.pages.sealing.seal_bar import SealBar
from desktop.pages.sealing.standing import Standing
from desktop.pages.sentences import sentence
from desktop.pages.workbench.adding import Adding
from desktop.pages.workbench.aligning import Aligning
from desktop.pages.workbench.bench import Bench
from desktop.pages.workbench.bindings import bind
from desktop.pages.workbench.comparing import Comparing
from desktop.pages.workbench.conflicts import ConflictDialog
from desktop.pages.workbench.correcting import Correcting
from desktop.pages.workbench.deleting import Deleting, Place
from desktop.pages.workbench.detecting import Detecting
from desktop.pages.workbench.finishing import Finishing, show_folder
from desktop.pages.workbench.history import History
from desktop.pages.workbench.inspector import Inspector
from desktop.pages.workbench.items_panel import ItemsPanel
from desktop.pages.workbench.live import Live
from desktop.pages.workbench.menus import RightButton
from desktop.pages.workbench.notices import Notices
from desktop.pages.workbench.opening import Opened, load
from desktop.pages.workbench.own_crops import OwnCrops
from desktop.pages.workbench.own_detection import OwnDetection
from desktop.pages.workbench.own_file import OwnFile
from desktop.pages.workbench.parts import Parts
from desktop.pages.workbench.photo_crops import PhotoCrops
from desktop.pages.workbench.photo_view import PhotoCanvas, PhotoView
from desktop.pages.workbench.photos import Photos
from desktop.pages.workbench.record_photos import RecordPhotos
from desktop.pages.workbench.reference import ReferenceChoice
from desktop.pages.workbench.reference_picture import ReferencePicture
from desktop.pages.workbench.run_state import run_state
from desktop.pages.workbench.selecting import Selecting
from desktop.pages.workbench.shown_findings import ShownFindings
from desktop.pages.workbench.starting import Starting
from desktop.pages.workbench.status_line import StatusLine
from desktop.pages.workbench.sureness import Sureness
from desktop.pages.workbench.tool_strip import ToolStrip
from desktop.pages.workbench.top import Top
from desktop.pages.workbench.undoing import Undoing
from desktop.theme import look
from desktop.turns import paint_apart
from desktop.widgets import Banner, Page, StateStack
from desktop.workers import Task, run
from shared.codes import Permission


class WorkbenchPage(Page):
    """One record: its items, its picture, the chosen item."""

    page_id: ClassVar[str] = "workbench"
    section: ClassVar[str] = "records"
    permission: ClassVar[Permission | None] = Permission.INSPECTION_READ
    has_status_bar: ClassVar[bool] = True

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.context = context
        self._record_id = ""
        self._wanted_item = ""
        self._compare_wanted = False
        self._loading: Task | None = None
        self.top = Top(context.commands)
        self.items = ItemsPanel(context.commands)
        self.view = CanvasView()
        self.view.setObjectName("canvas")
        self.photo = PhotoCanvas()
        self.compare = CompareView()
        self.compare.setObjectName("canvas-compare")
        self.inspector = Inspector(context.commands)
        self.bench = Bench(context, self.view.store, self)
        self.selecting = Selecting(self.bench, self.items, self.view, self.inspector.commit, self)
        self.notices = Notices(self.bench.edits)
        self.rest = Banner()
        self.rest.setObjectName("detect-rest")
        self.own_file = OwnFile(self.bench)
        self.reference = ReferenceChoice(self.bench)
        self.centre = QStackedWidget()
        self.strip = ToolStrip(self.centre, context.commands)
        self.photos = Photos(self.bench, self.inspector.photo, self)
        self.adding = Adding(self.bench, self.inspector.photo, self)
        self.adding.added.connect(self.photos.take_new)
        self.detecting = Detecting(self.bench, self)
        found, views = self.inspector.findings, (self.inspector.photo.pane, self.compare)
        self.sureness = Sureness(self.bench, found, context.preferences, self)
        self.correcting = Correcting(self.bench, found, self.inspector.correction, views, self)
        of_findings = (found.list, *views, self.photo)
        self.deleting = Deleting(
            self.bench, self.items, self.view, of_findings, self.correcting, context.commands, self
        )
        self.aligning = Aligning(self.photos, self.inspector.photo, self.compare, self)
        canvases = (self.view, self.photo)
        self.comparing = Comparing(
            self.bench, self.photos, self.correcting, self.strip, self.centre, (*canvases, self.compare), self
        )
        self.comparing.follow(self.inspector.photo, self.aligning)
        self.comparing.show_minimap(context.preferences.values.minimap)
        boxes = (found, self.inspector.correction)
        self.photo_view = PhotoView(
            self.bench, self.photos, self.comparing, self.correcting, boxes, canvases, self.strip, self
        )
        parts = (self.inspector, self.photos, self.comparing, self.correcting, self.photo_view, self)
        self.found = ShownFindings(self.bench, *parts)
        self.undoing = Undoing(self.bench, self.inspector, self.aligning, self.correcting, self)
        self.finishing = Finishing(self.bench, self)
        self.seal_bar = SealBar()
        self.standing = Standing(context, self.seal_bar, self)
        places = (self.centre, self.reference, self.strip)
        self.picture = ReferencePicture(self.bench, self.view, self.items.model, places, self)
        crops_in = (self.bench, self.items.model, self.devicePixelRatioF(), self)
        self.crops = (PhotoCrops(*crops_in), OwnCrops(*crops_in))
        self.history = History(self.bench, self.inspector.history, self)
        self.own_detection = OwnDetection(self.bench, self.inspector.fields.own, self.view, self)
        self.aligning.keep = self.own_detection.align
        shared = self.inspector.photo.shared
        self.record_photos = RecordPhotos(
            self.bench, self.photos, self.aligning, self.detecting, shared, self
        )
        self.line = StatusLine(self.bench, self.photos, self.comparing, self)
        RightButton(context.commands, self.view, self.items.list, lambda: self.bench.item is not None, self)
        self.starting = Starting(self.bench, self)
        self.live = Live(self.bench, self.reload, self.photos.reread, self)
        self.parts = Parts(context.preferences, self.items, self.centre, self.inspector)
        self.stack = StateStack(self.parts)
        self._build()
        self._connect()
        bind(self)
        self._theme_changed()

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
        column.addWidget(self.rest)
        column.addWidget(self.own_file)
        column.addWidget(self.record_photos.accepted)
        column.addWidget(self.stack, 1)
        column.addWidget(self.record_photos.tray)

    def _connect(self) -> None:
        view, bench, fields = self.view, self.bench, self.inspector.fields
        self.top.crumb_chosen.connect(lambda page_id: self.navigate.emit(page_id, {}))
        bench.changed.connect(self._show_items)
        bench.currentChanged.connect(self._show_current)
        bench.edits.savingChanged.connect(self._show_saving)
        talking = (self.inspector.verdict, self.comparing, self.undoing, self.aligning, self.correcting)
        others = (
            self.detecting,
            self.finishing,
            self.starting,
            self.own_detection,
            self.deleting,
            self.photo_view,
            self.adding,
            self.record_photos,
            self.standing,
        )
        for said in (bench.edits.failed, bench.edits.kept, *(part.said for part in (*talking, *others))):
            said.connect(self.toast)
        trimming = Trimming(self)
        for canvas in (view, self.photo):
            canvas.prepared.connect(trimming.soon)
            canvas.toolChanged.connect(self.strip.show_tool)
        self.photos.pairChanged.connect(trimming.soon)
        view.regionsEdited.connect(self._regions_edited)
        self.items.model.region_of = view.store.get
        view.regionsEdited.connect(lambda _: self.items.list.viewport().update())
        view.regionActivated.connect(view.show_region)
        self.line.said.connect(self.status)
        self.comparing.changed.connect(lambda: self.items.name_drawing(self.photo_view.on))
        self.items.activated.connect(self.photo_view.show_item)
        fields.own.areaWanted.connect(lambda: self.photo_view.show(False))
        fields.renamed.connect(bench.rename)
        fields.described.connect(bench.describe)
        fields.ended.connect(self._back_to_picture)
        fields.modelPicked.connect(bench.set_model)
        self.inspector.verdict.decided.connect(bench.decide)
        self.inspector.verdict.reasonWanted.connect(self.inspector.show)
        self.inspector.run.wanted.connect(self.detecting.detect)
        self.inspector.run.cancelled.connect(self.detecting.cancel_item)
        self.inspector.run.alignWanted.connect(self.aligning.start)
        self.detecting.runningChanged.connect(lambda _: self._show_run())
        self.top.saving_clicked.connect(self.decide_conflicts)
        self.detecting.runningChanged.connect(self.items.model.show_running)
        self.detecting.progressChanged.connect(self.top.show_detecting)
        self.top.detect_cancelled.connect(self.detecting.cancel)
        self.detecting.restChanged.connect(self._offer_rest)
        self.rest.acted.connect(self.detecting.detect_again)
        bench.sealing.connect(self._take_typed)
        bench.refused.connect(self.toast)
        view.editRefused.connect(bench.may_edit)
        self.finishing.undecided.connect(self.go_to)
        self.finishing.finished.connect(lambda: self.toast.emit(self.tr("Record finished and sealed.")))
        self.standing.changed.connect(bench.serve_seal)
        self.finishing.written.connect(self._report_written)
        self.reference.chosen.connect(self.reload)
        self.inspector.history.openWanted.connect(self._open_earlier)
        self.items.template_wanted.connect(self.starting.from_template)
        self.items.last_wanted.connect(self.starting.from_last)
        self.starting.filled.connect(self.reload)
        self.record_photos.itemWanted.connect(self.go_to)
        self.live.recordChanged.connect(self.record_photos.known.read)
        look().themeChanged.connect(self._theme_changed)

    # -- opening

    def opened(self, params: dict[str, Any]) -> None:
        """Open `record_id` at `item_id`, for `compare` with its photo; without one, what was open before."""
        record_id = str(params.get("record_id") or self._record_id)
        self._wanted_item = str(params.get("item_id") or "")
        self._compare_wanted = bool(params.get("compare"))
        if not record_id:
            self._offer_records(self.tr("No record open. Select one from the list."))
            return
        if record_id != self._record_id:
            self._close()
        self._record_id = record_id
        if self.bench.document is None:
            self.stack.show_loading(self.tr("Opening record…"))
        self.bench.edits.prepare(self.reload)

    def reload(self) -> None:
        """Reload the open record."""
        if self._loading is not None:
            self._loading.cancel()
        self._loading = run(
            load,
            self.context.session,
            self._record_id,
            self.bench.edits.local_id,
            owner=self,
            done=self._loaded,
            failed=self._not_loaded,
        )

    def leave(self) -> bool:
        """Commit typed text, and keep the record for when the user comes back."""
        self._take_typed()
        self.parts.keep()
        self.live.stop()
        return True

    def place(self) -> dict[str, Any]:
        """The open record and the chosen item."""
        return {"record_id": self._record_id, "item_id": self.bench.current}

    def close_all(self) -> None:
        """Release the picture and stop all work; also done when another record is opened."""
        self._close()
        self.view.close_picture()
        self.photo_view.close()

    def _close(self) -> None:
        self.correcting.save()
        self.photos.forget()
        self.detecting.stop()
        self.rest.hide()
        self.photo_view.drop()
        self.comparing.show(False)
        if self._loading is not None:
            self._loading.cancel()
        for crops in self.crops:
            crops.drop()
        self.picture.drop()
        self.items.end_search()
        self.bench.leave()
        self.record_photos.close()

    def _offer_records(self, why: str) -> None:
        self.stack.show_empty("list", why, self.tr("Show records"), lambda: self.navigate.emit("records", {}))

    def _loaded(self, opened: Opened) -> None:
        paint_apart(self.stack)
        self.stack.show_content()
        self.inspector.fields.set_models(opened.models)
        self.bench.take(opened)
        if self._wanted_item and self._wanted_item in [row.item_id for row in self.bench.rows]:
            self.bench.choose(self._wanted_item)
        self.top.show_record(opened.record, self.bench.seal)
        self.comparing.show(False)
        if self.picture.turn():
            self.comparing.front.setFocus()
            if self._compare_wanted:
                self.comparing.show_when_there()
        self._compare_wanted = False
        self._show_saving()
        self.live.start()

    def _not_loaded(self, error: Exception) -> None:
        if isinstance(error, Forbidden):
            self.stack.show_no_permission()
        elif isinstance(error, NotFound):
            self._record_id = ""
            self._offer_records(self.tr("This record no longer exists."))
        elif self.bench.document is not None:
            # What is on view stays; the state of the service is said above.
            self.toast.emit(sentence(error))
        else:
            self.stack.show_error(sentence(error), retry=self.reload)

    # -- showing

    def _take_typed(self) -> None:
        """What is typed or corrected becomes an edit; one that cannot be sent waits for a decision."""
        self.inspector.commit()
        self.correcting.save()

    def finish(self) -> None:
        """Take what is typed, then ask to finish the record."""
        self._take_typed()
        self.finishing.finish()

    def _show_items(self) -> None:
        document = self.bench.document
        if document is None:
            return
        reference = self.bench.reference
        can_start = self.bench.editable and self.bench.source is not None
        self.items.show_rows(self.bench.rows, can_start, bool(reference is not None and reference.template))
        self.selecting.show()
        self.inspector.say_none(any_items=bool(self.bench.rows))
        self.top.show_record(document.record, self.bench.seal)
        self.set_editable(self.bench.editable)
        self.standing.show(self.bench.seal, document.record.inspection_name or "")
        self.line.show()
        self._show_run()
        self.picture.crop()

    def _show_current(self) -> None:
        bench = self.bench
        self.picture.turn()
        self.inspector.known = bench.known
        self.inspector.show_item(bench.item, bench.number, bench.entry)
        self.inspector.photo.set_editable(bench.editable and bench.item is not None)
        self.selecting.show()
        self._show_run()
        self.found.show()
        self.photos.show()
        self.history.show()
        self.line.show()

    def _show_run(self) -> None:
        item = self.bench.item
        if item is not None:
            self.inspector.run.show_run(run_state(item.result), self.detecting.running.get(item.item_id))

    def _offer_rest(self, count: int) -> None:
        """Offer to detect what was left out, since its result is current."""
        said = self.tr("%n undecided item(s) skipped: the result is up to date.", "", count)
        if count:
            self.rest.say(said, action=self.tr("Rerun detection"))
        else:
            self.rest.hide()

    def _show_saving(self) -> None:
        self.top.show_saving(self.bench.edits.saving, self.bench.edits.held)

    def set_editable(self, on: bool) -> None:
        """Offer editing, or only looking."""
        self.view.editor.editable = on
        self.strip.set_editable(on)
        self.inspector.set_editable(on)
        self.inspector.photo.set_editable(on and self.bench.item is not None)
        self.top.set_editable(on, self.context.may(Permission.INSPECTION_UPDATE))

    def _theme_changed(self) -> None:
        colours = colours_of(look().theme.dark)
        for canvas in (self.view, self.photo, self.compare, self.inspector.photo.pane):
            canvas.set_colours(colours)

    # -- choosing

    def _regions_edited(self, change: RegionsChanged) -> None:
        if change.step is Step.DELETE:
            self.deleting.delete_items([region.id for region in change.before])
        else:
            self.bench.change_regions(change)

    def select_all(self) -> None:
        """Select everything that is to be seen in the view that has the focus."""
        if self.deleting.place is Place.LIST:
            self.items.list.selectAll()
        elif self.comparing.canvas is self.comparing.front:
            self.comparing.front.select_all()

    def _back_to_picture(self) -> None:
        shown = self.centre.currentWidget()
        if shown is not None:
            shown.setFocus()

    def _open_earlier(self, record_id: str, item_id: str) -> None:
        self.opened({"record_id": record_id, "item_id": item_id, "compare": True})

    def _item_chosen(self, item_id: str) -> None:
        self.inspector.commit()
        self.bench.choose(item_id)
        self.view.ensure_visible(item_id)

    def go_to(self, item_id: str) -> None:
        """Choose an item and bring it into view; nothing for an empty id."""
        if item_id:
            self._item_chosen(item_id)

    def choose_finding(self, place: int) -> None:
        """Mark a finding."""
        self.found.choose(place)

    def next_undecided(self) -> None:
        """Go to the next undecided item, or show that there is none."""
        item_id = self.bench.next_undecided()
        if item_id:
            self.items.show_all()
            self.go_to(item_id)
        else:
            self.toast.emit(self.tr("All other items are decided."))

    # -- the whole record

    def decide_conflicts(self) -> None:
        """Ask the user about the edits that the service refused."""
        if self.bench.edits.conflicts():
            ConflictDialog(self.bench, self).open()

    def _report_written(self, path: str) -> None:
        self.toast.emit(self.tr("Report saved: {path}").format(path=path))
        show_folder(path)
