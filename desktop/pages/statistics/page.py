"""Shows the statistics: six charts that share the filters above them."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any, ClassVar

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QScrollArea, QWidget

from desktop.client.api.administration import ChartFilter
from desktop.client.api.inspection import RecordFilter
from desktop.context import Context
from desktop.pages.common.forms import lookup
from desktop.pages.common.forms.chooser import SearchCombo
from desktop.pages.statistics.card import ChartCard
from desktop.pages.statistics.charts import ChartKind
from desktop.widgets import Button, ButtonKind, DateRange, FlowLayout, Page, PageHeader, column_of
from shared.record.codes import Permission

DEFAULT_DAYS = 30
"""The number of days in the default filter; a bar for each day is still readable."""
_MIN_CARD_PX = 440
"""The minimum width of a card in px. As many cards as fit are side by side, at most three."""
_MAX_COLUMNS = 3


class StatisticsPage(Page):
    """Shows numbers of records and findings over time. A bar opens the records that it counts."""

    page_id: ClassVar[str] = "statistics"
    icon: ClassVar[str] = "chart"
    permission: ClassVar[Permission | None] = Permission.INSPECTION_READ

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.header = PageHeader(
            self.tr("Statistics"), self.tr("Records are counted on the day they were started.")
        )
        self.days = DateRange(self.tr("Days"), self._range_text)
        self.aircraft = SearchCombo(
            self.tr("Aircraft"), lookup.aircraft(context.session), placeholder=self.tr("All aircraft")
        )
        self.executor = SearchCombo(
            self.tr("Inspector"), lookup.people(context), placeholder=self.tr("All inspectors")
        )
        self.clear = Button(self.tr("Clear"), kind=ButtonKind.LINK)
        self.cards = {kind: ChartCard(context, kind) for kind in ChartKind}
        self._columns = 0
        self._build()
        self._set_default()
        context.commands.bind("reload", self.reload, owner=self)
        self.days.changed.connect(self.reload)
        self.aircraft.choice_changed.connect(self.reload)
        self.executor.choice_changed.connect(self.reload)
        self.clear.clicked.connect(lambda _checked=False: self.reset())
        for card in self.cards.values():
            card.records_requested.connect(self._open_records)
            card.notice.connect(self.toast)
            card.all_requested.connect(self.show_all)

    @classmethod
    def title(cls) -> str:
        """The page's name."""
        return QCoreApplication.translate("StatisticsPage", "Statistics")

    def _build(self) -> None:
        filters = QWidget()
        row = FlowLayout(filters)
        for widget in (self.days, self.aircraft, self.executor, self.clear):
            row.addWidget(widget)
        inner = QWidget()
        self._grid = QGridLayout(inner)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(14)
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setWidget(inner)
        column_of(self.header, filters, (self.area, 1), parent=self, margins=(28, 22, 28, 20), spacing=14)
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        columns = min(max(self.width() // _MIN_CARD_PX, 1), _MAX_COLUMNS)
        if columns == self._columns:
            return
        self._columns = columns
        for number, card in enumerate(self.cards.values()):
            self._grid.addWidget(card, *divmod(number, columns))
        for column in range(_MAX_COLUMNS):
            self._grid.setColumnStretch(column, int(column < columns))

    # Filters

    def value(self) -> ChartFilter:
        """The current filters."""
        first, last = self.days.value()
        return ChartFilter(first, last, _selected_id(self.aircraft), _selected_id(self.executor))

    def _set_default(self) -> None:
        self.days.set_range(date.today() - timedelta(days=DEFAULT_DAYS), None)

    def reset(self) -> None:
        """Reset the filters to their defaults."""
        self._set_default()
        self.aircraft.show_choice(None)
        self.executor.show_choice(None)
        self.reload()

    def show_all(self) -> None:
        """Clear the filters."""
        self.days.set_range(None, None)
        self.aircraft.show_choice(None)
        self.executor.show_choice(None)
        self.reload()

    def _range_text(self, first: str, last: str) -> str:
        if first and last:
            return self.tr("{first} to {last}").format(first=first, last=last)
        if first:
            return self.tr("From {first}").format(first=first)
        if last:
            return self.tr("Until {last}").format(last=last)
        return self.tr("Last ten years")

    # Charts

    def enter(self, params: dict[str, Any]) -> None:
        """Restore the filters of `return_params` from the parameter `where`, and fetch the charts."""
        chart_filter = params.get("where")
        if isinstance(chart_filter, ChartFilter):
            self.days.set_range(chart_filter.day_from, chart_filter.day_to)
        self.aircraft.refresh()
        self.executor.refresh()
        self.reload()

    def return_params(self) -> dict[str, Any]:
        """The filters."""
        return {"where": self.value()}

    def reload(self) -> None:
        """Fetch every chart."""
        chart_filter = self.value()
        texts = [self.days.currentText(), self.aircraft.currentText(), self.executor.currentText()]
        filters = " · ".join(text for text in texts if text)
        for card in self.cards.values():
            card.fetch(chart_filter, filters)

    def _open_records(self, record_filter: RecordFilter, name: str) -> None:
        self.navigate.emit("records", {"behind": record_filter, "name": name} if name else {})


def _selected_id(chooser: SearchCombo) -> str | None:
    try:
        return chooser.selected_id()
    except ValueError:
        # An incomplete name does not filter.
        return None
