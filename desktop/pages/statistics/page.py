"""Shows the statistics: six charts with the same filters above them."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any, ClassVar

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QScrollArea, QVBoxLayout, QWidget

from desktop.client.api.inspection import RecordFilter
from desktop.client.api.statistics import ChartFilter
from desktop.context import Context
from desktop.pages.common.forms import lookup
from desktop.pages.common.forms.chooser import SearchCombo
from desktop.pages.statistics.card import ChartCard
from desktop.pages.statistics.charts import ChartKind
from desktop.widgets import Button, ButtonKind, DateRange, Flow, Page, PageHeader
from shared.codes import Permission

DAYS = 30
"""How many days back the charts begin at first: a bar for each is read at a glance."""
_COLUMN_PX = 440
"""Least width of a card in px; as many as fit stand side by side, three at most."""
_MOST_COLUMNS = 3


class StatisticsPage(Page):
    """How many records and findings there were. A bar opens the records behind it."""

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
            self.tr("Executor"), lookup.people(context), placeholder=self.tr("All executors")
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
            card.opened.connect(self._open)
            card.notice.connect(self.toast)
            card.all_wanted.connect(self.count_everything)

    @classmethod
    def title(cls) -> str:
        """The page's name."""
        return QCoreApplication.translate("StatisticsPage", "Statistics")

    def _build(self) -> None:
        filters = QWidget()
        row = Flow(filters)
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
        column = QVBoxLayout(self)
        column.setContentsMargins(28, 22, 28, 20)
        column.setSpacing(14)
        column.addWidget(self.header)
        column.addWidget(filters)
        column.addWidget(self.area, 1)
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        columns = min(max(self.width() // _COLUMN_PX, 1), _MOST_COLUMNS)
        if columns == self._columns:
            return
        self._columns = columns
        for number, card in enumerate(self.cards.values()):
            self._grid.addWidget(card, *divmod(number, columns))
        for column in range(_MOST_COLUMNS):
            self._grid.setColumnStretch(column, int(column < columns))

    # Filters

    def value(self) -> ChartFilter:
        """The filters as chosen."""
        first, last = self.days.value()
        return ChartFilter(first, last, _chosen(self.aircraft), _chosen(self.executor))

    def _set_default(self) -> None:
        self.days.set_range(date.today() - timedelta(days=DAYS), None)

    def reset(self) -> None:
        """Count the last days of everything again."""
        self._set_default()
        self.aircraft.show_choice(None)
        self.executor.show_choice(None)
        self.reload()

    def count_everything(self) -> None:
        """Count all days, aircraft and executors."""
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

    # Showing

    def enter(self, params: dict[str, Any]) -> None:
        """Count again; `where` of `return_params` brings filters back."""
        where = params.get("where")
        if isinstance(where, ChartFilter):
            self.days.set_range(where.day_from, where.day_to)
        self.aircraft.refresh()
        self.executor.refresh()
        self.reload()

    def return_params(self) -> dict[str, Any]:
        """The filters."""
        return {"where": self.value()}

    def reload(self) -> None:
        """Fetch every chart."""
        where = self.value()
        texts = [self.days.currentText(), self.aircraft.currentText(), self.executor.currentText()]
        filters = " · ".join(text for text in texts if text)
        for card in self.cards.values():
            card.fetch(where, filters)

    def _open(self, behind: RecordFilter, name: str) -> None:
        self.navigate.emit("records", {"behind": behind, "name": name} if name else {})


def _chosen(chooser: SearchCombo) -> str | None:
    try:
        return chooser.selected_id()
    except ValueError:
        # A name that is half typed filters by nothing.
        return None
