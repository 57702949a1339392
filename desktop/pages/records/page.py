"""Shows the records in a table with filters, which can be used with the keyboard alone."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

from PySide6.QtCore import QCoreApplication, QItemSelectionModel, QModelIndex, Qt, QTimer
from PySide6.QtGui import QImage, QPixmap
from PySide6.QtWidgets import QTableView, QVBoxLayout

from desktop.background.workers import Task, run
from desktop.client.api.inspection import RecordFilter
from desktop.context import Context
from desktop.messages.error_messages import sentence
from desktop.messages.seal_terms import seal_word
from desktop.pages.common.delete_record import delete_record
from desktop.pages.common.files.file_dialogs import Purpose, choose_file
from desktop.pages.common.forms import lookup
from desktop.pages.first_steps import FirstStepsController
from desktop.pages.records.batch_detection import BatchBar, BatchController
from desktop.pages.records.csv_export import RecordListing, export_list, read_flights, read_listing
from desktop.pages.records.filters import Filters
from desktop.pages.records.from_template import TemplateMenu
from desktop.pages.records.new_record import ask_new_record
from desktop.pages.records.records_model import (
    MIN_WIDTHS,
    WIDTHS,
    RecordColumn,
    RecordDelegate,
    RecordsModel,
    row_px,
)
from desktop.record.live_changes import ChangeListener
from desktop.widgets import (
    Button,
    ButtonKind,
    Card,
    ColumnSizer,
    Page,
    PageHeader,
    Pager,
    StateStack,
    column_of,
    set_up_rows,
    status_text,
)
from shared.record.codes import Permission, SealState, Status
from shared.wire.events import ChangeEvent
from shared.wire.inspection import Record

_RELOAD_DELAY_MS = 1000
"""The minimum time between two reloads, because a batch of detections changes many items in a row."""
_LISTED_KINDS = {"record", "item"}
"""The kinds of objects whose changes the list shows."""


class RecordsPage(Page):
    """The records that match the filters, newest first. Enter or a double click opens one."""

    page_id: ClassVar[str] = "records"
    icon: ClassVar[str] = "list"
    permission: ClassVar[Permission | None] = Permission.INSPECTION_READ

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._task: Task | None = None
        self._page_number = 1
        self._record_to_select = ""
        self._keeps_position = False
        self.listener = ChangeListener(context, self)
        self._reload_timer = QTimer(self, singleShot=True, interval=_RELOAD_DELAY_MS)
        self.header = PageHeader(self.tr("Records"))
        self.new = Button(
            self.tr("New record…"),
            kind=ButtonKind.MAIN,
            icon="plus",
            keys=context.commands.keys_text("record.new"),
        )
        self.export = Button(self.tr("Export list…"), icon="download")
        self.detect = Button(self.tr("Detect undetected photos"), icon="play", elide=True)
        self.detect.setToolTip(context.commands.tooltip("records.detect"))
        self.batches = BatchController.for_context(context)
        self.batch_bar = BatchBar(self.batches)
        self.first_steps = FirstStepsController(context, self)
        self.template_menu = TemplateMenu(context, self)
        self.filters = Filters(context)
        self.model = RecordsModel(self)
        self.table = self._make_table()
        self.pager = Pager()
        card = Card()
        column_of((self.table, 1), self.pager, parent=card, margins=1, spacing=0)
        self.stack = StateStack(card)
        self._build()
        self._bind()

    @classmethod
    def title(cls) -> str:
        """The page's name."""
        return QCoreApplication.translate("RecordsPage", "Records")

    def _make_table(self) -> QTableView:
        table = QTableView()
        table.setObjectName("records-table")
        table.setAccessibleName(self.tr("Records"))
        table.setModel(self.model)
        table.setItemDelegate(RecordDelegate(table))
        set_up_rows(table, row_px())
        table.horizontalHeader().setMinimumSectionSize(70)
        ColumnSizer(table, [*WIDTHS.values()], [*MIN_WIDTHS.values()], RecordColumn.NAME)
        return table

    def _build(self) -> None:
        self.header.add_action(self.detect)
        self.header.add_action(self.export)
        self.header.add_action(self.first_steps.more_button)
        self.header.add_action(self.template_menu.button)
        self.header.add_action(self.new)
        column = QVBoxLayout(self)
        column.setContentsMargins(28, 22, 28, 20)
        column.setSpacing(14)
        column.addWidget(self.header)
        column.addWidget(self.filters.work)
        column.addWidget(self.filters)
        column.addWidget(self.batch_bar)
        column.addWidget(self.first_steps.bar)
        column.addWidget(self.stack, 1)

    def _bind(self) -> None:
        commands = self._context.commands
        commands.bind("record.new", self.make_record, owner=self)
        commands.bind(
            "record.open", self.open_selected, owner=self, enabled=lambda: self.selected_record is not None
        )
        commands.bind(
            "record.details", self.open_details, owner=self, enabled=lambda: self.selected_record is not None
        )
        commands.bind("record.export", self.export_list, owner=self)
        commands.bind("records.detect", self.batches.start, owner=self, enabled=lambda: not self.batches.busy)
        commands.bind("record.clear_filters", self.filters.reset, owner=self)
        commands.bind(
            "record.delete",
            self.delete_selected,
            owner=self.table,
            enabled=lambda: self.selected_record is not None,
        )
        commands.bind("search", self.filters.search.setFocus, owner=self)
        commands.bind("reload", self.reload, owner=self)
        self.new.clicked.connect(self.make_record)
        self.export.clicked.connect(self.export_list)
        self.detect.clicked.connect(lambda _checked=False: commands.run("records.detect"))
        # A lambda would stay connected after the deletion of this page, because the batches outlive it.
        self.batches.changed.connect(self._on_batches_changed)
        self.batches.detections_ended.connect(self._reload_if_visible)
        self.batches.notice.connect(self._show_notice)
        self.template_menu.created.connect(self._open_record)
        self.template_menu.notice.connect(self.toast)
        self.first_steps.form_requested.connect(self.make_record)
        self.first_steps.record_requested.connect(self._open_record)
        self.first_steps.changed.connect(self.reload)
        self.first_steps.notice.connect(self.toast)
        self.listener.event_received.connect(self._on_event_received)
        self._reload_timer.timeout.connect(self._reload_page)
        self.filters.changed.connect(lambda: self._go_to_page(1))
        self.pager.page_requested.connect(self._go_to_page)
        self.pager.page_size_changed.connect(lambda _: self._go_to_page(1))
        self.table.activated.connect(self._on_activated)
        self.table.customContextMenuRequested.connect(self._show_menu)

    # -- showing

    def enter(self, params: dict[str, Any]) -> None:
        """Read and show the records, and select the record `record_id`.

        If the parameter `behind` is a RecordFilter, shows only its records, under the name `name` of the part
        of a chart that counts them.
        """
        self._record_to_select = str(params.get("record_id") or "")
        self._page_number = int(params.get("page") or self._page_number)
        chart_filter = params.get("behind")
        if isinstance(chart_filter, RecordFilter):
            self._page_number = 1
            self.filters.show_chart_records(chart_filter, str(params.get("name", "")))
        self.new.setVisible(self._context.may(Permission.INSPECTION_ADD))
        self.detect.setVisible(self._context.may(Permission.INSPECTION_ITEM_UPDATE))
        self.template_menu.enter()
        self.first_steps.enter()
        self.filters.refresh()
        self.reload()
        self.listener.start()

    def leave(self) -> bool:
        """Stop listening to other users' changes."""
        self.listener.stop()
        self._reload_timer.stop()
        return True

    def return_params(self) -> dict[str, Any]:
        """The page of the list and the selected record."""
        record = self.selected_record
        return {"page": self._page_number, "record_id": record.inspection_id if record else ""}

    def reload(self) -> None:
        """Read the current page again."""
        self._go_to_page(self._page_number)

    def _on_event_received(self, event: ChangeEvent | None) -> None:
        if (event is None or event.kind in _LISTED_KINDS) and not self._reload_timer.isActive():
            self._reload_timer.start()

    def _reload_page(self) -> None:
        self._keeps_position = True
        self.filters.work.refresh()
        self._fetch_page(self._page_number)

    def _go_to_page(self, number: int) -> None:
        self._keeps_position = False
        self._fetch_page(number)

    def _fetch_page(self, number: int) -> None:
        self._page_number = max(number, 1)
        if self._task is not None:
            self._task.cancel()
        if not self.model.rowCount():
            self.stack.show_loading()
        self._task = run(
            read_listing,
            self._context.session,
            self.filters.value(),
            self._page_number,
            self.pager.page_size,
            owner=self,
            done=self._show,
            failed=self._show_error,
        )

    def _show(self, listing: RecordListing) -> None:
        page = listing.page
        if not page.data and page.pagination.total and self._page_number > 1:
            self._go_to_page(page.pagination.total_pages)
            return
        keep = self._record_to_select or (self.selected_record.inspection_id if self.selected_record else "")
        self._record_to_select = ""
        scroll_position = self.table.verticalScrollBar().value()
        self.model.show(page.data, listing.seals)
        self.pager.show_pagination(page.pagination)
        self.header.set_subtitle(self.tr("%n record(s)", "", page.pagination.total))
        self.export.setEnabled(bool(page.data))
        # The empty list has its own button for this.
        self.new.setVisible(self._context.may(Permission.INSPECTION_ADD) and bool(page.data))
        if not page.data:
            self._show_empty()
            return
        self.stack.show_content()
        if self.hasFocus():
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)
        self._select_row(max(self.model.find_row(keep), 0))
        if self._keeps_position:
            # The user did not request this reload, so the visible rows must not move.
            self.table.verticalScrollBar().setValue(scroll_position)
        unknown_flights = {
            record.flight_id for record in page.data if record.flight_id
        } - self.model.flights.keys()
        if unknown_flights:
            run(
                read_flights,
                self._context.session,
                sorted(unknown_flights),
                owner=self,
                done=lambda flights: self.model.name_flights(*flights),
                failed=lambda _: None,
            )
        for reference_image_id in self.model.images_without_picture():
            run(
                lookup.reference_picture(self._context.session),
                reference_image_id,
                owner=self,
                done=partial(self._show_picture, reference_image_id),
                failed=lambda _: None,
                priority=-1,
            )

    def _show_empty(self) -> None:
        if self.filters.is_active:
            self.stack.show_empty(
                "search", self.tr("No matching records."), self.tr("Clear filters"), self.filters.reset
            )
        else:
            self.first_steps.show_empty(self.stack)

    def _show_error(self, error: Exception) -> None:
        if self._keeps_position and self.model.rowCount():
            return
        self.stack.show_error(sentence(error), retry=self.reload)

    def _show_picture(self, reference_image_id: str, image: QImage) -> None:
        self.model.set_picture(reference_image_id, QPixmap.fromImage(image))

    def _on_batches_changed(self) -> None:
        self.detect.setEnabled(not self.batches.busy)

    def _reload_if_visible(self) -> None:
        if self.isVisible():
            self.reload()

    def _show_notice(self, text: str) -> None:
        if self.isVisible():
            self.toast.emit(text)

    # -- selection

    @property
    def selected_record(self) -> Record | None:
        """The selected record."""
        index = self.table.currentIndex()
        return self.model.record(index.row()) if index.isValid() else None

    def _select_row(self, row: int) -> None:
        self.table.selectionModel().setCurrentIndex(
            self.model.index(row, 0),
            QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows,
        )

    def _on_activated(self, index: QModelIndex) -> None:
        record = self.model.record(index.row())
        if record is not None:
            self._open_record(record.inspection_id)

    def _open_record(self, record_id: str) -> None:
        self.navigate.emit("workbench", {"record_id": record_id})

    def open_selected(self) -> None:
        """Open the selected record in the workbench."""
        self._on_activated(self.table.currentIndex())

    def open_details(self) -> None:
        """Open the page of the selected record."""
        record = self.selected_record
        if record is not None:
            self.navigate.emit("record", {"record_id": record.inspection_id})

    def _show_menu(self, position: Any) -> None:
        menu = self._context.commands.menu(["record.open", "record.details", "", "record.delete"], self)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.table.viewport().mapToGlobal(position))

    # -- actions

    def make_record(self) -> None:
        """Open the dialog for a new record, then the created record."""
        ask_new_record(self._context, self, self._open_record, self.toast.emit)

    def delete_selected(self) -> None:
        """Delete the selected record with its items after a confirmation."""
        record = self.selected_record
        if record is None:
            return
        delete_record(
            self,
            self._context.session,
            record,
            on_deleted=self.reload,
            on_failed=self._on_delete_failed,
        )

    def _on_delete_failed(self, error: Exception) -> None:
        self.toast.emit(sentence(error))
        self._reload_page()

    def _export_headings(self) -> list[str]:
        """The headings of the exported file, which has counts in place of the table's progress bar."""
        titles = {column: self.model.headerData(column, Qt.Orientation.Horizontal) for column in RecordColumn}
        headings = [str(title) for title in titles.values()]
        counter_headings = [self.tr("Items"), self.tr("Decided items"), self.tr("Detected items")]
        seal_headings = [
            self.tr("Seal status"),
            self.tr("Edition"),
            self.tr("Seal"),
            self.tr("Finished by"),
            self.tr("Finished at"),
            self.tr("Reviewed by"),
            self.tr("Reviewed at"),
        ]
        return [
            *headings[: RecordColumn.PROGRESS],
            *counter_headings,
            headings[RecordColumn.STATUS],
            *seal_headings,
            *headings[RecordColumn.STATUS + 1 :],
        ]

    def export_list(self) -> None:
        """Ask for a file and write every record that matches the filters to it as CSV."""
        kinds = {self.tr("CSV (*.csv)"): ".csv"}
        choice = choose_file(self, self.tr("Export list"), "records.csv", kinds, Purpose.EXPORTS)
        if choice is not None:
            run(
                export_list,
                self._context.session,
                self.filters.value(),
                self._export_headings(),
                {status: status_text(status) for status in Status}
                | {state: seal_word(state) for state in SealState},
                self.model.flights,
                choice[0],
                owner=self,
                done=lambda n: self.toast.emit(self.tr("%n record(s) exported.", "", n)),
                failed=lambda error: self.toast.emit(sentence(error)),
            )
