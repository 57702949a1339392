"""Shows the page of one record."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from PySide6.QtCore import QCoreApplication, Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from desktop.background.workers import Task, run
from desktop.client.http.errors import NotFound
from desktop.context import Context
from desktop.pages.common.delete_record import delete_record
from desktop.pages.common.files.export import ExportController
from desktop.pages.common.item_sources import copy_last_items
from desktop.pages.common.messages.error_messages import sentence
from desktop.pages.record import record_data as calls
from desktop.pages.record.fields_card import FieldsCard
from desktop.pages.record.items_card import ItemsCard
from desktop.pages.record.record_data import RecordData
from desktop.pages.record.report_progress import ReportProgress
from desktop.pages.record.saving import RecordSaver
from desktop.pages.sealing.seal_actions import SealController
from desktop.pages.sealing.seal_bar import SealBar
from desktop.widgets import Banner, Button, ButtonKind, IconButton, Page, StateStack, TopBar, confirm
from shared.codes import SEALED_STATES, Permission, Status
from shared.wire.inspection import Item

_FIELDS_PX = 400
_LEAST_FIELDS_PX = 340


class RecordPage(Page):
    """Every field of a record, its items, and what can be done with it as a whole."""

    page_id: ClassVar[str] = "record"
    section: ClassVar[str] = "records"
    permission: ClassVar[Permission | None] = Permission.INSPECTION_READ

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._record_id = ""
        self._record_data: RecordData | None = None
        self._typed: dict[str, Any] = {}
        self._task: Task | None = None
        self._written = Path()
        self.top = TopBar()
        self.banner = Banner()
        self.writing = ReportProgress()
        self.seal_bar = SealBar()
        self.seal_controller = SealController(context, self.seal_bar, self)
        self.exporter = ExportController(context, self)
        self.fields = FieldsCard(context)
        self.saver = RecordSaver(context, self.fields, self)
        self.items = ItemsCard()
        self.pdf = Button(self.tr("Export PDF report"), icon="report")
        self.html = Button(self.tr("Export as HTML"))
        self.more = IconButton("more", self.tr("More"))
        self.open = Button(
            self.tr("Open workbench"),
            kind=ButtonKind.MAIN,
            icon="edit",
            keys=context.commands.keys_text("details.workbench"),
        )
        self._build()
        self._bind()

    @classmethod
    def title(cls) -> str:
        """The page's name."""
        return QCoreApplication.translate("RecordPage", "Record")

    def _build(self) -> None:
        for button in (self.pdf, self.html, self.more, self.open):
            self.top.add_action(button)
        inner = QWidget()
        inner.setProperty("clear", True)
        lines = QVBoxLayout(inner)
        lines.setContentsMargins(0, 0, 0, 0)
        lines.addWidget(self.fields)
        lines.addStretch(1)
        left = QScrollArea()
        left.setFrameShape(QFrame.Shape.NoFrame)
        left.setWidgetResizable(True)
        left.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        left.setWidget(inner)
        left.setMinimumWidth(_LEAST_FIELDS_PX)
        left.setMaximumWidth(_FIELDS_PX)
        content = QWidget()
        row = QHBoxLayout(content)
        row.setContentsMargins(20, 20, 20, 20)
        row.setSpacing(20)
        row.addWidget(left, _FIELDS_PX)
        row.addWidget(self.items, _FIELDS_PX + _LEAST_FIELDS_PX // 2)
        self.stack = StateStack(content)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.top)
        column.addWidget(self.seal_bar)
        column.addWidget(self.banner)
        column.addWidget(self.writing)
        column.addWidget(self.stack, 1)

    def _bind(self) -> None:
        bind = self._context.commands.bind
        is_open = self._is_open
        bind("details.save", self.save, self, enabled=lambda: self.fields.unsaved and not self.saver.busy)
        bind("details.workbench", self.open_workbench, self, enabled=is_open)
        bind("details.pdf", partial(self.write_report, "pdf"), self, enabled=is_open)
        bind("details.html", partial(self.write_report, "html"), self, enabled=is_open)
        bind("inspection.export", self.export, self, enabled=is_open)
        bind("details.cancel", self.cancel_record, self, enabled=self._may_cancel)
        bind("details.reopen", self.reopen, self, enabled=self._may_reopen)
        bind(
            "details.delete",
            self.delete,
            self,
            enabled=lambda: is_open() and self._context.may(Permission.INSPECTION_DELETE),
        )
        self.top.crumb_chosen.connect(lambda page_id: self.navigate.emit(page_id, self._record_params()))
        self.banner.acted.connect(self._open_written_file)
        self.seal_controller.changed.connect(lambda _: self.reload())
        self.seal_controller.notice.connect(lambda message: self.banner.say(message, "error"))
        self.writing.written.connect(self._on_report_written)
        self.writing.failed.connect(lambda message: self.banner.say(message, "error"))
        self.exporter.written.connect(self._on_exported)
        self.exporter.notice.connect(lambda message: self.banner.say(message, "error"))
        self.fields.save.clicked.connect(self.save)
        self.saver.shown.connect(self._show)
        self.saver.saved.connect(lambda: self.toast.emit(self.tr("Record saved.")))
        self.saver.failed.connect(lambda message: self.banner.say(message, "error"))
        self.items.picked.connect(self._open_item)
        self.items.from_template.connect(self.items_from_template)
        self.items.from_last.connect(self.items_from_last)
        self.pdf.clicked.connect(lambda: self.write_report("pdf"))
        self.html.clicked.connect(lambda: self.write_report("html"))
        self.more.clicked.connect(self._menu)
        self.open.clicked.connect(self.open_workbench)

    # -- showing

    def enter(self, params: dict[str, Any]) -> None:
        """Show the record `record_id`, with what was `typed` in its fields."""
        record_id = str(params.get("record_id") or self._record_id)
        typed = params.get("typed")
        self._typed = dict(typed) if isinstance(typed, dict) else {}
        self.banner.hide()
        if record_id != self._record_id:
            self._record_data = None
        self._record_id = record_id
        self.reload()

    def return_params(self) -> dict[str, Any]:
        """The record and the unsaved texts."""
        params: dict[str, Any] = {"record_id": self._record_id}
        if self.fields.unsaved:
            params["typed"] = self.fields.typed()
        return params

    def leave(self) -> bool:
        """Ask before typed text is lost."""
        return not self.fields.unsaved or confirm(
            self,
            self.tr("Discard changes?"),
            self.tr("The changes on this page are not saved."),
            self.tr("Discard"),
        )

    def reload(self) -> None:
        """Read the record again."""
        if not self._record_id:
            self.stack.show_empty(
                "list",
                self.tr("No record open."),
                self.tr("Go to records"),
                lambda: self.navigate.emit("records", {}),
            )
            self._show_buttons()
            return
        if self._record_data is None:
            self.stack.show_loading()
            self._show_buttons()
        if self._task is not None:
            self._task.cancel()
        self._task = run(
            calls.fetch,
            self._context.session,
            self._record_id,
            owner=self,
            done=self._show,
            failed=self._explain,
        )

    def _show(self, record_data: RecordData, keep: Sequence[str] = ()) -> None:
        self._record_data = record_data
        self.seal_controller.show(record_data.seal, record_data.record.inspection_name or "")
        self.fields.show_record_data(record_data, keep)
        self.fields.restore(self._typed)
        self._typed = {}
        record = record_data.record
        name = record.inspection_name or self.tr("Unnamed")
        self.top.set_crumbs(
            [
                (self.tr("Records"), "records"),
                *([(record.aircraft_name, "")] if record.aircraft_name else []),
                (name, "record"),
            ]
        )
        self.top.set_status(record_data.seal.record_state)
        self.items.show_items(
            record_data.items,
            record.reference_image_id is not None,
            self._context.may(Permission.INSPECTION_ITEM_ADD),
        )
        self.stack.show_content()
        self._show_buttons()

    def _show_buttons(self) -> None:
        for button in (self.pdf, self.html, self.more, self.open):
            button.setEnabled(self._is_open())

    def _explain(self, error: Exception) -> None:
        if isinstance(error, NotFound):
            self._record_data = None
            self.stack.show_empty(
                "list",
                self.tr("This record no longer exists."),
                self.tr("Go to records"),
                lambda: self.navigate.emit("records", {}),
            )
            self._show_buttons()
        elif self._record_data is None:
            self.stack.show_error(sentence(error), self.reload)
        else:
            self.banner.say(sentence(error), "error")

    def _is_open(self) -> bool:
        return self._record_data is not None

    def _may_cancel(self) -> bool:
        return self._may_change() and not self._sealed and not self._cancelled

    def _may_reopen(self) -> bool:
        if self._sealed:
            return self._context.may(Permission.INSPECTION_REOPEN)
        return self._may_change() and self._cancelled

    def _may_change(self) -> bool:
        return self._is_open() and self._context.may(Permission.INSPECTION_UPDATE)

    @property
    def _sealed(self) -> bool:
        return self._record_data is not None and self._record_data.seal.state in SEALED_STATES

    @property
    def _cancelled(self) -> bool:
        return self._record_data is not None and self._record_data.seal.record_state is Status.CANCELLED

    def _record_params(self) -> dict[str, Any]:
        return {"record_id": self._record_id}

    # -- saving

    def save(self) -> None:
        """Send the fields that changed."""
        if self._record_data is not None:
            self.banner.hide()
            self.saver.save(self._record_data)

    def _change_record(self, changes: dict[str, Any]) -> None:
        if self._record_data is not None and not self.saver.busy:
            self.banner.hide()
            self.saver.send(self._record_data, changes)

    # -- the record as a whole

    def open_workbench(self) -> None:
        """Open the record in the workbench."""
        self.navigate.emit("workbench", {"record_id": self._record_id})

    def _open_item(self, item_id: str) -> None:
        self.navigate.emit("workbench", {"record_id": self._record_id, "item_id": item_id})

    def _menu(self) -> None:
        menu = self._context.commands.menu(
            ["inspection.export", "", "details.cancel", "details.reopen", "", "details.delete"], self
        )
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.more.mapToGlobal(self.more.rect().bottomLeft()))

    def cancel_record(self) -> None:
        """Cancel the record, after asking."""
        if confirm(
            self,
            self.tr("Cancel record?"),
            self.tr("The record and all its items are kept. You can reopen it later."),
            self.tr("Cancel record"),
        ):
            self._change_record({"inspection_status": Status.CANCELLED})

    def reopen(self) -> None:
        """Reopen a sealed record with a reason, or undo its cancellation."""
        if self._sealed:
            self.seal_controller.reopen()
        elif self._record_data is not None:
            has_progress = self._record_data.record.progress > 0
            status = Status.IN_PROGRESS if has_progress else Status.NOT_STARTED
            self._change_record({"inspection_status": status, "end_time": None})

    def delete(self) -> None:
        """Delete the record with its items, after asking."""
        if self._record_data is None:
            return
        delete_record(
            self,
            self._context.session,
            self._record_data.record,
            on_deleted=self._on_deleted,
            on_failed=lambda error: self.banner.say(sentence(error), "error"),
            on_cancelled=self.reload,
        )

    def _on_deleted(self) -> None:
        self._record_data = None
        self._record_id = ""
        self.fields.forget()
        self.toast.emit(self.tr("Record deleted."))
        self.navigate.emit("records", {})

    # -- items

    def items_from_template(self) -> None:
        """Give the record the items of its reference image's template."""
        self._create_items(self._context.session.items.from_template, self._record_id)

    def items_from_last(self) -> None:
        """Give the record the items of the last inspection of its reference image."""
        if self._record_data is not None:
            self._create_items(copy_last_items, self._context.session, self._record_data.record)

    def _create_items(self, function: Any, *args: Any) -> None:
        run(
            function,
            *args,
            owner=self,
            done=self._on_items_created,
            failed=lambda error: self.banner.say(sentence(error), "error"),
        )

    def _on_items_created(self, items: Sequence[Item] | None) -> None:
        if items is None:
            text = self.tr("No earlier record with items of this reference image.")
            self.banner.say(text, "warn")
            return
        self._typed = self.fields.typed() if self.fields.unsaved else {}
        self.reload()

    # -- the report

    def write_report(self, ending: str) -> None:
        """Ask for a file and write the report into it."""
        payload = self._context.payload
        if self._record_data is not None and payload is not None:
            self.banner.hide()
            made_by = payload.user.name or payload.user.username
            self.writing.ask(self._context.session, self._record_data.record, made_by, ending)

    def export(self) -> None:
        """Ask for a format and a file and write the whole inspection into it."""
        name = self._record_data.record.inspection_name if self._record_data is not None else None
        chosen = self.exporter.ask_target(name or "")
        if chosen is not None:
            self.banner.hide()
            self.exporter.write(self._record_id, *chosen)

    def _on_exported(self, path: str) -> None:
        self.banner.say(self.tr("Saved: {file}").format(file=Path(path).name), "info")

    def _on_report_written(self, path: Path) -> None:
        self._written = path
        text = self.tr("Report saved: {file}").format(file=path.name)
        self.banner.say(text, "info", self.tr("Open"))

    def _open_written_file(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._written)))
