"""Every page in both languages and both themes: named for a screen reader, reached by keyboard, not cut."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QWidget,
)
from pytestqt.qtbot import QtBot

import desktop
from desktop.app.application import build_pages
from desktop.app.window import MainWindow
from desktop.background import workers
from desktop.client import Session
from desktop.connection.local_service import ServiceState
from desktop.context import Context
from desktop.localization.language import Language
from desktop.pages.catalogue import CataloguePage
from desktop.pages.common.lists.list_section import SectionsPage
from desktop.pages.login.forms import FormArea
from desktop.pages.login.page import LoginPage
from desktop.pages.workbench import WorkbenchPage
from desktop.preferences import Preferences
from desktop.record.edits import RecordEdits
from desktop.theme import DARK, LIGHT, Mode, Theme, theme_manager
from desktop.widgets import PageHeader
from desktop.widgets.dialogs import BaseDialog
from shared.images.cv import cv2
from shared.record.codes import Verdict
from shared.samples import View, draw_panel, photograph
from tests.client_session import open_session
from tests.desktop.app.appearance_checks import (
    controls,
    cut,
    find_padded_texts,
    find_unnamed,
    find_unreachable,
    outside,
    overlapping,
    sideways,
    too_large,
    too_small,
)
from tests.desktop.app.every_dialog import ELSEWHERE, Served, dialogs, enter, settle
from tests.desktop.layout_items import stale_items
from tests.desktop.pages.workbench.driver import DATABASES, HEIGHT, WIDTH, make_record
from tests.desktop.pages.workbench.results.test_correcting import add_result
from tests.service_process import service_process

pytestmark = pytest.mark.slow

LANGUAGES = ("en", "zh_CN")
THEMES = (Mode.LIGHT, Mode.DARK)
SMALLEST = (1024, 700)
USUAL = (1280, 800)
_STRAY = 1000
"""So many px of a colour may be there by chance: handles are white in every theme."""
Place = tuple[str, dict[str, Any]]


def add_photos(session: Session, record_id: str) -> None:
    """A photo of the record that shows its regions, and one that shows none."""
    shown, _ = photograph(draw_panel(WIDTH, HEIGHT, 1).image, View(rotation=2, scale=0.97))
    noise = np.random.default_rng(1).integers(0, 255, (300, 400, 3), np.uint8)
    for name, image in (("IMG_20261122_101500.jpg", shown), ("走廊.jpg", noise)):
        stored = session.files.upload(cv2.imencode(".jpg", image)[1].tobytes(), name)
        photo = session.photos.add(record_id, stored.file_id)
        session.photos.match(record_id, photo.photo_id, 60)


@pytest.fixture(scope="module")
def running_service_with_data(catalogues: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("every") / "data"
    with service_process(folder) as url, open_session(url) as session:
        DATABASES[url] = folder / "walkaround.db"
        record_id = make_record(session)
        items = session.items.list(record_id).data
        session.items.set_verdict(items[0].item_id, Verdict.FAILED, "裂纹长约 34 mm，已通知工程部")
        session.items.set_verdict(items[1].item_id, Verdict.PASSED)
        add_result(session, items[2].item_id)
        add_photos(session, record_id)
        yield Served(session, record_id)


def places(running_service_with_data: Served) -> list[Place]:
    """Every page, with every section of it."""
    record = {"record_id": running_service_with_data.record_id}
    sections = [(page, {"section": name}) for page, names in SECTIONS.items() for name in names]
    return [
        ("records", {}),
        ("workbench", record),
        ("record", record),
        *sections,
        ("statistics", {}),
        ("me", {}),
    ]


SECTIONS = {
    "catalogue": ("aircraft", "flights", "tasks", "references", "models"),
    "people": ("users", "audit", "faces", "backups", "webhooks"),
}


@pytest.mark.parametrize("window", [("en", Mode.LIGHT)], indirect=True)
def test_all_pages_and_sections_are_tested(
    window: MainWindow, running_service_with_data: Served, qtbot: QtBot
) -> None:
    enter(window, running_service_with_data, qtbot)
    assert {page_id for page_id, _ in places(running_service_with_data)} | {"login"} == set(window._factories)
    for page_id, names in SECTIONS.items():
        assert window.go(page_id)
        page = window.page
        assert isinstance(page, SectionsPage)
        assert tuple(page.sections) == names
        settle(qtbot)


@pytest.fixture
def window(
    running_service_with_data: Served, qtbot: QtBot, request: pytest.FixtureRequest
) -> Iterator[MainWindow]:
    """The whole window in the language and the theme of the test; nobody is logged in yet."""
    language = Language()
    chosen, mode = request.param
    language.use(chosen)
    theme_manager().set_mode(mode)
    preferences = Preferences()
    preferences.change(set_up=True, tours_start=False)
    context = Context(running_service_with_data.session, preferences, embedded=True)
    context.service_state = ServiceState.READY
    window = MainWindow(context, build_pages(context, lambda _url: None))
    window.resize(*USUAL)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    settle(qtbot)
    yield window
    assert stale_items() == 0
    context.closing.emit()
    window.hide()
    workers.shutdown()
    RecordEdits.of(context).close()
    window.deleteLater()
    language.use("en")
    language.end()
    theme_manager().set_mode(Mode.SYSTEM)


def each_place(window: MainWindow, running_service_with_data: Served, qtbot: QtBot) -> Iterator[str]:
    """Brings every page to the front, the login first; gives what to call it in a failure."""
    yield "login"
    enter(window, running_service_with_data, qtbot)
    for page_id, params in places(running_service_with_data):
        assert window.go(page_id, params), page_id
        settle(qtbot)
        yield f"{page_id} {params.get('section', '')}".strip()


def faults_of_room(window: MainWindow) -> list[str]:
    """What has too little room in the window, or lies on something else."""
    return [*too_small(window), *sideways(window), *outside(window), *overlapping(window), *cut(window)]


def _looks(*pairs: tuple[str, Mode]) -> pytest.MarkDecorator:
    names = [f"{language}-{mode}" for language, mode in pairs]
    return pytest.mark.parametrize("window", pairs, indirect=True, ids=names)


in_every_look = _looks(*product(LANGUAGES, THEMES))
in_every_language = _looks(*((language, Mode.LIGHT) for language in LANGUAGES))


@in_every_look
def test_every_page_shows_all_its_texts(
    window: MainWindow, running_service_with_data: Served, qtbot: QtBot
) -> None:
    """At the usual size and in the smallest window."""
    faults: dict[str, list[str]] = {}
    for place in each_place(window, running_service_with_data, qtbot):
        wrong = faults.setdefault(place, [])
        assert len(controls(window)) > 3, place
        wrong += [*find_unnamed(window), *cut(window)]
        # What a widget does wrong while it paints fails the test.
        assert not window.grab().isNull()
        window.resize(*SMALLEST)
        QApplication.processEvents()
        if faults_of_room(window):
            # A photo that arrives in this moment is laid out in the next turn.
            settle(qtbot)
        wrong += faults_of_room(window)
        window.resize(*USUAL)
    assert not {place: wrong for place, wrong in faults.items() if wrong}


SCREENS = {
    "1366 x 768": (1366, 720),
    "1280 x 800": (1280, 752),
    "1440 x 900 at 150 %": (952, 552),
    "1920 x 1080 at 200 %": (952, 500),
}
"""The screens of inspectors, and what is left of them for the window, px."""
SMALL_LOGINS = {"1440 x 900 at 200 %": (720, 450), "less the bars of the system": (720, 400)}


@in_every_language
def test_photo_findings_and_verdict_are_in_sight_together_on_every_screen(
    window: MainWindow, running_service_with_data: Served, qtbot: QtBot
) -> None:
    """With the photos of the record open and folded; nothing is cut, nor in the login before it."""
    # As on a screen of that size, whatever the pages behind this one need.
    window.setMinimumSize(1, 1)
    faults: dict[str, list[str]] = {}
    for screen, size in SCREENS.items():
        window.resize(*size)
        QApplication.processEvents()
        faults[f"login, {screen}"] = [*cut(window), *outside(window), *overlapping(window)]
    enter(window, running_service_with_data, qtbot)
    item_id = running_service_with_data.session.items.all(running_service_with_data.record_id)[2].item_id
    assert window.go("workbench", {"record_id": running_service_with_data.record_id, "item_id": item_id})
    settle(qtbot)
    page = window.page
    assert isinstance(page, WorkbenchPage)
    inspector, tray = page.inspector, page.photos.record_photos.tray
    for screen, size in SCREENS.items():
        window.resize(*size)
        for is_folded in (False, True):
            tray.set_folded(is_folded)
            settle(qtbot)
            assert tray.isVisible()
            assert page.canvas.photo_view.is_on
            wrong = faults.setdefault(f"{screen}, {'folded' if is_folded else 'open'}", [])
            wrong += [*cut(window), *outside(window), *overlapping(window)]
            wrong += [
                f"{name} is out of sight"
                for name, widget in (
                    ("photo", page.canvas.photo),
                    ("findings", inspector.findings.list),
                    ("verdict", inspector.verdict),
                )
                if widget.visibleRegion().boundingRect() != widget.rect()
            ]
            if page.canvas.photo.width() < 300 or page.canvas.photo.height() < 240:
                wrong.append(f"the photo has {page.canvas.photo.size().toTuple()}")
    assert not {place: wrong for place, wrong in faults.items() if wrong}


def below(kind: type[QWidget]) -> set[type[QWidget]]:
    """The program's classes that are derived from `kind`."""
    nearest = {subclass for subclass in kind.__subclasses__() if subclass.__module__.startswith("desktop.")}
    return nearest.union(*(below(subclass) for subclass in nearest))


