"""Shows the audit log: actions with user, time and source."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPlainTextEdit, QSplitter, QWidget

from desktop.background.workers import Task, run
from desktop.client.api.administration import AuditFilter
from desktop.context import Context
from desktop.localization.dates import format_minute, format_second
from desktop.messages.error_messages import sentence
from desktop.pages.common.lists.list_section import NOTHING, PageSection
from desktop.pages.people import audit_terms
from desktop.pages.people.audit_terms import ACTIONS, KINDS, action_word, object_kind_name
from desktop.pages.people.details import detail_lines, referenced_objects
from desktop.widgets import (
    Button,
    ButtonKind,
    Card,
    Column,
    Combo,
    Pager,
    Panel,
    StateStack,
    Table,
    column_of,
    label,
    row_of,
)
from shared.wire.audit import AuditEntry
from shared.wire.common import Page as Listing

_PERIOD_DAYS = (1, 7, 30, 365)
_SHORT_ID = 8


class AuditSection(PageSection):
    """The audit log, newest entry first, with filters and the details of the selected entry."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._page_number = 1
        self._object_names: audit_terms.Names = {}
        self._requested_names: set[tuple[str, str]] = set()
        self._task: Task | None = None
        self.action = Combo(self.tr("Action"))
        self.kind = Combo(self.tr("Object"))
        self.actor = Combo(self.tr("User"))
        self.period = Combo(self.tr("Time"))
        self.clear = Button(self.tr("Clear"), kind=ButtonKind.GHOST)
        self.table: Table[AuditEntry] = Table(self.tr("Audit log"), self._columns(), row_px=36)
        self.pager = Pager()
        self._title = label("", "strong", wrap=True)
        self.details = QPlainTextEdit()
        self.details.setReadOnly(True)
        self.details.setTabChangesFocus(True)
        self.details.setAccessibleName(self.tr("Entry details"))
        self._build()
        self._connect()

    def _columns(self) -> list[Column[AuditEntry]]:
        return [
            Column(self.tr("No."), lambda e: str(e.seq), 72, kind="dim"),
            Column(self.tr("Time"), lambda e: format_minute(e.at), 150, min_width=132),
            Column(self.tr("User"), self._actor_text, 140),
            Column(self.tr("Action"), lambda e: action_word(e.action), 170, kind="strong"),
            Column(self.tr("Object"), self._object_text, stretch=True),
            Column(self.tr("Source"), lambda e: e.address or NOTHING, 120, kind="dim"),
        ]

    def _build(self) -> None:
        row = row_of(self.action, self.kind, self.actor, self.period, self.clear, 1, spacing=8)
        self.action.set_choices(
            [(None, self.tr("All actions")), *((code, action_word(code)) for code in ACTIONS)]
        )
        self.kind.set_choices(
            [(None, self.tr("All objects")), *((code, object_kind_name(code)) for code in KINDS)]
        )
        self.actor.set_choices([(None, self.tr("All users"))])
        self.period.set_choices(
            [
                (None, self.tr("Any time")),
                *((days, self.tr("Last %n day(s)", "", days)) for days in _PERIOD_DAYS),
            ]
        )
        self.clear.hide()
        side = Panel()
        column_of(self._title, (self.details, 1), parent=side, margins=(16, 12, 16, 12), spacing=8)
        parts = QSplitter(Qt.Orientation.Horizontal)
        parts.addWidget(self.table)
        parts.addWidget(side)
        parts.setStretchFactor(0, 1)
        parts.setSizes([900, 280])
        parts.setChildrenCollapsible(False)
        card = Card()
        column_of((parts, 1), self.pager, parent=card, margins=1, spacing=0)
        self.stack = StateStack(card)
        column_of(row, (self.stack, 1), parent=self, margins=0, spacing=12)

    def _connect(self) -> None:
        for combo in (self.action, self.kind, self.actor, self.period):
            combo.picked.connect(lambda _: self._on_filter_changed())
        self.clear.clicked.connect(self.reset)
        self.pager.page_requested.connect(self.go_to_page)
        self.pager.page_size_changed.connect(lambda _: self.go_to_page(1))
        self.table.selection_changed.connect(self._show_details)

    # -- filters

    def value(self) -> AuditFilter:
        """The current filters."""
        days = self.period.value()
        return AuditFilter(
            action=_selected_code(self.action),
            kind=_selected_code(self.kind),
            actor=_selected_code(self.actor),
            at_from=datetime.now(UTC) - timedelta(days=days) if isinstance(days, int) else None,
        )

    def reset(self) -> None:
        """Clear the filters."""
        for combo in (self.action, self.kind, self.actor, self.period):
            combo.set_value(None)
        self._on_filter_changed()

    def _on_filter_changed(self) -> None:
        self.clear.setVisible(self.value() != AuditFilter())
        self.go_to_page(1)

    def enter(self) -> None:
        """Called when the section comes to the front."""
        session = self._context.session
        run(audit_terms.user_names, session, owner=self, done=self._set_users, failed=lambda _: None)
        self.go_to_page(self._page_number)
        self.table.setFocus()

    def go_to_page(self, number: int) -> None:
        """Fetch and show a page."""
        self._page_number = max(number, 1)
        if self._task is not None:
            self._task.cancel()
        if self.table.selected_row is None:
            self.stack.show_loading()
        self._task = run(
            self._context.session.audit.page,
            self.value(),
            self._page_number,
            self.pager.page_size,
            owner=self,
            done=self._show,
            failed=lambda error: self.stack.show_error(
                sentence(error), lambda: self.go_to_page(self._page_number)
            ),
        )

    def _show(self, page: Listing[AuditEntry]) -> None:
        selected_seq = self.table.selected_row.seq if self.table.selected_row is not None else 0
        self.table.show_rows(page.data, lambda entry: entry.seq == selected_seq)
        self.pager.show_pagination(page.pagination)
        if not page.data:
            self.stack.show_empty(
                "search", self.tr("No matching entries."), self.tr("Clear filters"), self.reset
            )
            return
        self.stack.show_content()
        session = self._context.session
        run(
            audit_terms.object_names,
            session,
            page.data,
            dict(self._object_names),
            owner=self,
            done=self._add_names,
            failed=lambda _: None,
        )

    # -- names

    def _set_users(self, names: audit_terms.Names) -> None:
        users = sorted(((key[1], name) for key, name in names.items()), key=lambda pair: pair[1])
        self.actor.set_choices([(None, self.tr("All users")), *users])
        self._add_names(names)

    def _add_names(self, names: audit_terms.Names) -> None:
        self._object_names |= names
        self.table.rows_model.refresh_cells()
        self._show_details()

    def _actor_text(self, entry: AuditEntry) -> str:
        if entry.actor is None:
            return self.tr("Not logged in") if entry.address else self.tr("Service")
        return self._object_names.get(("user", entry.actor), entry.actor[:_SHORT_ID])

    def _object_text(self, entry: AuditEntry) -> str:
        kind = object_kind_name(entry.kind)
        key = entry.object_id
        if not key or entry.kind in {"face_policy", "service", "audit"}:
            return kind
        name = self._object_names.get((entry.kind, key)) or _stored_name(entry) or key[:_SHORT_ID]
        return f"{kind} · {name}"

    # -- details

    def _show_details(self) -> None:
        entry = self.table.selected_row
        self._title.setText(f"{action_word(entry.action)} · {self._object_text(entry)}" if entry else "")
        if entry is None:
            self.details.clear()
            return
        self._fetch_names(referenced_objects(entry.details))
        lines = [
            self.tr("Time: {time}").format(time=format_second(entry.at)),
            self.tr("User: {name}").format(name=self._actor_text(entry)),
        ]
        if entry.object_id:
            lines.append(self.tr("ID: {id}").format(id=entry.object_id))
        lines += ["", *detail_lines(entry.details, self._object_names)] if entry.details else []
        lines += ["", self.tr("Hash: {hash}").format(hash=entry.hash)]
        self.details.setPlainText("\n".join(lines))

    def _fetch_names(self, objects: set[tuple[str, str]]) -> None:
        """Fetch the names of objects that the details refer to, if not requested before."""
        missing_objects = objects - self._object_names.keys() - self._requested_names
        if not missing_objects:
            return
        self._requested_names |= missing_objects
        session = self._context.session
        run(
            audit_terms.find_names,
            session,
            missing_objects,
            owner=self,
            done=self._add_names,
            failed=lambda _: None,
        )


def _selected_code(combo: Combo) -> str | None:
    value = combo.value()
    return str(value) if value else None


def _stored_name(entry: AuditEntry) -> str:
    """The name that the entry contains, for an object that was deleted; empty if it contains none."""
    for field in ("inspection_name", "item_name", "username", "name", f"{entry.kind}_name", "flight_number"):
        value = entry.details.get(field)
        if isinstance(value, list) and value:
            value = value[-1]
        if isinstance(value, dict):
            value = value.get("new")
        if isinstance(value, str) and value:
            return value
    return ""
