"""Every page in both languages and both themes: named for a screen reader, reached by keyboard, not cut."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEventLoop, QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QAccessible, QFontMetrics, QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QApplication,
    QComboBox,
    QDialog,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QScrollBar,
    QTableView,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from desktop import workers
from desktop.about import About
from desktop.application import build_pages
from desktop.client import Session
from desktop.context import Context
from desktop.embedded import ServiceState
from desktop.keys import KeySheet
from desktop.language import Language
from desktop.pages.catalogue.forms import AircraftForm, FlightForm, ReferenceForm, TaskForm
from desktop.pages.catalogue.measuring import Measuring
from desktop.pages.catalogue.model_form import KindForm, ModelForm
from desktop.pages.login.server import ServerDialog
from desktop.pages.password_again import PasswordAgain
from desktop.pages.people.forms import EditUser, NewUser, SetPassword
from desktop.pages.record.conflict import Clash, ClashDialog
from desktop.pages.records.new_record import NewRecord
from desktop.pages.workbench.edits import Edits
from desktop.palette import Palette
from desktop.preferences import Preferences
from desktop.theme import DARK, LABEL_PX, LIGHT, Mode, Theme, look, sized
from desktop.widgets.dialogs import Confirm
from desktop.window import MainWindow
from shared.codes import Verdict
from shared.wire.detection import ModelKind
from tests.desktop.test_language import tool
from tests.desktop.workbench.stage import make_record
from tests.service_process import logged_in, service_process

LANGUAGES = ("en", "zh_CN")
THEMES = (Mode.LIGHT, Mode.DARK)
SMALLEST = (1024, 700)
USUAL = (1280, 800)
SMALL_SCREEN = (1280, 670)
"""A laptop of 1920 x 1080 at 1.5, less its task bar and the frame of the window."""
_SLACK = 8
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


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    assert tool("compile").main() == 0
    with service_process(tmp_path_factory.mktemp("every") / "data") as url, logged_in(url) as session:
        record_id = make_record(session)
        items = session.items.list(record_id).data
        session.items.set_verdict(items[0].item_id, Verdict.FAILED, "裂纹长约 34 mm，已通知工程部")
        session.items.set_verdict(items[1].item_id, Verdict.PASSED)
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
    look().set_mode(mode)
    context = Context(served.session, Preferences(), embedded=True)
    context.service_state = ServiceState.READY
    made = MainWindow(context, build_pages(context, lambda _url: None))
    made.resize(*USUAL)
    made.show()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    settle(qtbot)
    yield made
    context.closing.emit()
    made.hide()
    workers.shutdown()
    Edits.of(context).close()
    made.deleteLater()
    language.use("en")
    language.end()
    look().set_mode(Mode.SYSTEM)


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
    clash = Clash("inspection_name", "Name", "A name that is mine " * 2, "A name that is theirs " * 2)
    image = catalogue.reference_images.list(1, 1).data[0]
    made: list[tuple[str, Callable[[], QDialog | Palette]]] = [
        ("palette", lambda: Palette(window, context.commands)),
        ("keys", lambda: KeySheet(window, context.commands)),
        ("about", lambda: About(window, context)),
        ("new record", lambda: NewRecord(context, window)),
        ("question", lambda: Confirm(window, "A question?", "A sentence that says what happens. " * 3, "Do")),
        ("aircraft", lambda: AircraftForm(context, catalogue.aircraft.list(1, 1).data[0], page)),
        ("flight", lambda: FlightForm(context, None, page)),
        ("task", lambda: TaskForm(context, catalogue.tasks.list(1, 1).data[0], page)),
        ("reference image", lambda: ReferenceForm(context, image, page)),
        ("measuring", lambda: Measuring(context, image, page)),
        ("built-in model", lambda: ModelForm(context, builtin, page)),
        ("model", lambda: ModelForm(context, onnx, page)),
        ("kind", lambda: KindForm(context, "defects.onnx", list(ModelKind), lambda _: None, page)),
        ("new user", lambda: NewUser(context, page)),
        ("user", lambda: EditUser(context, user, page)),
        ("new password", lambda: SetPassword(context, user, page)),
        ("password again", lambda: PasswordAgain(context, page)),
        ("clash", lambda: ClashDialog([clash], page)),
        ("server", lambda: ServerDialog("https://walkaround.example.com", page)),
        ("about", lambda: About(window, context)),
    ]
    for name, make in made:
        dialog = make()
        look().dress(dialog)
        dialog.open()
        settle(qtbot)
        yield name, dialog
        dialog.close()
        dialog.deleteLater()


# -- what is looked at


def shown(root: QWidget) -> list[QWidget]:
    return [widget for widget in root.findChildren(QWidget) if widget.isVisible() and not _inner(widget)]


def _inner(widget: QWidget) -> bool:
    """Parts that Qt makes for itself inside a control."""
    parent = widget.parentWidget()
    return (
        widget.objectName().startswith("qt_")
        or isinstance(widget, QScrollBar | QHeaderView)
        or (isinstance(parent, QComboBox | QLineEdit) and not isinstance(widget, QAbstractButton))
        or type(widget).__name__ == "QLineEditIconButton"
        or type(widget).__name__.startswith("QTableCornerButton")
    )


def controls(root: QWidget) -> list[QWidget]:
    """What a person can click or type into."""
    kinds = QAbstractButton | QLineEdit | QPlainTextEdit | QComboBox | QAbstractItemView | QAbstractSlider
    return [
        widget
        for widget in shown(root)
        if (isinstance(widget, kinds) or widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
        and widget.focusProxy() is None
        and not isinstance(widget, QScrollArea)
    ]


def spoken(widget: QWidget) -> str:
    """What a screen reader calls it."""
    return str(QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name)).strip()


def called(widget: QWidget) -> str:
    text = widget.text() if isinstance(widget, QLabel | QAbstractButton | QLineEdit) else ""
    return f"{type(widget).__name__}({widget.accessibleName() or text or widget.objectName()!r})"


def unnamed(root: QWidget) -> list[str]:
    return [
        f"{called(widget)} in {type(widget.parentWidget()).__name__}"
        for widget in controls(root)
        if not spoken(widget)
    ]


def walk(root: QWidget) -> set[QWidget]:
    """The widgets that Tab leads to, round once; a canvas that keeps Tab for itself is left with F6."""
    top = root.window()
    reached: set[QWidget] = set()
    for _ in range(400):
        before = QApplication.focusWidget() or top
        QTest.keyClick(before, Qt.Key.Key_Tab)
        now = QApplication.focusWidget()
        if now is before:
            QTest.keyClick(before, Qt.Key.Key_F6)
            now = QApplication.focusWidget()
        if now is None or now in reached:
            break
        reached.add(now)
    return reached


def unreached(root: QWidget) -> list[str]:
    reached = walk(root)
    return [
        called(widget)
        for widget in controls(root)
        if widget.isEnabled()
        and widget not in reached
        # The arrows move in the list of the palette while the focus stays in its line.
        and not (isinstance(root, Palette) and isinstance(widget, QAbstractItemView))
        # Of the buttons of a group that excludes one another the arrows choose.
        and not any(_together(widget, other) for other in reached)
    ]


def _together(one: QWidget, other: QWidget) -> bool:
    if not isinstance(one, QAbstractButton) or not isinstance(other, QAbstractButton):
        return False
    group = one.group()
    return group is not None and group is other.group() and group.exclusive()


def cut(root: QWidget) -> list[str]:
    """The texts that do not fit, and what they would need."""
    found = []
    for widget in shown(root):
        if widget.toolTip():
            continue
        if isinstance(widget, QTableView):
            found += cut_titles(widget)
        need, have = widget.sizeHint().width(), widget.width()
        tall, high = 0, 0
        if isinstance(widget, QLabel):
            if not widget.text():
                continue
            if widget.wordWrap():
                need, tall, high = 0, widget.heightForWidth(have), widget.height()
        elif isinstance(widget, QComboBox):
            need = widget.fontMetrics().horizontalAdvance(widget.currentText()) + 34
        elif isinstance(widget, QLineEdit):
            keys = [key for key in widget.findChildren(QLabel) if key.isVisible()]
            beside = widget.textMargins().left() + sum(key.width() + 10 for key in keys)
            need = widget.fontMetrics().horizontalAdvance(widget.placeholderText()) + 22 + beside
        elif not isinstance(widget, QAbstractButton):
            continue
        if need > have + 1 or tall > high + 1:
            found.append(f"{called(widget)} needs {need} x {tall}, has {have} x {high}")
    return found


def cut_titles(table: QTableView) -> list[str]:
    """The titles of columns that do not fit."""
    head, model = table.horizontalHeader(), table.model()
    titles = [str(model.headerData(at, Qt.Orientation.Horizontal)) for at in range(model.columnCount())]
    metrics = QFontMetrics(sized(LABEL_PX, bold=True))
    return [
        f"the column {title} of {called(table)}"
        for at, title in enumerate(titles)
        if not head.isSectionHidden(at) and metrics.horizontalAdvance(title) + 20 > head.sectionSize(at)
    ]


def outside(window: MainWindow) -> list[str]:
    """The controls and labels that leave the window, where nothing scrolls."""
    found = []
    whole = window.rect()
    for widget in shown(window):
        if _scrolled(widget):
            continue
        there = QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())
        if not whole.contains(there):
            found.append(f"{called(widget)} at {there.getRect()}")
    return found


def overlapping(root: QWidget) -> list[str]:
    """Pairs of neighbours of one layout that lie on one another."""
    found = []
    for parent in [root, *shown(root)]:
        layout = parent.layout()
        if layout is None:
            continue
        inside = [
            child
            for child in parent.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
            if child.isVisible() and not child.isWindow() and _laid_out(child, layout)
        ]
        for one, other in combinations(inside, 2):
            if one.geometry().intersects(other.geometry()):
                found.append(f"{called(one)} and {called(other)} in {type(parent).__name__}")
    return found


def sideways(root: QWidget) -> list[str]:
    """The lists whose columns do not fit."""
    return [
        f"{called(widget)} scrolls sideways"
        for widget in shown(root)
        if isinstance(widget, QAbstractItemView) and widget.horizontalScrollBar().maximum() > 0
    ]


def too_small(window: MainWindow) -> list[str]:
    """What the page in front needs, where it has less."""
    page = window.page
    assert page is not None
    need, have = page.minimumSizeHint(), page.size()
    if need.width() <= have.width() and need.height() <= have.height():
        return []
    return [f"needs {need.width()} x {need.height()}, has {have.width()} x {have.height()}"]


def too_large(dialog: QWidget) -> list[str]:
    """What a dialog has more than a small screen."""
    size = dialog.size()
    if size.width() <= SMALL_SCREEN[0] and size.height() <= SMALL_SCREEN[1]:
        return []
    return [f"{size.width()} x {size.height()} on a screen of {SMALL_SCREEN}"]


def padded(dialog: QWidget) -> list[str]:
    """The one-line texts that were given more height than they need: emptiness where none was meant."""
    return [
        f"{called(said)} needs {said.sizeHint().height()}, has {said.height()}"
        for said in shown(dialog)
        if isinstance(said, QLabel)
        and said.parentWidget() is dialog
        and not said.wordWrap()
        and said.text()
        and said.height() > said.sizeHint().height() + _SLACK
        and said.width() > dialog.width() // 2
    ]


def _laid_out(child: QWidget, layout: Any) -> bool:
    return any(
        item.widget() is child or (item.layout() is not None and _laid_out(child, item.layout()))
        for item in (layout.itemAt(index) for index in range(layout.count()))
    )


def _scrolled(widget: QWidget) -> bool:
    above = widget.parentWidget()
    while above is not None:
        if isinstance(above, QScrollArea | QAbstractItemView):
            return True
        above = above.parentWidget()
    return False


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
        assert look().theme is new
        # The page in front is dressed in a turn of its own.
        settle(qtbot)
        for page_id, params in places(served):
            page = window.page
            assert page is not None
            left[f"{new.name} {page.page_id} {page.place()}"] = colours_of_theme(window, old)
            assert window.go(page_id, params)
            settle(qtbot)
    assert not {place: wrong for place, wrong in left.items() if wrong}


def colours_of_theme(window: MainWindow, theme: Theme) -> list[str]:
    """The grounds and lines of a theme that are still seen in more than a few pixels."""
    image = window.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(image.constBits(), np.uint32) & 0xFFFFFF
    seen = dict(zip(*np.unique(pixels, return_counts=True), strict=True))
    names = ("bg", "panel", "raised", "line", "accent_ground", "text", "dim")
    return [name for name in names if seen.get(int(getattr(theme, name)[1:], 16), 0) > _STRAY]


def test_what_is_wrong_is_found(qtbot: QtBot) -> None:
    """The looks above see the faults that they are there for."""
    root = QWidget()
    qtbot.addWidget(root)
    column = QVBoxLayout(root)
    nameless, stray, line = QPushButton(), QPushButton("Stray"), QLineEdit()
    stray.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    short = QLabel("A sentence that does not fit")
    short.setFixedWidth(20)
    for widget in (nameless, stray, line, short):
        column.addWidget(widget)
    root.show()
    root.activateWindow()
    qtbot.waitUntil(root.isActiveWindow)
    assert [widget.split("(")[0] for widget in unnamed(root)] == ["QPushButton", "QLineEdit"]
    assert len(cut(root)) == 1
    assert unreached(root) == ["QPushButton('Stray')"]
    assert overlapping(root) == []
    line.move(short.pos())
    assert len(overlapping(root)) == 1