@in_every_language
def test_login_scrolls_on_a_screen_with_less_room_than_its_form(window: MainWindow) -> None:
    window.setMinimumSize(1, 1)
    faults: dict[str, list[str]] = {}
    page = window.page
    assert isinstance(page, LoginPage)
    for screen, size in SMALL_LOGINS.items():
        window.resize(*size)
        QApplication.processEvents()
        faults[screen] = [*cut(window), *outside(window), *overlapping(window), *sideways(window)]
        for control in (page.password_form.user_name, page.password_form.button, page.change):
            scrolled = page.findChildren(FormArea)[0]
            scrolled.ensureWidgetVisible(control)
            if control.visibleRegion().boundingRect() != control.rect():
                faults[screen].append(f"{control} cannot be reached")
    assert not {screen: wrong for screen, wrong in faults.items() if wrong}


@in_every_language
def test_every_dialog_too(window: MainWindow, running_service_with_data: Served, qtbot: QtBot) -> None:
    faults: dict[str, list[str]] = {}
    shown: set[str] = set()
    for name, dialog in dialogs(window, running_service_with_data, qtbot):
        assert controls(dialog), name
        faults[name] = [*find_unnamed(dialog), *cut(dialog), *overlapping(dialog), *find_unreachable(dialog)]
        faults[name] += [*too_large(dialog), *find_padded_texts(dialog)]
        shown.add(type(dialog).__name__)
    for module in pkgutil.walk_packages(desktop.__path__, "desktop."):
        importlib.import_module(module.name)
    dialog_names = {kind.__name__ for kind in below(BaseDialog) if not kind.__subclasses__()}
    assert dialog_names - ELSEWHERE.keys() - shown == set()
    assert not {name: wrong for name, wrong in faults.items() if wrong}


