"""Every page in both languages and both themes: named for a screen reader, reached by keyboard, not cut."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEventLoop, QPoint, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDialog,
    QWidget,
)
from pytestqt.qtbot import QtBot

from desktop.app.about import About
from desktop.app.application import build_pages
from desktop.app.palette import Palette
from desktop.app.shortcut_sheet import ShortcutSheet
from desktop.app.window import MainWindow
from desktop.background import workers
from desktop.client import Session
from desktop.client.http.errors import Invalid, Untrusted
from desktop.connection.local_service import ServiceState
from desktop.context import Context
from desktop.crash import CrashDialog
from desktop.localization.language import Language
from desktop.pages.catalogue import CataloguePage
from desktop.pages.catalogue.forms import AircraftForm, FlightForm, ReferenceForm, TaskForm
from desktop.pages.catalogue.models.model_form import KindForm, ModelForm
from desktop.pages.catalogue.scale_dialog import ScaleDialog
from desktop.pages.common.forms.password_prompt import PasswordPrompt
from desktop.pages.first_steps.start_dialog import StartDialog
from desktop.pages.login.server_dialog import ServerDialog
from desktop.pages.login.trust_dialog import TrustDialog
from desktop.pages.people.forms import EditUser, NewUser, SetPassword
from desktop.pages.record.conflict_dialog import FieldConflict, FieldConflictDialog
from desktop.pages.records.new_record import NewRecord
from desktop.pages.workbench.open_record.edits import EditSync
from desktop.pages.workbench.record_photos.review import ReviewDialog
from desktop.preferences import Preferences
from desktop.theme import DARK, LIGHT, Mode, Theme, theme_manager
from desktop.widgets import PageHeader
from desktop.widgets.dialogs import Confirm
from shared.codes import Verdict
from shared.images.cv import cv2
from shared.samples import View, panel, photograph
from shared.wire.detection import ModelKind
from tests.client_session import logged_in
from tests.desktop.app.appearance_checks import (
    controls,
    cut,
    outside,
    overlapping,
    padded,
    sideways,
    too_large,
    too_small,
    unnamed,
    unreached,
)
from tests.desktop.layout_items import stale_items
from tests.desktop.pages.workbench.driver import HEIGHT, WIDTH, make_record
from tests.service_process import service_process

LANGUAGES = ("en", "zh_CN")
THEMES = (Mode.LIGHT, Mode.DARK)
SMALLEST = (1024, 700)
USUAL = (1280, 800)
KEY, OTHER_KEY = (":".join([pair] * 32) for pair in ("5F", "C8"))
_ONNX = {
    "model_id": "defects",
    "model_name": "Aircraft surface defects",
    "kind": ModelKind.YOLO,
    "labels": ["crack", "dent", "scratch", "missing", "corrosion", "paint_peel", "leak", "rivet_loose"],
    "size": 12_345_678,
    "sha256": "ab12cd34" * 8,
    "settings": {"width": 640, "height": 640, "confidence": 0.25, "fail_confidence": 0.4},
}
_STRAY = 1000
"""So many px of a colour may be there by chance: handles are white in every theme."""
Place = tuple[str, dict[str, Any]]


@dataclass
class Served:
    """The service with a record that is half done."""

    session: Session
    record_id: str


def add_photos(session: Session, record_id: str) -> None:
    """A photo of the record that shows its regions, and one that shows none."""
    shown, _ = photograph(panel(WIDTH, HEIGHT, 1).image, View(rotation=2, scale=0.97))
    noise = np.random.default_rng(1).integers(0, 255, (300, 400, 3), np.uint8)
    for name, image in (("IMG_20261122_101500.jpg", shown), ("走廊.jpg", noise)):
        stored = session.files.upload(cv2.imencode(".jpg", image)[1].tobytes(), name)
        photo = session.photos.add(record_id, stored.file_id)
        session.photos.match(record_id, photo.photo_id, 60)


@pytest.fixture(scope="module")
def served(catalogues: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with service_process(tmp_path_factory.mktemp("every") / "data") as url, logged_in(url) as session:
        record_id = make_record(session)
        items = session.items.list(record_id).data
        session.items.set_verdict(items[0].item_id, Verdict.FAILED, "裂纹长约 34 mm，已通知工程部")
        session.items.set_verdict(items[1].item_id, Verdict.PASSED)
        add_photos(session, record_id)
        yield Served(session, record_id)


def settle(qtbot: QtBot) -> None:
    """Until everything that was asked for has arrived; what listens as long as a record is open goes on."""
    calm = 0
    before = -1
    for _ in range(400):
        pause = QEventLoop()
        QTimer.singleShot(20, pause.quit)
        pause.exec()
        now = workers.busy()
        calm = calm + 1 if now == before else 0
        before = now
        if calm >= (3 if now == 0 else 25):
            return
    raise AssertionError("the page does not come to rest")


def places(served: Served) -> list[Place]:
    """Every page, with every section of it."""
    record = {"record_id": served.record_id}
    sections = [
        *(("catalogue", {"section": name}) for name in CATALOGUE),
        *(("people", {"section": name}) for name in ("users", "audit", "faces")),
    ]
    return [("records", {}), ("workbench", record), ("record", record), *sections, ("me", {})]


CATALOGUE = ("aircraft", "flights", "tasks", "references", "models")


@pytest.fixture
def window(served: Served, qtbot: QtBot, request: pytest.FixtureRequest) -> Iterator[MainWindow]:
    """The whole window in the language and the theme of the test; nobody is logged in yet."""
    language = Language()
    chosen, mode = request.param
    language.use(chosen)
    theme_manager().set_mode(mode)
    preferences = Preferences()
    preferences.change(set_up=True, tours_start=False)
    context = Context(served.session, preferences, embedded=True)
    context.service_state = ServiceState.READY
    made = MainWindow(context, build_pages(context, lambda _url: None))
    made.resize(*USUAL)
    made.show()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    settle(qtbot)
    yield made
    assert stale_items() == 0
    context.closing.emit()
    made.hide()
    workers.shutdown()
    EditSync.of(context).close()
    made.deleteLater()
    language.use("en")
    language.end()
    theme_manager().set_mode(Mode.SYSTEM)


def enter(window: MainWindow, served: Served, qtbot: QtBot) -> None:
    window._context.enter(served.session.account.me())
    settle(qtbot)


def each_place(window: MainWindow, served: Served, qtbot: QtBot) -> Iterator[str]:
    """Brings every page to the front, the login first; gives what to call it in a failure."""
    yield "login"
    enter(window, served, qtbot)
    for page_id, params in places(served):
        assert window.go(page_id, params), page_id
        settle(qtbot)
        yield f"{page_id} {params.get('section', '')}".strip()


def dialogs(window: MainWindow, served: Served, qtbot: QtBot) -> Iterator[tuple[str, QWidget]]:
    """Every dialog of the frame and of the pages that asks for something, opened."""
    context, session = window._context, served.session
    enter(window, served, qtbot)
    assert window.go("people", {"section": "users"})
    settle(qtbot)
    page, catalogue = window.page, session.catalogue
    assert page is not None
    user = session.users.list(1, 1, "").data[0]
    builtin = session.detection.models()[0]
    onnx = builtin.model_copy(update=_ONNX)
    clash = FieldConflict("inspection_name", "Name", "A name that is mine " * 2, "A name that is theirs " * 2)
    image = catalogue.reference_images.list(1, 1).data[0]
    open_questions = Invalid(details={"kinds": list(ModelKind), "activations": ["sigmoid", "softmax"]})
    made: list[tuple[str, Callable[[], QDialog | Palette]]] = [
        ("palette", lambda: Palette(window, context.commands)),
        ("keys", lambda: ShortcutSheet(window, context.commands)),
        ("about", lambda: About(window, context)),
        ("failure", lambda: CrashDialog(window, "A report of several lines\n" * 20)),
        ("new record", lambda: NewRecord(context, window)),
        ("start from an image", lambda: StartDialog(context, regions=False, parent=window)),
        ("import", lambda: StartDialog(context, regions=True, parent=window)),
        ("question", lambda: Confirm(window, "A question?", "A sentence that says what happens. " * 3, "Do")),
        ("aircraft", lambda: AircraftForm(context, catalogue.aircraft.list(1, 1).data[0], page)),
        ("flight", lambda: FlightForm(context, None, page)),
        ("task", lambda: TaskForm(context, catalogue.tasks.list(1, 1).data[0], page)),
        ("reference image", lambda: ReferenceForm(context, image, page)),
        ("measuring", lambda: ScaleDialog(context, image, page)),
        ("built-in model", lambda: ModelForm(context, builtin, page)),
        ("model", lambda: ModelForm(context, onnx, page)),
        ("kind", lambda: KindForm(context, "defects.onnx", open_questions, lambda *_: None, page)),
        ("new user", lambda: NewUser(context, page)),
        ("user", lambda: EditUser(context, user, page)),
        ("new password", lambda: SetPassword(context, user, page)),
        ("password again", lambda: PasswordPrompt(context, page)),
        ("clash", lambda: FieldConflictDialog([clash], page)),
        ("server", lambda: ServerDialog("https://walkaround.example.com", context.preferences, page)),
        ("unknown server", lambda: TrustDialog("https://192.0.2.7:8177", Untrusted(found=KEY), page)),
        (
            "changed server",
            lambda: TrustDialog("https://192.0.2.7:8177", Untrusted(found=KEY, trusted=OTHER_KEY), page),
        ),
        ("about", lambda: About(window, context)),
    ]
    for name, make in made:
        dialog = make()
        theme_manager().apply_to(dialog)
        dialog.open()
        settle(qtbot)
        yield name, dialog
        dialog.close()
        dialog.deleteLater()
    assert window.go("workbench", {"record_id": served.record_id})
    settle(qtbot)
    context.commands.run("record.review")
    settle(qtbot)
    review = window.findChild(ReviewDialog)
    assert review is not None
    yield "photos of the record", review
    review.close()


def _looks(*pairs: tuple[str, Mode]) -> pytest.MarkDecorator:
    names = [f"{language}-{mode}" for language, mode in pairs]
    return pytest.mark.parametrize("window", pairs, indirect=True, ids=names)


in_every_look = _looks(*product(LANGUAGES, THEMES))
in_every_language = _looks(*((language, Mode.LIGHT) for language in LANGUAGES))


@in_every_look
def test_every_page_says_and_shows_everything(window: MainWindow, served: Served, qtbot: QtBot) -> None:
    """At the usual size and in the smallest window."""
    faults: dict[str, list[str]] = {}
    for place in each_place(window, served, qtbot):
        wrong = faults.setdefault(place, [])
        assert len(controls(window)) > 3, place
        wrong += [*unnamed(window), *cut(window)]
        # What a widget does wrong while it paints fails the test.
        assert not window.grab().isNull()
        window.resize(*SMALLEST)
        QApplication.processEvents()
        wrong += [*too_small(window), *sideways(window), *outside(window), *overlapping(window), *cut(window)]
        window.resize(*USUAL)
    assert not {place: wrong for place, wrong in faults.items() if wrong}


@in_every_language
def test_every_dialog_too(window: MainWindow, served: Served, qtbot: QtBot) -> None:
    faults: dict[str, list[str]] = {}
    for name, dialog in dialogs(window, served, qtbot):
        assert controls(dialog), name
        faults[name] = [*unnamed(dialog), *cut(dialog), *overlapping(dialog), *unreached(dialog)]
        faults[name] += [*too_large(dialog), *padded(dialog)]
    assert not {name: wrong for name, wrong in faults.items() if wrong}


@_looks(("en", Mode.DARK))
def test_tab_leads_to_every_control(window: MainWindow, served: Served, qtbot: QtBot) -> None:
    faults: dict[str, list[str]] = {}
    for place in each_place(window, served, qtbot):
        faults[place] = unreached(window)
    assert not {place: wrong for place, wrong in faults.items() if wrong}


@_looks(("en", Mode.SYSTEM))
def test_a_change_of_the_systems_colours_reaches_every_page_while_it_runs(
    window: MainWindow, served: Served, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in each_place(window, served, qtbot):
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
        for page_id, params in places(served):
            page = window.page
            assert page is not None
            left[f"{new.name} {page.page_id} {page.return_params()}"] = colours_of_theme(window, old)
            assert window.go(page_id, params)
            settle(qtbot)
    assert not {place: wrong for place, wrong in left.items() if wrong}


@_looks(("en", Mode.LIGHT))
def test_every_page_begins_at_the_same_place(window: MainWindow, served: Served, qtbot: QtBot) -> None:
    enter(window, served, qtbot)
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
def test_another_section_and_a_logout_leave_no_ring(window: MainWindow, served: Served, qtbot: QtBot) -> None:
    """The focus of what is hidden falls on no button."""
    enter(window, served, qtbot)
    assert window.go("catalogue", {"section": "aircraft"})
    settle(qtbot)
    page = window.page
    assert isinstance(page, CataloguePage)
    page.sections["aircraft"].view.setFocus()
    # There are none: a button offers to make the first one.
    QTest.mouseClick(page.chips.findChildren(QAbstractButton)[1], Qt.MouseButton.LeftButton)
    settle(qtbot)
    assert page.in_front == "flights"
    assert not isinstance(QApplication.focusWidget(), QAbstractButton)
    window.rail.account.setFocus()
    window._context.leave()
    settle(qtbot)
    assert not isinstance(QApplication.focusWidget(), QAbstractButton)


def colours_of_theme(window: MainWindow, theme: Theme) -> list[str]:
    """The grounds and lines of a theme that are still seen in more than a few pixels."""
    image = window.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(image.constBits(), np.uint32) & 0xFFFFFF
    seen = dict(zip(*np.unique(pixels, return_counts=True), strict=True))
    names = ("bg", "panel", "raised", "line", "accent_ground", "text", "dim")
    return [name for name in names if seen.get(int(getattr(theme, name)[1:], 16), 0) > _STRAY]
