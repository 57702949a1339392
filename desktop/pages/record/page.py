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
from desktop.client.http.errors import NotFound, Stale
from desktop.context import Context
from desktop.messages.error_messages import sentence
from desktop.pages.common.delete_record import delete_record
from desktop.pages.common.files.export import ExportController
from desktop.pages.common.files.report_file import ReportFileController, report_options
from desktop.pages.common.handover import HandoverBanner, open_handover
from desktop.pages.common.item_sources import copy_last_items
from desktop.pages.record import fields_card as calls
from desktop.pages.record.fields_card import FieldsCard, RecordData
from desktop.pages.record.items_card import ItemsCard
from desktop.pages.record.saving import RecordSaver
from desktop.pages.sealing.seal_actions import SealBar, SealController
from desktop.report.collect import collect
from desktop.widgets import (
    Banner,
    Button,
    ButtonKind,
    IconButton,
    Page,
    StateStack,
    TopBar,
    column_of,
    confirm,
)
from shared.names import user_label
from shared.record.codes import SEALED_STATES, Permission, Status
from shared.wire.inspection import Item

_FIELDS_PX = 400
_MIN_FIELDS_PX = 340


class RecordPage(Page):
    """Shows the fields and items of a record, with the actions for the whole record."""

    page_id: ClassVar[str] = "record"
    section: ClassVar[str] = "records"
    permission: ClassVar[Permission | None] = Permission.INSPECTION_READ

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._record_id = ""
        self._record_data: RecordData | None = None
        self._values_to_restore: dict[str, Any] = {}
        self._task: Task | None = None
        self._written_file = Path()
        self.top = TopBar()
        self.banner = Banner()
        self.handover_note = HandoverBanner(context)
        self.seal_bar = SealBar()
        self.seal_controller = SealController(context, self.seal_bar, self)
        self.exporter = ExportController(context, self)
        self.report_file = ReportFileController(self)
        self.fields = FieldsCard(context)
        self.saver = RecordSaver(context, self.fields, self)
        self.items = ItemsCard()
        self.pdf = Button(self.tr("Export PDF report…"), icon="report")
        self.html = Button(self.tr("Export HTML report…"))
        self.more_button = IconButton("more", self.tr("More"))
        self.open_button = Button(
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
        for button in (self.pdf, self.html, self.more_button, self.open_button):
            self.top.add_action(button)
        inner = QWidget()
        inner.setProperty("clear", True)
        column_of(self.fields, 1, parent=inner, margins=0)
        scroll_area = QScrollArea()
        scroll_area.setFrameShape(QFrame.Shape.NoFrame)
        scroll_area.setWidgetResizable(True)
        scroll_area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll_area.setWidget(inner)
        scroll_area.setMinimumWidth(_MIN_FIELDS_PX)
        scroll_area.setMaximumWidth(_FIELDS_PX)
        content = QWidget()
        row = QHBoxLayout(content)
        row.setContentsMargins(20, 20, 20, 20)
        row.setSpacing(20)
        row.addWidget(scroll_area, _FIELDS_PX)
        row.addWidget(self.items, _FIELDS_PX + _MIN_FIELDS_PX // 2)
        self.stack = StateStack(content)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.top)
        column.addWidget(self.seal_bar)
        column.addWidget(self.banner)
        column.addWidget(self.handover_note)
        column.addWidget(self.stack, 1)

    def _bind(self) -> None:
        bind = self._context.commands.bind
        is_open = self._is_open
        bind("details.save", self.save, self, enabled=lambda: self.fields.has_changes and not self.saver.busy)
        bind("details.workbench", self.open_workbench, self, enabled=is_open)
        bind("details.pdf", partial(self.write_report, "pdf"), self, enabled=is_open)
        bind("details.html", partial(self.write_report, "html"), self, enabled=is_open)
        bind("inspection.export", self.export, self, enabled=is_open)
        bind("inspection.hand_over", self.hand_over, self, enabled=self._may_cancel)
        bind("details.cancel", self.cancel_record, self, enabled=self._may_cancel)
        bind("details.restore", self.restore, self, enabled=self._may_restore)
        bind("details.reopen", self.reopen, self, enabled=self._may_reopen)
        bind(
            "details.delete",
            self.delete,
            self,
            enabled=lambda: is_open() and self._context.may(Permission.INSPECTION_DELETE),
        )
        self.top.crumb_chosen.connect(lambda page_id: self.navigate.emit(page_id, self._record_params()))
        self.banner.action_chosen.connect(self._open_written_file)
        self.seal_controller.changed.connect(lambda _: self.reload())
        self.seal_controller.notice.connect(lambda message: self.banner.show_message(message, "error"))
        self.report_file.written.connect(self._on_report_written)
        self.report_file.notice.connect(lambda message: self.banner.show_message(message, "error"))
        self.exporter.written.connect(self._on_exported)
        self.exporter.notice.connect(lambda message: self.banner.show_message(message, "error"))
        self.fields.save.clicked.connect(self.save)
        self.saver.record_loaded.connect(self._show)
        self.saver.saved.connect(lambda: self.toast.emit(self.tr("Record saved.")))
        self.saver.failed.connect(lambda message: self.banner.show_message(message, "error"))
        self.items.item_activated.connect(self._open_item)
        self.items.template_requested.connect(self.items_from_template)
        self.items.copy_requested.connect(self.items_from_last)
        self.pdf.clicked.connect(lambda: self.write_report("pdf"))
        self.html.clicked.connect(lambda: self.write_report("html"))
        self.more_button.clicked.connect(self._show_menu)
        self.open_button.clicked.connect(self.open_workbench)

    # -- showing

    def enter(self, params: dict[str, Any]) -> None:
        """Show the record `record_id`, with the values `typed` in its fields."""
        record_id = str(params.get("record_id") or self._record_id)
        values = params.get("typed")
        self._values_to_restore = dict(values) if isinstance(values, dict) else {}
        self.banner.hide()
        if record_id != self._record_id:
            self._record_data = None
        self._record_id = record_id
        self.reload()

    def return_params(self) -> dict[str, Any]:
        """The record and the unsaved values."""
        params: dict[str, Any] = {"record_id": self._record_id}
        if self.fields.has_changes:
            params["typed"] = self.fields.typed_values()
        return params

    def leave(self) -> bool:
        """Ask before unsaved changes are discarded."""
        return not self.fields.has_changes or confirm(
            self,
            self.tr("Discard changes?"),
            self.tr("The changes on this page are not saved."),
            self.tr("Discard"),
        )

    def reload(self, keeps_changes: bool = False) -> None:
        """Read the record again. With `keeps_changes`, changed fields keep their typed values."""
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
            calls.load_record,
            self._context.session,
            self._record_id,
            owner=self,
            done=self._show_beside_changes if keeps_changes else self._show,
            failed=self._show_error,
        )

    def _show(self, record_data: RecordData, keep: Sequence[str] = ()) -> None:
        self._record_data = record_data
        self.handover_note.show_record(self._record_id)
        self.seal_controller.show(record_data.seal, record_data.record.inspection_name or "")
        self.fields.show_record_data(record_data, keep)
        self.fields.restore(self._values_to_restore)
        self._values_to_restore = {}
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
            record_data.photos,
        )
        self.stack.show_content()
        self._show_buttons()

    def _show_beside_changes(self, record_data: RecordData) -> None:
        base = self._record_data
        self._show(record_data, self.fields.changed_fields())
        if base is not None:
            self.fields.show_conflicts(base.record)

    def _show_buttons(self) -> None:
        for button in (self.pdf, self.html, self.more_button, self.open_button):
            button.setEnabled(self._is_open())

    def _show_error(self, error: Exception) -> None:
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
            self.banner.show_message(sentence(error), "error")

    def _is_open(self) -> bool:
        return self._record_data is not None

    def _may_cancel(self) -> bool:
        return self._may_change() and not self._is_sealed and not self._is_cancelled

    def _may_reopen(self) -> bool:
        return self._is_sealed and self._context.may(Permission.INSPECTION_REOPEN)

    def _may_restore(self) -> bool:
        return self._may_change() and self._is_cancelled

    def _may_change(self) -> bool:
        return self._is_open() and self._context.may(Permission.INSPECTION_UPDATE)

    @property
    def _is_sealed(self) -> bool:
        return self._record_data is not None and self._record_data.seal.state in SEALED_STATES

    @property
    def _is_cancelled(self) -> bool:
        return self._record_data is not None and self._record_data.seal.record_state is Status.CANCELLED

    def _record_params(self) -> dict[str, Any]:
        return {"record_id": self._record_id}

    # -- saving

    def save(self) -> None:
        """Save the changed fields."""
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

    def _show_menu(self) -> None:
        menu = self._context.commands.menu(
            [
                "inspection.hand_over",
                "inspection.export",
                "",
                "details.cancel",
                "details.restore",
                "details.reopen",
                "",
                "details.delete",
            ],
            self,
        )
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.more_button.mapToGlobal(self.more_button.rect().bottomLeft()))

    def hand_over(self) -> None:
        """Ask who goes on with the record, and hand it over."""
        dialog = open_handover(self._context, self._record_id, self, self.toast.emit)
        dialog.handed_over.connect(lambda _: self.reload())

    def cancel_record(self) -> None:
        """Cancel the record after a confirmation."""
        if confirm(
            self,
            self.tr("Void record?"),
            self.tr("The record and all its items are kept. You can restore it later."),
            self.tr("Void record"),
            dismiss=self.tr("Keep record"),
        ):
            self._change_record({"inspection_status": Status.CANCELLED})

    def reopen(self) -> None:
        """Reopen the sealed record with a reason."""
        self.seal_controller.reopen()

    def restore(self) -> None:
        """Undo that the record was made void."""
        if self._record_data is not None:
            has_progress = self._record_data.record.progress > 0
            status = Status.IN_PROGRESS if has_progress else Status.NOT_STARTED
            self._change_record({"inspection_status": status, "end_time": None})

    def delete(self) -> None:
        """Delete the record with its items after a confirmation."""
        if self._record_data is None:
            return
        delete_record(
            self,
            self._context.session,
            self._record_data.record,
            on_deleted=self._on_deleted,
            on_failed=self._on_delete_failed,
        )

    def _on_delete_failed(self, error: Exception) -> None:
        self.banner.show_message(sentence(error), "error")
        if isinstance(error, Stale):
            self.reload(keeps_changes=True)

    def _on_deleted(self) -> None:
        self._record_data = None
        self._record_id = ""
        self.fields.clear_record()
        self.toast.emit(self.tr("Record deleted."))
        self.navigate.emit("records", {})

    # -- items

    def items_from_template(self) -> None:
        """Create the items of the reference image's template in the record."""
        self._create_items(self._context.session.items.from_template, self._record_id)

    def items_from_last(self) -> None:
        """Copy the items of the last record with the same reference image."""
        if self._record_data is not None:
            self._create_items(copy_last_items, self._context.session, self._record_data.record)

    def _create_items(self, function: Any, *args: Any) -> None:
        run(
            function,
            *args,
            owner=self,
            done=self._on_items_created,
            failed=lambda error: self.banner.show_message(sentence(error), "error"),
        )

    def _on_items_created(self, items: Sequence[Item] | None) -> None:
        if items is None:
            text = self.tr("No earlier record with items of this reference image.")
            self.banner.show_message(text, "warn")
            return
        self.reload(keeps_changes=True)

    # -- the report

    def write_report(self, format_id: str) -> None:
        """Ask for a file and write the report to it."""
        payload = self._context.payload
        if self._record_data is None or payload is None:
            return
        record_id, name = self._record_id, self._record_data.record.inspection_name
        path = self.report_file.ask(name or "", html_first=format_id == "html")
        if path is not None:
            self.banner.hide()
            made_by = user_label(payload.user.name, payload.user.username)
            options = report_options(self._context)
            self.report_file.write(
                partial(collect, self._context.session, record_id, made_by, options=options), path
            )

    def export(self) -> None:
        """Ask for a file and a format, and export the whole inspection."""
        name = self._record_data.record.inspection_name if self._record_data is not None else None
        target = self.exporter.ask_target(name or "")
        if target is not None:
            self.banner.hide()
            self.exporter.write(self._record_id, *target)

    def _on_exported(self, path: str) -> None:
        self.banner.show_message(self.tr("Saved: {file}").format(file=Path(path).name), "info")

    def _on_report_written(self, path: str) -> None:
        self._written_file = Path(path)
        text = self.tr("Report saved: {file}").format(file=self._written_file.name)
        self.banner.show_message(text, "info", self.tr("Open"))

    def _open_written_file(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._written_file)))
