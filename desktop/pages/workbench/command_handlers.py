"""Binds the commands of the workbench to their handlers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol

from PySide6.QtCore import QCoreApplication

from desktop.canvas.model.arrange import AlignSide
from desktop.canvas.tools.tool_machine import Tool
from desktop.canvas.views.canvas_view import CanvasView
from desktop.canvas.views.compare_view import CompareView
from desktop.context import Context
from desktop.imaging.decoding.tone import Tone
from desktop.pages.common.picture_commands import bind_canvas, bind_pair, zoom_handlers
from desktop.pages.workbench.bars.compare_bar import MODE_COMMANDS
from desktop.pages.workbench.comparing.aligning import AlignmentController
from desktop.pages.workbench.comparing.compare_mode import CompareController
from desktop.pages.workbench.deleting import DeletionController
from desktop.pages.workbench.exchange.drag_and_drop import DropController
from desktop.pages.workbench.exchange.region_files import RegionFilesController, copy_regions, paste_regions
from desktop.pages.workbench.folder_watch import FolderWatchController
from desktop.pages.workbench.inspector import Inspector
from desktop.pages.workbench.items.detection_settings_edits import DetectionSettingsController
from desktop.pages.workbench.items.items_panel import ItemsPanel
from desktop.pages.workbench.layout import WorkbenchLayout
from desktop.pages.workbench.memory import MemoryController
from desktop.pages.workbench.phone import PhoneController
from desktop.pages.workbench.photo_view import PhotoCanvas, PhotoView
from desktop.pages.workbench.photos.adding import PhotoUploadController
from desktop.pages.workbench.record_photos import RecordPhotosController
from desktop.pages.workbench.record_photos.thumbnails import ThumbnailDropFilter
from desktop.pages.workbench.reference.reference_choice import ReferenceChoice
from desktop.pages.workbench.reference.template_saving import TemplateController
from desktop.pages.workbench.results.correcting import CorrectionController
from desktop.pages.workbench.results.detecting import DetectionController
from desktop.pages.workbench.results.finishing import FinishController
from desktop.pages.workbench.shown_findings import ShownFindings
from desktop.pages.workbench.status_line import StatusLine
from desktop.pages.workbench.trend import TrendController
from desktop.pages.workbench.undo import UndoController
from desktop.record.open_record import OpenRecord
from desktop.widgets import Page
from shared.record.codes import Verdict
from shared.wire.detection import Severity

_TONE_STEP = 10


def _clamp(value: int) -> int:
    return min(max(value, -100), 100)


class Workbench(Protocol):
    """The targets of the commands: the parts of the page and the methods of the page itself."""

    alignment_controller: AlignmentController
    compare: CompareView
    comparing: CompareController
    context: Context
    correcting: CorrectionController
    deleting: DeletionController
    detecting: DetectionController
    detection_settings: DetectionSettingsController
    finishing: FinishController
    shown_findings: ShownFindings
    folder_watch: FolderWatchController
    inspector: Inspector
    items: ItemsPanel
    memory: MemoryController
    open_record: OpenRecord
    photo: PhotoCanvas
    photo_upload: PhotoUploadController
    photo_view: PhotoView
    phone: PhoneController
    record_photos: RecordPhotosController
    reference: ReferenceChoice
    splitter: WorkbenchLayout
    status_line: StatusLine
    trend: TrendController
    undo_controller: UndoController
    view: CanvasView

    def decide(self, verdict: Verdict) -> None:
        """Give the chosen item a verdict by a key."""

    def finish(self) -> None:
        """Commit typed text, then ask to finish the record."""

    def go_to(self, item_id: str) -> None:
        """Choose an item and make it visible. An empty id is ignored."""

    def next_undecided(self) -> None:
        """Go to the next undecided item, or show that there is none."""

    def reload(self) -> None:
        """Reload the open record."""

    def begin_comment(self) -> None:
        """Let the user type a comment."""

    def select_all(self) -> None:
        """Select everything visible in the focused view."""


def bind(window: Page, page: Workbench) -> None:
    """Bind every command of the workbench. `window` owns the bindings and the dialogs."""
    view, open_record = page.view, page.open_record
    exchange = RegionFilesController(open_record, window)
    exchange.notice.connect(window.toast)
    drop_controller = DropController(
        open_record, page.photo_upload, page.record_photos, page.reference, page.inspector.photo, window
    )
    drop_controller.regions_wanted.connect(exchange.read)
    drop_controller.notice.connect(window.toast)
    # After `drop_controller`, which would refuse what is dragged from the tray: what is installed last comes
    # first.
    drops = ThumbnailDropFilter(window, page.items, view)
    drops.dropped.connect(lambda photos, item_id: page.record_photos.assign_to(photos, [item_id]))
    template_controller = TemplateController(open_record, window)
    template_controller.notice.connect(window.toast)
    commands = page.context.commands
    comparing = page.comparing

    def may_edit() -> bool:
        return open_record.document is not None and open_record.editable

    def may_edit_item() -> bool:
        return may_edit() and open_record.item is not None

    def is_open() -> bool:
        return open_record.document is not None

    def has_items() -> bool:
        return bool(open_record.rows)

    def has_item() -> bool:
        return is_open() and open_record.item is not None

    def step(offset: int) -> None:
        page.go_to(open_record.step(offset, page.items.model.ids()))

    def escape() -> None:
        if page.alignment_controller.cancel() or page.correcting.cancel():
            return
        comparing.show(False)
        comparing.front.cancel()
        comparing.front.setFocus()

    def on_front(act: Callable[[CanvasView], object]) -> Callable[[], object]:
        """Return a handler that calls `act` on the canvas in front, unless pictures are compared there."""
        return lambda: None if comparing.is_on else act(comparing.front)

    def on_regions(act: Callable[[], object]) -> Callable[[], None]:
        """Return a handler that calls `act` while the reference image is shown, else shows a notice."""

        def act_or_refuse() -> None:
            if comparing.canvas is view:
                act()
            else:
                text = QCoreApplication.translate("WorkbenchPage", "Show the reference image first ({keys}).")
                window.toast.emit(text.format(keys=commands.keys_text("view.photo")))

        return act_or_refuse

    def copy() -> None:
        if open_record.document is not None:
            copy_regions(view, open_record.link, open_record.document.item)

    def paste() -> None:
        if not page.record_photos.paste():
            on_regions(lambda: paste_regions(view, open_record.link))()

    def rename() -> None:
        if page.correcting.has_focus:
            page.correcting.ask_chosen_label()
            return
        page.inspector.show()
        page.inspector.fields.name.setFocus()
        page.inspector.fields.name.selectAll()

    def lock() -> None:
        view.editor.set_locked(not all(region.locked for region in view.store.selected_regions))
        view.update()

    def tone(brightness: int, contrast: int) -> None:
        now = view.tone
        show_tone(Tone(_clamp(now.brightness + brightness), _clamp(now.contrast + contrast)))

    def show_tone(tone: Tone) -> None:
        comparing.set_tone(tone)
        page.status_line.show()

    def snap() -> None:
        comparing.snap(not view.editor.is_snapping)
        page.status_line.show()

    def area() -> None:
        page.photo_view.show(False)
        page.detection_settings.draw()

    def show_item() -> None:
        comparing.picture()
        page.photo_view.show_item(open_record.current)

    def hide_regions() -> None:
        comparing.picture()
        comparing.show_regions(not view.regions_shown)
        page.items.show_regions_hidden(not view.regions_shown)

    def minimap() -> None:
        comparing.picture()
        comparing.show_minimap(not view.minimap_shown)
        page.context.preferences.change(minimap=view.minimap_shown)

    def compact() -> None:
        preferences = page.context.preferences
        preferences.change(compact_items=not preferences.values.compact_items)
        page.items.set_compact(preferences.values.compact_items)

    def keep_drawing() -> None:
        preferences = page.context.preferences
        preferences.change(draws_on=not preferences.values.draws_on)
        comparing.keep_tool(preferences.values.draws_on)
        on = QCoreApplication.translate("WorkbenchPage", "Drawing continues until Esc.")
        off = QCoreApplication.translate("WorkbenchPage", "Drawing ends after one region.")
        window.toast.emit(on if preferences.values.draws_on else off)

    handlers: list[tuple[str, Callable[[], object], Callable[[], bool]]] = [
        ("tool.select", escape, is_open),
        ("tool.rectangle", lambda: comparing.take(Tool.DRAW), may_edit),
        ("tool.pan", lambda: comparing.take(Tool.PAN), is_open),
        ("tool.ruler", lambda: comparing.take(Tool.RULER), is_open),
        ("tool.area", area, may_edit_item),
        ("edit.snap", snap, may_edit),
        ("view.fit", lambda: comparing.canvas.fit(), is_open),
        ("view.actual", lambda: comparing.canvas.one_to_one(), is_open),
        ("view.zoom_in", lambda: comparing.canvas.zoom_in(), is_open),
        ("view.zoom_out", lambda: comparing.canvas.zoom_out(), is_open),
        ("view.item", show_item, may_edit_item),
        ("view.regions", hide_regions, is_open),
        ("view.labels", lambda: comparing.show_labels(not view.labels_shown), is_open),
        ("view.heat", page.photo_view.toggle_heat, is_open),
        ("view.minimap", minimap, is_open),
        ("view.compact", compact, is_open),
        ("tool.keep", keep_drawing, may_edit),
        ("comment.add", page.begin_comment, may_edit_item),
        ("item.earlier", lambda: page.items.move_current(-1), may_edit_item),
        ("item.later", lambda: page.items.move_current(1), may_edit_item),
        ("view.photo", page.photo_view.toggle, is_open),
        ("view.inspector", page.splitter.fold, is_open),
        ("edit.undo", page.undo_controller.undo, may_edit),
        ("edit.redo", page.undo_controller.redo, may_edit),
        ("edit.copy", on_regions(copy), is_open),
        ("edit.paste", paste, may_edit),
        ("edit.duplicate", on_front(lambda canvas: canvas.editor.duplicate()), may_edit),
        ("edit.delete", page.deleting.delete, may_edit_item),
        ("edit.all", page.select_all, is_open),
        ("edit.rename", rename, may_edit_item),
        ("region.lock", on_regions(lock), may_edit),
        ("region.hide", on_regions(view.editor.hide_selected), may_edit),
        ("region.show", on_regions(view.editor.show_all), may_edit),
        ("region.front", on_regions(lambda: view.editor.raise_selected(to_front=True)), may_edit),
        ("region.back", on_regions(lambda: view.editor.raise_selected(to_front=False)), may_edit),
        ("region.left", on_front(lambda canvas: canvas.editor.align(AlignSide.LEFT)), may_edit),
        ("region.right", on_front(lambda canvas: canvas.editor.align(AlignSide.RIGHT)), may_edit),
        ("region.top", on_front(lambda canvas: canvas.editor.align(AlignSide.TOP)), may_edit),
        ("region.bottom", on_front(lambda canvas: canvas.editor.align(AlignSide.BOTTOM)), may_edit),
        ("view.brighter", lambda: tone(_TONE_STEP, 0), is_open),
        ("view.darker", lambda: tone(-_TONE_STEP, 0), is_open),
        ("view.contrast_more", lambda: tone(0, _TONE_STEP), is_open),
        ("view.contrast_less", lambda: tone(0, -_TONE_STEP), is_open),
        ("view.plain", lambda: show_tone(Tone()), is_open),
        ("item.next", lambda: step(1), is_open),
        ("item.previous", lambda: step(-1), is_open),
        ("item.undecided", page.next_undecided, is_open),
        ("item.pass", lambda: page.decide(Verdict.PASSED), may_edit_item),
        ("item.fail", lambda: page.decide(Verdict.FAILED), may_edit_item),
        ("item.unsure", lambda: page.decide(Verdict.UNDECIDED), may_edit_item),
        ("item.photo", page.photo_upload.choose_files, may_edit),
        ("item.camera", page.photo_upload.capture, may_edit),
        ("item.phone", page.phone.for_item, may_edit),
        ("record.photos", page.record_photos.choose_files, may_edit),
        ("record.camera", page.record_photos.capture, may_edit),
        ("record.film", page.record_photos.films.choose, may_edit),
        ("record.phone", page.phone.for_record, may_edit),
        ("record.watch", page.folder_watch.choose, may_edit),
        ("record.review", page.record_photos.show_review, is_open),
        ("item.versions", comparing.versions, has_item),
        ("item.trend", page.trend.show, has_item),
        ("item.memory", page.memory.show, has_item),
        ("item.detect", page.detecting.detect, may_edit_item),
        ("record.detect", page.detecting.detect_all, may_edit),
        ("record.detect_again", page.detecting.detect_again, may_edit),
        ("record.finish", page.finish, may_edit),
        ("record.report", page.finishing.report, has_items),
        ("inspection.export", exchange.export, has_items),
        ("regions.import", exchange.ask, may_edit),
        ("record.template", template_controller.save, is_open),
        ("compare", comparing.toggle, is_open),
        ("reload", page.reload, is_open),
    ]
    for mode, command in MODE_COMMANDS.items():
        handlers.append((command, partial(comparing.compare_by, mode), has_item))
    for command, handler, enabled in handlers:
        refused = open_record.may_edit if enabled in (may_edit, may_edit_item) else None
        commands.bind(command, handler, owner=window, enabled=enabled, refused=refused)
    commands.bind("search", page.items.search.setFocus, owner=page.items.search)
    for canvas in (view, page.photo):
        bind_canvas(commands, canvas)
    pane, strip = page.inspector.photo.pane, page.inspector.photo.strip
    for picture in (view, page.photo, page.compare):
        commands.bind("finding.next", lambda: page.shown_findings.step(1), owner=picture)
        commands.bind("finding.previous", lambda: page.shown_findings.step(-1), owner=picture)
        commands.bind("view.leave", partial(picture.focusNextPrevChild, True), owner=picture)
        commands.bind("view.leave_back", partial(picture.focusNextPrevChild, False), owner=picture)
    for pair in (page.compare, pane):
        bind_pair(commands, pair)
    for command, handler in zoom_handlers(pane).items():
        commands.bind_within(command, handler, pane)
    commands.bind_within("edit.delete", strip.remove_focused, strip)
    _bind_findings(window, page)


def _bind_findings(window: Page, page: Workbench) -> None:
    """Bind what is done with the chosen finding. The keys work wherever the focus is."""
    correcting = page.correcting

    def refuse() -> None:
        if page.open_record.may_edit() and page.inspector.findings.shown_findings:
            keys = page.context.commands.keys_text("finding.next")
            text = QCoreApplication.translate("WorkbenchPage", "Select a finding first ({keys}).")
            window.toast.emit(text.format(keys=keys))

    for command, handler in (
        ("finding.accept", correcting.accept_chosen),
        ("finding.relabel", correcting.ask_chosen_label),
        ("finding.delete", correcting.reject_chosen),
        ("finding.minor", partial(correcting.grade, Severity.MINOR)),
        ("finding.major", partial(correcting.grade, Severity.MAJOR)),
        ("finding.critical", partial(correcting.grade, Severity.CRITICAL)),
    ):
        page.context.commands.bind(
            command, handler, owner=window, enabled=lambda: correcting.has_chosen, refused=refuse
        )
