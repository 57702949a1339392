"""Shows the bar above the workbench: location, saving state and record actions."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop.commands.bindings import Commands
from desktop.pages.workbench.menus import full_menu
from desktop.record.sending import SyncState
from desktop.widgets import Button, ButtonKind, IconButton, SaveMark, SaveState, TopBar, escape_tooltip
from shared.record.codes import SEALED_STATES
from shared.wire.inspection import Record
from shared.wire.seal import RecordSeal


class RecordTopBar(TopBar):
    """The bar with location, status, saving state and actions of the record."""

    saving_clicked = Signal()
    """Emitted when the user wants to see why edits wait, or to decide a conflict."""

    detect_cancelled = Signal()
    """Emitted to cancel the running detection."""

    def __init__(self, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._commands = commands
        self.mark = SaveMark()
        self.mark.setObjectName("save-mark")
        self._busy = self._ended = False
        self._shown: list[tuple[str, str]] = []
        self.problem = Button("", kind=ButtonKind.DANGER, icon="warning")
        self.problem.setObjectName("save-problem")
        self.problem.clicked.connect(lambda _checked=False: self.saving_clicked.emit())
        self.photo = Button(self.tr("Photos"), icon="photo")
        self.photo.setObjectName("record-photo")
        self.camera = IconButton("camera", commands.title("record.camera"))
        self.camera.setObjectName("record-camera")
        self.phone = IconButton("phone", commands.title("record.phone"))
        self.phone.setObjectName("record-phone")
        self.detect = Button(self.tr("Run detection"), icon="play")
        self.detect.setObjectName("record-detect")
        self.finish = Button(self.tr("Finish record…"), kind=ButtonKind.MAIN, icon="check")
        self.finish.setObjectName("record-finish")
        self.panel = IconButton("panel", commands.title("view.inspector"))
        self.panel.setObjectName("record-panel")
        self.more = IconButton("more", self.tr("More"))
        self.more.setObjectName("record-more")
        cameras = (self.photo, self.camera, self.phone)
        for widget in (self.mark, self.problem, *cameras, self.detect, self.panel, self.more, self.finish):
            self.add_action(widget)
        # The menu has the same, and the cloud says it by its colour and its tooltip.
        self.set_spare(self.phone, self.camera, self.mark.words, self.photo, self.detect)
        for button, command in (
            (self.photo, "record.photos"),
            (self.detect, "record.detect"),
            (self.finish, "record.finish"),
            (self.panel, "view.inspector"),
        ):
            button.setToolTip(commands.tooltip(command))
        self.photo.clicked.connect(lambda _checked=False: commands.run("record.photos"))
        self.camera.clicked.connect(lambda _checked=False: commands.run("record.camera"))
        self.phone.clicked.connect(lambda _checked=False: commands.run("record.phone"))
        self.panel.clicked.connect(lambda _checked=False: commands.run("view.inspector"))
        self.detect.clicked.connect(lambda _checked=False: self._on_detect_clicked())
        self.finish.clicked.connect(lambda _checked=False: self._on_end_clicked())
        self.more.clicked.connect(lambda _checked=False: self._show_more_menu())
        self.show_saving(SyncState())

    def show_record(self, record: Record, seal: RecordSeal | None) -> None:
        """Show the open record and its status.

        A sealed record offers the report in place of finishing. `seal` is None until it is loaded.
        """
        aircraft = record.aircraft_name or ""
        name = record.inspection_name or self.tr("Unnamed record")
        crumbs = [(self.tr("Records"), "records"), (aircraft, ""), (name, "")]
        if crumbs != self._shown:
            self._shown = crumbs
            self.set_crumbs([crumb for crumb in crumbs if crumb[0]])
        self.set_status("" if seal is None else seal.record_state)
        self._ended = seal is not None and seal.state in SEALED_STATES
        self.finish.setText(self.tr("Export report…") if self._ended else self.tr("Finish record…"))
        self.finish.set_icon("report" if self._ended else "check")
        self.finish.setToolTip(self._commands.tooltip("record.report" if self._ended else "record.finish"))

    def show_saving(self, saving: SyncState, held: bool = False, drafted: int = 0) -> None:
        """Show whether all edits have reached the service. With `held`, they wait for the user's consent.

        `drafted` is the number of changes to findings that the user has not saved.
        """
        if saving.conflicts:
            self.problem.setText(self.tr("%n conflicting change(s)", "", saving.conflicts))
        self.problem.setVisible(bool(saving.conflicts))
        if held and saving.unsent_count:
            self.mark.show_state(SaveState.HELD, saving.unsent_count)
        elif saving.offline:
            self.mark.show_state(SaveState.OFFLINE, saving.unsent_count)
        elif saving.unsent_count > saving.conflicts:
            self.mark.show_state(SaveState.WAITING, saving.unsent_count - saving.conflicts)
        elif drafted:
            self.mark.show_state(SaveState.DRAFT, drafted)
        else:
            self.mark.show_state(SaveState.SAVED)
        self.mark.setVisible(not (saving.conflicts and saving.unsent_count == saving.conflicts))
        self.mark.setToolTip(escape_tooltip(saving.problem or self._tooltip(saving, held, drafted)))

    def show_detecting(self, percent: int, count: int) -> None:
        """Show the progress of detections, which the button then cancels.

        `count` is the number of items, 0 if none is running.
        """
        self._busy = count > 0
        if count:
            text = self.tr("Stop detection ({percent}%)").format(percent=percent)
        else:
            text = self.tr("Run detection")
        self.detect.setText(text)
        self.detect.set_icon("close" if count else "play")

    def set_editable(self, items: bool, record: bool, why_not: str = "") -> None:
        """Enable or disable actions that change items, and those that change the record.

        `why_not` says why the record cannot be changed, if a sentence is known.
        """
        self.photo.setEnabled(items)
        self.camera.setEnabled(items)
        self.phone.setEnabled(items)
        self.detect.setEnabled(items)
        self.finish.setEnabled(record or self._ended)
        if why_not and not self.finish.isEnabled():
            self.finish.setToolTip(escape_tooltip(why_not))

    def _on_end_clicked(self) -> None:
        """Finish the record, or open the report of a finished one."""
        self._commands.run("record.report" if self._ended else "record.finish")

    def _on_detect_clicked(self) -> None:
        if self._busy:
            self.detect_cancelled.emit()
        else:
            self._commands.run("record.detect")

    def _tooltip(self, saving: SyncState, held: bool, drafted: int) -> str:
        if held and saving.unsent_count:
            return self.tr("These changes were not sent before the program closed. Keep or discard them.")
        if saving.offline:
            return self.tr(
                "The service is not responding. Your changes are saved on this computer "
                "and will be sent later."
            )
        if saving.unsent_count:
            return self.tr("Your changes are saved on this computer and are being sent to the service.")
        if drafted:
            return self.tr("Changes to findings are saved when you decide, leave the item or finish.")
        return self.tr("All changes are saved to the service.")

    def _show_more_menu(self) -> None:
        menu = full_menu(self._commands, self)
        menu.popup(self.more.mapToGlobal(self.more.rect().bottomLeft()))