@_looks(("en", Mode.DARK))
def test_every_control_is_reached_by_tab(
    window: MainWindow, running_service_with_data: Served, qtbot: QtBot
) -> None:
    faults: dict[str, list[str]] = {}
    for place in each_place(window, running_service_with_data, qtbot):
        faults[place] = find_unreachable(window)
    assert not {place: wrong for place, wrong in faults.items() if wrong}


@_looks(("en", Mode.SYSTEM))
def test_a_change_of_the_systems_colours_reaches_every_page_while_it_runs(
    window: MainWindow, running_service_with_data: Served, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in each_place(window, running_service_with_data, qtbot):
        pass
    left: dict[str, list[str]] = {}
    for old, new, scheme in (
        (LIGHT, DARK, Qt.ColorScheme.Dark),
        (DARK, LIGHT, Qt.ColorScheme.Light),
    ):
        # No platform of the tests has colours of its own to change: this is what one that has them does.
        monkeypatch.setattr("desktop.theme.system_scheme", lambda scheme=scheme: scheme)
        QGuiApplication.styleHints().colorSchemeChanged.emit(scheme)
        assert theme_manager().theme is new
        # The page in front is dressed in a turn of its own.
        settle(qtbot)
        for page_id, params in places(running_service_with_data):
            page = window.page
            assert page is not None
            left[f"{new.name} {page.page_id} {page.return_params()}"] = colours_of_theme(window, old)
            assert window.go(page_id, params)
            settle(qtbot)
    assert not {place: wrong for place, wrong in left.items() if wrong}


@_looks(("en", Mode.LIGHT))
def test_every_page_begins_at_the_same_place(
    window: MainWindow, running_service_with_data: Served, qtbot: QtBot
) -> None:
    enter(window, running_service_with_data, qtbot)
    window.resize(2560, 1440)
    left: dict[str, int] = {}
    for page_id in ("records", "catalogue", "people", "me"):
        assert window.go(page_id)
        settle(qtbot)
        page = window.page
        assert page is not None
        head = page.findChild(PageHeader)
        assert isinstance(head, PageHeader)
        left[page_id] = head.mapTo(window, QPoint(0, 0)).x()
    assert len(set(left.values())) == 1, left


@_looks(("en", Mode.LIGHT))
def test_another_section_and_a_logout_leave_no_ring(
    window: MainWindow, running_service_with_data: Served, qtbot: QtBot
) -> None:
    """The focus of what is hidden falls on no button."""
    enter(window, running_service_with_data, qtbot)
    assert window.go("catalogue", {"section": "aircraft"})
    settle(qtbot)
    page = window.page
    assert isinstance(page, CataloguePage)
    page.sections["aircraft"].view.setFocus()
    # There are none: a button offers to make the first one.
    QTest.mouseClick(page.chips.findChildren(QAbstractButton)[1], Qt.MouseButton.LeftButton)
    settle(qtbot)
    assert page.current_section == "flights"
    assert not isinstance(QApplication.focusWidget(), QAbstractButton)
    window.rail.account.setFocus()
    window._context.leave()
    settle(qtbot)
    assert not isinstance(QApplication.focusWidget(), QAbstractButton)


def colours_of_theme(window: MainWindow, theme: Theme) -> list[str]:
    """The grounds and lines of a theme that are still seen in more than a few pixels."""
    image = window.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(image.constBits(), np.uint32) & 0xFFFFFF
    counts = dict(zip(*np.unique(pixels, return_counts=True), strict=True))
    names = ("bg", "panel", "raised", "line", "accent_ground", "text", "dim")
    return [name for name in names if counts.get(int(getattr(theme, name)[1:], 16), 0) > _STRAY]
