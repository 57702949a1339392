"""Lists the pages of the window that nobody sees before the login.

They import most of the desktop, which `desktop.app.application` does after the login page is ready.
"""

from __future__ import annotations

from functools import partial

from desktop.context import Context
from desktop.pages.catalogue import CataloguePage
from desktop.pages.me import MePage
from desktop.pages.people import PeoplePage
from desktop.pages.record import RecordPage
from desktop.pages.records import RecordsPage
from desktop.pages.statistics import StatisticsPage
from desktop.pages.workbench import WorkbenchPage, WorkbenchWidgets
from desktop.widgets import PageFactory


def later_pages(context: Context) -> list[PageFactory]:
    """The pages of one window, in the order of the rail."""
    prepared: list[WorkbenchWidgets] = []

    def workbench() -> WorkbenchPage:
        return WorkbenchPage(context, prepared.pop() if prepared else None)

    def prepare_workbench() -> None:
        prepared.append(WorkbenchWidgets(context.commands))

    return [
        PageFactory(RecordsPage, partial(RecordsPage, context)),
        PageFactory(WorkbenchPage, workbench, prepare_workbench),
        PageFactory(RecordPage, partial(RecordPage, context)),
        PageFactory(CataloguePage, partial(CataloguePage, context)),
        PageFactory(StatisticsPage, partial(StatisticsPage, context)),
        PageFactory(PeoplePage, partial(PeoplePage, context)),
        PageFactory(MePage, partial(MePage, context)),
    ]
