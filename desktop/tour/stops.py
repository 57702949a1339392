"""Lists the stops of the tours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from desktop.context import Context
from desktop.widgets import Page, Rail
from shared.record.codes import Permission

if TYPE_CHECKING:
    from desktop.pages.records import RecordsPage
    from desktop.pages.workbench import WorkbenchPage


@dataclass(frozen=True, slots=True)
class TourStop:
    """A control of a page, with a title and an explanation."""

    target: QWidget
    title: str
    text: str


def has_tour(page: Page | None) -> bool:
    """Whether a page has a tour."""
    return _toured_page(page) is not None


def is_ready(page: Page | None) -> bool:
    """Whether the page shows the controls of its tour."""
    toured = _toured_page(page)
    return toured is not None and toured.stack.currentWidget() is toured.stack.content


def _toured_page(page: Page | None) -> RecordsPage | WorkbenchPage | None:
    """The page itself if it has a tour."""
    if page is None or not page.has_frame:
        return None
    # Not while the login page is shown: these two pages import half of the desktop.
    from desktop.pages.records import RecordsPage
    from desktop.pages.workbench import WorkbenchPage

    return page if isinstance(page, RecordsPage | WorkbenchPage) else None


def tour_stops(page: Page, rail: Rail, context: Context) -> list[TourStop]:
    """The stops of a page whose controls are visible, in order."""
    from desktop.pages.records import RecordsPage

    toured = _toured_page(page)
    if toured is None:
        return []
    if isinstance(toured, RecordsPage):
        stops = _records_stops(toured, rail, context)
    else:
        stops = _workbench_stops(toured, context.commands.keys_text)
    return [stop for stop in stops if stop.target.isVisible()]


def _records_stops(page: RecordsPage, rail: Rail, context: Context) -> list[TourStop]:
    translate, keys = QCoreApplication.translate, context.commands.keys_text
    if context.may(Permission.CATALOGUE_MANAGE):
        new_record = translate(
            "Tour",
            "A record is one inspection of one aircraft or part on one day. Its form can also create "
            "the task, aircraft and reference image.",
        )
    else:
        new_record = translate(
            "Tour",
            "A record is one inspection of one aircraft or part on one day. Planners create the tasks and "
            "reference images for it.",
        )
    return [
        TourStop(page.new, translate("Tour", "Create a record"), new_record),
        TourStop(
            page.first_steps.more_button,
            translate("Tour", "More ways to begin"),
            translate("Tour", "Start from an image, import regions, or create the sample inspection again."),
        ),
        TourStop(
            page.filters,
            translate("Tour", "Find records"),
            translate("Tour", "Search and filters can be combined. {key} goes to the search.").format(
                key=keys("search")
            ),
        ),
        TourStop(
            page.table,
            translate("Tour", "Open a record"),
            translate("Tour", "A double click or Enter opens the selected record on the workbench."),
        ),
        TourStop(
            page.detect,
            translate("Tour", "Detect undetected photos"),
            translate("Tour", "Runs every detection that has a photo and no result yet."),
        ),
        TourStop(
            rail.settings,
            translate("Tour", "Settings and commands"),
            translate(
                "Tour",
                "Language, theme, keyboard shortcuts and this tour are here. {key} finds any command.",
            ).format(key=keys("palette")),
        ),
    ]


def _workbench_stops(page: WorkbenchPage, keys: Callable[[str], str]) -> list[TourStop]:
    translate = QCoreApplication.translate
    return [
        TourStop(
            page.items.panel,
            translate("Tour", "Items"),
            translate(
                "Tour", "Each row is one item to inspect. Press {next} or {before} to move between items."
            ).format(next=keys("item.next"), before=keys("item.previous")),
        ),
        TourStop(
            page.canvas.strip,
            translate("Tour", "Draw regions"),
            translate(
                "Tour", "{key} draws a region on the reference image. Each region becomes an item."
            ).format(key=keys("tool.rectangle")),
        ),
        TourStop(
            page.inspector.photo,
            translate("Tour", "Add today's photo"),
            translate(
                "Tour",
                "{key} adds photos to the record, which are matched with the regions. The photo of an item "
                "is shown beside its region. You can also drop photos here from a folder.",
            ).format(key=keys("record.photos")),
        ),
        TourStop(
            page.top.detect,
            translate("Tour", "Run detection"),
            translate("Tour", "The model compares photo and reference image, and marks what it finds."),
        ),
        TourStop(
            page.inspector.verdict,
            translate("Tour", "Decide"),
            translate("Tour", "The verdict is yours: {passed} passes the item, {failed} fails it.").format(
                passed=keys("item.pass"), failed=keys("item.fail")
            ),
        ),
        TourStop(
            page.top.panel,
            translate("Tour", "Properties panel"),
            translate("Tour", "{key} shows and hides today's photo, the findings and the verdict.").format(
                key=keys("view.inspector")
            ),
        ),
        TourStop(
            page.top.finish,
            translate("Tour", "Finish the record"),
            translate(
                "Tour", "Once every item is decided, the record is sealed and its report can be exported."
            ),
        ),
    ]
