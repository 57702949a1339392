"""The part of the workbench with the pictures: reference image, photo, and both compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from desktop.background.memory import MemoryTrimming
from desktop.canvas.layers.colours import theme_colours
from desktop.canvas.model.shaping import AlignSide
from desktop.canvas.tools.tool_machine import Tool
from desktop.canvas.views.canvas_view import CanvasView
from desktop.imaging.decoding.pixels import Tone
from desktop.pages.common.picture_commands import bind_canvas, bind_pair, zoom_handlers
from desktop.pages.workbench.bars import MODE_COMMANDS, ToolStrip
from desktop.pages.workbench.canvas.comparing import AlignmentController, CompareController
from desktop.pages.workbench.canvas.deleting import DeletionController, DeletionSource
from desktop.pages.workbench.canvas.detection_settings_edits import DetectionSettingsController
from desktop.pages.workbench.canvas.photo_view import PhotoView
from desktop.pages.workbench.canvas.reference_picture import ReferencePicture
from desktop.pages.workbench.canvas.shown import ShownFindings, StatusLine, ViewChoice
from desktop.pages.workbench.canvas.undo import UndoController
from desktop.pages.workbench.canvas.widgets import WorkbenchWidgets
from desktop.pages.workbench.items.region_files import copy_regions, paste_regions
from desktop.pages.workbench.menus import ContextMenus
from desktop.pages.workbench.part import Needs, WorkbenchPart
from desktop.pages.workbench.photos.drag_and_drop import ThumbnailDropFilter
from desktop.pages.workbench.photos.part import PhotosPart
from desktop.pages.workbench.results.comments import PhotoPlace
from desktop.pages.workbench.results.correcting import CorrectionController
from desktop.record.open_record import OpenRecord
from desktop.theme import theme_manager
from shared.record.content import file_id_from_url

_TONE_STEP = 10


class CanvasPart(WorkbenchPart):
    """Shows and compares the pictures, and lets the user draw, correct, align, delete and undo on them."""

    comment_wanted = Signal(object)
    """The `PhotoPlace` of a new comment, or None for one on the item."""

    def __init__(
        self,
        open_record: OpenRecord,
        widgets: WorkbenchWidgets,
        photos: PhotosPart,
        correcting: CorrectionController,
        page: QWidget,
    ) -> None:
        """`correcting` edits the findings that are shown and drawn here."""
        super().__init__(open_record, page)
        self._photos, self._correcting = photos, correcting
        self._items, self._inspector = widgets.items, widgets.inspector
        self.view, self.photo, self.compare = widgets.view, widgets.photo, widgets.compare
        self._marks: Sequence[tuple[int, PhotoPlace]] = ()
        inspector, pairing = widgets.inspector, photos.pairing
        findings, canvases = inspector.findings, (self.view, self.photo)
        self.centre = QStackedWidget()
        for shown in (*canvases, self.compare, photos.reference):
            self.centre.addWidget(shown)
        self.strip = ToolStrip(self.centre, self._commands)
        self.picture = ReferencePicture(
            open_record, self.view, (self.centre, photos.reference, self.strip), self
        )
        self.deleting = DeletionController(
            open_record,
            self._items,
            self.view,
            (findings.list, photos.box.pane, self.compare, self.photo),
            correcting,
            page,
        )
        self._settings = DetectionSettingsController(
            open_record, inspector.fields.detection_settings, self.view, self
        )
        self.comparing = CompareController(
            open_record, pairing, photos.box, self.strip, self.centre, (*canvases, self.compare), self
        )
        self.aligning = AlignmentController(pairing, self._settings, photos.box, self.compare, self)
        self.photo_view = PhotoView(
            open_record,
            pairing,
            self.comparing,
            correcting,
            (findings, inspector.correction),
            canvases,
            self.strip,
            self,
        )
        self._view_choice = ViewChoice(
            open_record, pairing, self.comparing, self.photo_view, self.aligning, self
        )
        self.shown_findings = ShownFindings(
            open_record, inspector, pairing, self.comparing, correcting, self.photo_view, self
        )
        self.undoing = UndoController(open_record, inspector, self.aligning, correcting, self)
        self.status_line = StatusLine(open_record, pairing, self.comparing, self)
        self._trimming = MemoryTrimming(self)
        self._show_notices_of(
            *(self.comparing, self.undoing, self.aligning, self._settings, self.deleting, self.photo_view)
        )
        preferences = self._context.preferences.values
        self.comparing.show_minimap(preferences.minimap)
        self.comparing.keep_tool(preferences.draws_on)
        self._connect()
        self._bind_commands()
        self._on_theme_changed()

    def _connect(self) -> None:
        record, view, pairing, items = self._open_record, self.view, self._photos.pairing, self._items
        for canvas in (view, self.photo):
            canvas.prepared.connect(self._trimming.schedule)
            canvas.tool_changed.connect(self.strip.show_tool)
            canvas.set_covered(self.strip.covered)
        pairing.pair_changed.connect(self._trimming.schedule)
        view.regions_edited.connect(self.changes.change_regions)
        view.regions_edited.connect(lambda _: items.list.viewport().update())
        view.region_activated.connect(view.show_region)
        view.edit_refused.connect(record.may_edit)
        self.photo.not_moved.connect(self._on_regions(lambda: None))
        self.undoing.region_taken.connect(self._show_changed_region)
        record.items_changed.connect(self.status_line.show)
        items.activated.connect(self.photo_view.show_item)
        self._inspector.fields.detection_settings.area_wanted.connect(lambda: self.photo_view.show(False))
        self._inspector.run.align_wanted.connect(self.aligning.start)
        self.aligning.started.connect(lambda: self.comparing.show(True))
        self.aligning.aligned.connect(self._photos.record_photos.store_alignment)
        self._photos.record_photos.alignment_wanted.connect(self.aligning.start_when_loaded)
        self.comparing.changed.connect(lambda: items.name_drawing(self.photo_view.is_on))
        pairing.photo_changed.connect(self._show_marks)
        self.photo.opened.connect(self._show_marks)
        ContextMenus(self._commands, view, items.list, lambda: record.item is not None, self._page)
        # After the photos' own handling of drops, which would refuse what is dragged from the tray: what is
        # installed last comes first.
        ThumbnailDropFilter(self._page, items, view).dropped.connect(self._photos.assign)
        theme_manager().theme_changed.connect(self._on_theme_changed)

    # -- commands

    def _bind_commands(self) -> None:
        self._bind_pictures()
        self._bind_editing()
        self._bind_focus()

    def _bind_pictures(self) -> None:
        comparing, photo_view, take = self.comparing, self.photo_view, self.photo_view.use_tool
        compare_by, modes = comparing.compare_by, MODE_COMMANDS.items()
        self._bind(
            ("tool.select", self._escape, Needs.RECORD),
            ("tool.pan", lambda: take(Tool.PAN), Needs.RECORD),
            ("tool.ruler", lambda: take(Tool.RULER), Needs.RECORD),
            ("tool.rectangle", lambda: take(Tool.DRAW), Needs.EDIT),
            ("tool.keep", self._toggle_keep_drawing, Needs.EDIT),
            ("edit.snap", self._toggle_snap, Needs.EDIT),
            ("tool.area", self._draw_area, Needs.EDIT_ITEM),
            ("comment.add", self._begin_comment, Needs.EDIT_ITEM),
            ("view.fit", lambda: comparing.canvas.fit(), Needs.RECORD),
            ("view.actual", lambda: comparing.canvas.one_to_one(), Needs.RECORD),
            ("view.zoom_in", lambda: comparing.canvas.zoom_in(), Needs.RECORD),
            ("view.zoom_out", lambda: comparing.canvas.zoom_out(), Needs.RECORD),
            ("view.regions", self._toggle_regions, Needs.RECORD),
            ("view.labels", lambda: comparing.show_labels(not self.view.labels_shown), Needs.RECORD),
            ("view.heat", self.shown_findings.toggle_heat, Needs.RECORD),
            ("view.minimap", self._toggle_minimap, Needs.RECORD),
            ("view.photo", photo_view.toggle, Needs.RECORD),
            ("view.brighter", lambda: self._change_tone(_TONE_STEP, 0), Needs.RECORD),
            ("view.darker", lambda: self._change_tone(-_TONE_STEP, 0), Needs.RECORD),
            ("view.contrast_more", lambda: self._change_tone(0, _TONE_STEP), Needs.RECORD),
            ("view.contrast_less", lambda: self._change_tone(0, -_TONE_STEP), Needs.RECORD),
            ("view.plain", lambda: self._show_tone(Tone()), Needs.RECORD),
            ("compare", comparing.toggle, Needs.RECORD),
            ("item.align", self.aligning.start, Needs.EDIT_ITEM),
            ("view.item", self._show_item, Needs.EDIT_ITEM),
            *((command, partial(compare_by, mode), Needs.ITEM) for mode, command in modes),
        )

    def _bind_editing(self) -> None:
        editor, on_chosen, on_regions = self.view.editor, self._on_chosen, self._on_regions
        self._bind(
            ("edit.copy", on_regions(self._copy), Needs.RECORD),
            ("edit.all", self._select_all, Needs.RECORD),
            ("edit.undo", self.undoing.undo, Needs.EDIT),
            ("edit.redo", self.undoing.redo, Needs.EDIT),
            ("edit.paste", self._paste, Needs.EDIT),
            ("edit.duplicate", on_chosen(lambda canvas: canvas.editor.duplicate()), Needs.EDIT),
            ("edit.delete", self.deleting.delete, Needs.EDIT_ITEM),
            ("region.left", on_chosen(lambda canvas: canvas.editor.align(AlignSide.LEFT)), Needs.EDIT),
            ("region.right", on_chosen(lambda canvas: canvas.editor.align(AlignSide.RIGHT)), Needs.EDIT),
            ("region.top", on_chosen(lambda canvas: canvas.editor.align(AlignSide.TOP)), Needs.EDIT),
            ("region.bottom", on_chosen(lambda canvas: canvas.editor.align(AlignSide.BOTTOM)), Needs.EDIT),
            ("region.lock", on_regions(self._toggle_lock), Needs.EDIT),
            ("region.hide", on_regions(editor.hide_selected), Needs.EDIT),
            ("region.show", on_regions(editor.show_all), Needs.EDIT),
            ("region.front", on_regions(lambda: editor.raise_selected(to_front=True)), Needs.EDIT),
            ("region.back", on_regions(lambda: editor.raise_selected(to_front=False)), Needs.EDIT),
        )

    def _bind_focus(self) -> None:
        """Bind the commands that act on the view with the focus."""
        commands, pane = self._commands, self._photos.box.pane
        for canvas in (self.view, self.photo):
            bind_canvas(commands, canvas)
        for picture in (self.view, self.photo, self.compare):
            commands.bind("finding.next", lambda: self.shown_findings.step(1), owner=picture)
            commands.bind("finding.previous", lambda: self.shown_findings.step(-1), owner=picture)
            commands.bind("view.leave", partial(picture.focusNextPrevChild, True), owner=picture)
            commands.bind("view.leave_back", partial(picture.focusNextPrevChild, False), owner=picture)
        for pair in (self.compare, pane):
            bind_pair(commands, pair)
        for command, handler in zoom_handlers(pane).items():
            commands.bind_within(command, handler, pane)

    def _on_chosen(self, act: Callable[[CanvasView], object]) -> Callable[[], None]:
        """Return a handler that calls `act` on the canvas in front, unless pictures are compared there.

        On a photo without a selected finding, the regions are meant: a notice is shown.
        """

        def act_or_refuse() -> None:
            front = self.comparing.front
            if front is self.photo and not front.store.selected_ids:
                self._on_regions(lambda: None)()
            elif not self.comparing.is_on:
                act(front)

        return act_or_refuse

    def _on_regions(self, act: Callable[[], object]) -> Callable[[], None]:
        """Return a handler that calls `act` while the reference image is shown, else shows a notice."""

        def act_or_refuse() -> None:
            if self.comparing.canvas is self.view:
                act()
            else:
                text = QCoreApplication.translate("WorkbenchPage", "Show the reference image first ({keys}).")
                self.notice.emit(text.format(keys=self._commands.keys_text("view.photo")))

        return act_or_refuse

    def _show_changed_region(self) -> None:
        """Show the reference image in place of the photo, on which an undone step would not be seen."""
        if self.comparing.canvas is self.photo:
            self.photo_view.show(False)

    def _escape(self) -> None:
        if self.aligning.cancel() or self._correcting.cancel():
            return
        self.comparing.show(False)
        self.comparing.front.cancel()
        self.comparing.front.setFocus()

    def _copy(self) -> None:
        record = self._open_record
        if record.document is not None:
            copy_regions(self.view, record.link, record.document.item)

    def _paste(self) -> None:
        if not self._photos.paste():
            self._on_regions(lambda: paste_regions(self.view, self._open_record.link))()

    def _select_all(self) -> None:
        """Select everything visible in the focused view."""
        if self.deleting.deletion_source is DeletionSource.LIST:
            self._items.list.selectAll()
        elif self.comparing.canvas is self.comparing.front:
            self.comparing.front.select_all()

    def _toggle_lock(self) -> None:
        view = self.view
        view.editor.set_locked(not all(region.locked for region in view.store.selected_regions))
        view.update()

    def _change_tone(self, brightness: int, contrast: int) -> None:
        now = self.view.tone
        self._show_tone(Tone(_clamp(now.brightness + brightness), _clamp(now.contrast + contrast)))

    def _show_tone(self, tone: Tone) -> None:
        self.comparing.set_tone(tone)
        self.status_line.show()

    def _toggle_snap(self) -> None:
        self.comparing.snap(not self.view.editor.is_snapping)
        self.status_line.show()

    def _draw_area(self) -> None:
        self.photo_view.show(False)
        self._settings.draw()

    def _show_item(self) -> None:
        self.comparing.picture()
        self.photo_view.show_item(self._open_record.current)

    def _toggle_regions(self) -> None:
        self.comparing.picture()
        self.comparing.show_regions(not self.view.regions_shown)
        self._items.show_regions_hidden(not self.view.regions_shown)

    def _toggle_minimap(self) -> None:
        self.comparing.picture()
        self.comparing.show_minimap(not self.view.minimap_shown)
        self._context.preferences.change(minimap=self.view.minimap_shown)

    def _toggle_keep_drawing(self) -> None:
        preferences = self._context.preferences
        preferences.change(draws_on=not preferences.values.draws_on)
        self.comparing.keep_tool(preferences.values.draws_on)
        on = QCoreApplication.translate("WorkbenchPage", "Drawing continues until Esc.")
        off = QCoreApplication.translate("WorkbenchPage", "Drawing ends after one region.")
        self.notice.emit(on if preferences.values.draws_on else off)

    # -- the record

    def leave(self) -> None:
        """Return memory to the system, as the page is left."""
        for view in (self.view, self.photo):
            view.release_picture()
        self._trimming.schedule()

    def close(self) -> None:
        """Show no picture, as the record is left."""
        self.photo_view.reset()
        self.comparing.show(False)
        self._view_choice.reset()
        self.picture.clear()

    def begin(self, *, compare: bool) -> None:
        """Show the picture of the record that was opened, or compare it with the photo once it is loaded."""
        if self.picture.show_current():
            self.comparing.front.setFocus()
            if compare:
                self.comparing.show_when_loaded()

    def set_editable(self, on: bool) -> None:
        """Enable or disable drawing."""
        self.view.editor.editable = on
        self.view.update()
        self.strip.set_editable(on)

    def focus(self) -> None:
        """Give the focus to what is shown."""
        shown = self.centre.currentWidget()
        if shown is not None:
            shown.setFocus()

    def _on_theme_changed(self) -> None:
        colours = theme_colours(theme_manager().theme.dark)
        for canvas in (self.view, self.photo, self.compare, self._photos.box.pane):
            canvas.set_colours(colours)

    # -- comments on the photo

    def _begin_comment(self) -> None:
        """Let the user comment on the chosen item, or on the pointer's place on its photo."""
        place, file_id = self.photo.pointed_place(), self._photo_file_id()
        is_shown = self.photo_view.is_on and not self.comparing.is_on
        self.comment_wanted.emit((file_id, *place) if is_shown and place is not None and file_id else None)

    def show_marks(self, marks: Sequence[tuple[int, PhotoPlace]]) -> None:
        """Show the numbers of comments at their places on the photo."""
        self._marks = marks
        self._show_marks()

    def _show_marks(self) -> None:
        file_id = self._photo_file_id()
        self.photo.set_marks([(number, x, y) for number, (of, x, y) in self._marks if of == file_id])

    def _photo_file_id(self) -> str:
        ref = self._photos.pairing.ref
        return "" if ref is None else ref.file_id or file_id_from_url(ref.url) or ""


def _clamp(value: int) -> int:
    return min(max(value, -100), 100)
