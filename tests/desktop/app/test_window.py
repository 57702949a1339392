"""The window: one page in front, rights, the way back, the login that ends, the notices."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QVBoxLayout
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from desktop.app import window as window_module
from desktop.app.menus import SETTINGS_MENU
from desktop.app.palette import _MATCHED, Palette, score
from desktop.app.shortcut_sheet import ShortcutDialog, ShortcutSheet
from desktop.app.window import MainWindow
from desktop.connection.local_service import ServiceState
from desktop.context import Context, Unsent
from desktop.theme import DARK, LIGHT, Mode, stylesheet, theme_manager
from desktop.widgets import Page, PageFactory
from shared.record.codes import Permission, Role, StorageFault
from tests.desktop.conftest import make_payload
from tests.narrowing import not_none, reread


class _Page(Page):
    stays = False

    def __init__(self) -> None:
        super().__init__()
        self.openings: list[dict[str, Any]] = []
        self.left = 0
        self.line = QLineEdit()
        column = QVBoxLayout(self)
        column.addWidget(self.line)

    @classmethod
    def title(cls) -> str:
        return cls.page_id.title()

    def enter(self, params: dict[str, Any]) -> None:
        self.openings.append(params)
        if "text" in params:
            self.line.setText(params["text"])

    def leave(self) -> bool:
        self.left += 1
        return not self.stays

    def return_params(self) -> dict[str, Any]:
        return {"text": self.line.text()}


class Login(_Page):
    page_id, has_frame = "login", False


class Records(_Page):
    page_id, icon, permission = "records", "list", Permission.INSPECTION_READ


class Workbench(_Page):
    page_id, permission, has_status_bar = "workbench", Permission.INSPECTION_READ, True


class People(_Page):
    page_id, icon, permission = "people", "people", Permission.USER_MANAGE


@pytest.fixture
def window(qtbot: QtBot, context: Context) -> Iterator[MainWindow]:
    window = MainWindow(context, [PageFactory(kind, kind) for kind in (Login, Records, Workbench, People)])
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    yield window
    window.close()


def open_page(window: MainWindow, kind: type[_Page]) -> _Page:
    page = window.find_or_make_page(kind.page_id)
    assert isinstance(page, kind)
    return page


def in_front(window: MainWindow) -> str:
    return window.page.page_id if window.page is not None else ""


def test_without_a_login_only_the_login_page_is_seen(window: MainWindow) -> None:
    assert in_front(window) == "login"
    assert not window.rail.isVisible()
    assert not window.go("records")


def test_login_opens_the_records_and_fills_the_rail(window: MainWindow, context: Context) -> None:
    context.enter(make_payload(Role.INSPECTOR))
    assert in_front(window) == "records"
    assert window.rail.isVisible()
    assert window.rail.page_ids() == ["records"]
    assert "张三" in window.rail.account.accessibleName()
    assert context.preferences.values.user_name == "user-u1"
    assert not window.go("people")
    context.enter(make_payload(Role.ADMIN))
    assert window.rail.page_ids() == ["records", "people"]


def test_parameters_arrive_and_back_returns_to_the_place(window: MainWindow, context: Context) -> None:
    context.enter(make_payload(Role.ADMIN))
    records, workbench = open_page(window, Records), open_page(window, Workbench)
    records.line.setText("wing")
    records.navigate.emit("workbench", {"record_id": "7"})
    assert workbench.openings == [{"record_id": "7"}]
    assert window.status_bar.isVisible()
    assert window.windowTitle() == "Workbench — Walkaround"
    workbench.status.emit("left", "right")
    assert (window.status_bar.left.text(), window.status_bar.right.text()) == ("left", "right")
    records.line.clear()
    assert context.commands.run("back")
    assert records.line.text() == "wing"
    assert not window.status_bar.isVisible()


def test_page_can_refuse_to_be_left(window: MainWindow, context: Context) -> None:
    context.enter(make_payload(Role.ADMIN))
    records = open_page(window, Records)
    records.stays = True
    assert not window.go("people")
    assert in_front(window) == "records"
    window.rail.page_chosen.emit("people")
    assert in_front(window) == "records"
    assert not window.close()
    records.stays = False
    assert window.go("people")


class UnsentPhotosQuestion:
    """Photos that are not sent yet, and what the window asks about them: answered with no, then with yes."""

    def __init__(self, context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
        self.waiting = 2
        self.questions: list[tuple[str, str]] = []
        monkeypatch.setattr(window_module, "confirm_unsent", self._confirm)
        context.unsent_requested.connect(self._tell)
        context.enter(make_payload(Role.ADMIN))

    def _tell(self, unsent: Unsent) -> None:
        unsent.photos += self.waiting

    def _confirm(
        self,
        _parent: object,
        _title: str,
        describe: Callable[[int], str],
        verb: str,
        count: Callable[[], int],
    ) -> bool:
        if not count():
            return True
        self.questions.append((describe(count()), verb))
        return len(self.questions) > 1


@pytest.fixture
def prompts(
    window: MainWindow, context: Context, monkeypatch: pytest.MonkeyPatch
) -> Iterator[UnsentPhotosQuestion]:
    prompts = UnsentPhotosQuestion(context, monkeypatch)
    yield prompts
    prompts.waiting = 0


def test_closing_asks_while_photos_are_not_sent(window: MainWindow, prompts: UnsentPhotosQuestion) -> None:
    assert not window.close()
    assert window.isVisible()
    assert prompts.questions == [
        ("2 photo(s) not uploaded yet. They will be lost if you close now.", "Close anyway")
    ]
    assert window.close()
    assert len(prompts.questions) == 2
    window.show()
    prompts.waiting = 0
    assert window.close()
    assert len(prompts.questions) == 2


def test_logging_out_asks_while_photos_are_not_sent(context: Context, prompts: UnsentPhotosQuestion) -> None:
    context.commands.run("logout")
    assert reread(context.payload) is not None
    assert prompts.questions == [
        ("2 photo(s) not uploaded yet. They may be lost if you log out now.", "Log out anyway")
    ]
    context.commands.run("logout")
    assert context.payload is None


def test_logging_out_asks_the_page_and_ends_at_the_login(window: MainWindow, context: Context) -> None:
    context.enter(make_payload(Role.ADMIN))
    records = open_page(window, Records)
    records.stays = True
    context.commands.run("logout")
    assert reread(context.payload) is not None
    records.stays = False
    context.commands.run("logout")
    assert context.payload is None
    assert in_front(window) == "login"
    assert not context.commands.is_possible("logout")


def test_login_after_expiry_returns_to_the_last_place(window: MainWindow, context: Context) -> None:
    context.enter(make_payload(Role.ADMIN))
    window.go("people")
    people = open_page(window, People)
    people.line.setText("half a sentence")
    context.payload = None
    context.login_changed.emit()
    assert in_front(window) == "login"
    people.line.clear()
    context.enter(make_payload(Role.ADMIN))
    assert in_front(window) == "people"
    assert people.line.text() == "half a sentence"


def test_another_user_does_not_return_to_last_page(window: MainWindow, context: Context) -> None:
    context.enter(make_payload(Role.ADMIN))
    window.go("people")
    context.payload = None
    context.login_changed.emit()
    context.enter(make_payload(Role.ADMIN, user_id="u2"))
    assert in_front(window) == "records"


def test_state_of_the_service_is_shown(window: MainWindow, context: Context, qtbot: QtBot) -> None:
    context.enter(make_payload(Role.ADMIN))
    context.show_service(ServiceState.READY)
    assert not window.banner.isVisible()
    assert "Service ready" in window.rail.account.accessibleName()
    context.show_service(ServiceState.RESTARTING)
    assert window.banner.isVisible()
    assert "you can continue working" in window.banner.text()
    context.data_folder = Path("/srv/daten")
    for storage_fault in set(StorageFault) - {StorageFault.NO_DATABASE, StorageFault.NO_FILE_STORE}:
        context.show_service(ServiceState.STARTING)
        context.show_service(ServiceState.FAILED, storage_fault)
        assert "/srv/daten" in window.banner.text()
    context.show_service(ServiceState.STARTING)
    context.show_service(ServiceState.FAILED)
    assert "Cannot start or connect to the service" in window.banner.text()
    with qtbot.waitSignal(window.retry_requested):
        window.banner.action_chosen.emit()
    context.show_service(ServiceState.READY)
    assert not window.banner.isVisible()


def test_toast_disappears_by_itself_or_by_a_click(window: MainWindow, context: Context, qtbot: QtBot) -> None:
    context.enter(make_payload(Role.ADMIN))
    open_page(window, Records).toast.emit("Exported 53 records")
    assert window.toast.isVisible()
    assert window.toast.text() == "Exported 53 records"
    qtbot.mouseClick(window.toast, Qt.MouseButton.LeftButton)
    assert not window.toast.isVisible()


def test_long_toast_stays_inside_the_window(window: MainWindow, context: Context) -> None:
    context.enter(make_payload(Role.ADMIN))
    text = "Report saved: /" + "a_folder_without_blanks_&_more/" * 20
    window.resize(1024, 700)
    open_page(window, Records).toast.emit(text)
    assert window.toast.text() == text
    assert window.rect().contains(window.toast.geometry())
    window.resize(800, 700)
    assert window.rect().contains(window.toast.geometry())


def test_position_of_the_window_is_stored(
    window: MainWindow, context: Context, qtbot: QtBot, qapp: QApplication
) -> None:
    window.resize(1024, 720)
    window.close()
    again = MainWindow(context, [PageFactory(Login, Login)])
    qtbot.addWidget(again)
    assert again.height() == 720  # 900 without it; the width is bounded by the screen


def test_the_palette_finds_and_does(window: MainWindow, context: Context, qtbot: QtBot) -> None:
    context.enter(make_payload(Role.ADMIN))
    palette = Palette(window, context.commands)
    qtbot.addWidget(palette)
    palette.open()
    assert "go.people" in palette.command_ids()
    assert "edit.undo" not in palette.command_ids()
    assert "palette" not in palette.command_ids()
    qtbot.keyClicks(palette.search_field, "goadm")
    assert palette.command_ids()[0] == "go.people"
    qtbot.keyClick(palette.search_field, Qt.Key.Key_Return)
    assert in_front(window) == "people"
    assert not palette.isVisible()


def test_the_palette_is_walked_by_arrows(window: MainWindow, context: Context, qtbot: QtBot) -> None:
    context.enter(make_payload(Role.ADMIN))
    palette = Palette(window, context.commands)
    qtbot.addWidget(palette)
    palette.open()
    qtbot.keyClick(palette.search_field, Qt.Key.Key_Down)
    assert palette.list.currentRow() == 1
    qtbot.keyClick(palette.search_field, Qt.Key.Key_Up)
    qtbot.keyClick(palette.search_field, Qt.Key.Key_Up)
    assert palette.list.currentRow() == 0
    qtbot.keyClicks(palette.search_field, "qqqq")
    assert palette.command_ids() == []
    qtbot.keyClick(palette.search_field, Qt.Key.Key_Escape)
    assert not palette.isVisible()


def test_palette_finds_english_words_in_another_language(
    window: MainWindow, context: Context, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    context.enter(make_payload(Role.ADMIN))
    monkeypatch.setattr(context.commands, "title", lambda _id: "转到")
    monkeypatch.setattr(context.commands, "section", lambda _id: "程序")
    palette = Palette(window, context.commands)
    qtbot.addWidget(palette)
    qtbot.keyClicks(palette.search_field, "dark")
    assert palette.command_ids()[0] == "theme.dark"
    # The row says what was found: nothing in its title contains the letters.
    row = palette.list.item(0)
    assert (row.text(), row.data(_MATCHED)) == ("转到", "Theme: dark")
    palette.search_field.clear()
    palette.search_field.setText("程序")
    assert palette.list.item(0).data(_MATCHED) == "程序"
    palette.search_field.clear()
    palette.search_field.setText("转到")
    assert palette.list.item(0).data(_MATCHED) == ""


def test_palette_says_that_nothing_matches(window: MainWindow, context: Context, qtbot: QtBot) -> None:
    palette = Palette(window, context.commands)
    qtbot.addWidget(palette)
    palette.open()
    qtbot.keyClicks(palette.search_field, "qqqq")
    row = palette.list.item(0)
    assert row.text() == "No command found"
    assert not row.flags() & Qt.ItemFlag.ItemIsEnabled
    assert palette.command_ids() == []
    qtbot.keyClick(palette.search_field, Qt.Key.Key_Down)
    qtbot.keyClick(palette.search_field, Qt.Key.Key_Return)
    assert palette.isVisible()
    palette.search_field.clear()
    assert palette.command_ids()


@pytest.mark.parametrize("is_chinese", [False, True])
def test_palette_finds_the_commands_of_the_settings_menu(
    window: MainWindow, context: Context, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, is_chinese: bool
) -> None:
    context.enter(make_payload(Role.ADMIN))
    if is_chinese:
        monkeypatch.setattr(Palette, "tr", lambda _self, text: "设置" if text == "Settings" else text)
    palette = Palette(window, context.commands)
    qtbot.addWidget(palette)
    wanted = {id_ for id_ in SETTINGS_MENU if id_ and context.commands.is_possible(id_)} - {"palette"}
    assert {"theme.dark", "language.zh_CN", "report.template", "about"} <= wanted
    for word in ("设置", "settings") if is_chinese else ("settings",):
        palette.search_field.setText(word)
        assert wanted <= set(palette.command_ids())
        rows = {id_: palette.list.item(row) for row, id_ in enumerate(palette.command_ids())}
        assert rows["theme.dark"].data(_MATCHED).casefold() == word
    # Only the beginning of the word counts: its letters are in many searches.
    palette.search_field.setText("sng")
    assert "theme.dark" not in palette.command_ids()


def test_better_matches_score_higher() -> None:
    assert not_none(score("zi", "Zoom in")) > not_none(score("zi", "Fuzzy find"))
    assert not_none(score("rec", "Records")) > not_none(score("rec", "Draw a rectangle c"))
    assert score("xyz", "Zoom in") is None
    assert score("", "Zoom in") is not None


def test_the_sheet_lists_every_key_and_finds(qtbot: QtBot, context: Context) -> None:
    sheet = ShortcutSheet(None, context.commands)
    qtbot.addWidget(sheet)
    assert sheet.shown_keys("edit.redo") == "Ctrl+Shift+Z · Ctrl+Y"
    context.commands.set_keys("edit.redo", ["F7"])
    assert sheet.shown_keys("edit.redo") == "F7"


def test_changed_shortcut_is_explained(qtbot: QtBot, context: Context) -> None:
    edit = ShortcutDialog(None, context.commands, "view.fit")
    qtbot.addWidget(edit)
    edit.show()
    qtbot.keyClick(edit.editor, Qt.Key.Key_Y)
    assert "Verdict: passed" in edit.warning.text()
    edit.assign_button.click()
    assert context.commands.keys("view.fit") == ("Y",)
    assert context.commands.keys("item.pass") == ()


def test_the_settings_mark_theme_and_language_in_force(window: MainWindow, context: Context) -> None:
    def checked_menu_texts() -> list[str]:
        window.menus.open_settings()
        (menu,) = (menu for menu in window.findChildren(QMenu) if menu.isVisible())
        texts = [entry.text() for entry in menu.actions() if entry.isChecked()]
        menu.close()
        QApplication.processEvents()
        return texts

    assert checked_menu_texts() == ["Theme: system default", "Language: system default"]
    context.commands.run("theme.dark")
    context.preferences.change(language="zh_CN")
    assert checked_menu_texts() == ["Theme: dark", "Language: 中文"]
    context.commands.run("theme.system")


def test_hidden_page_gets_the_theme_when_it_is_shown(
    window: MainWindow, context: Context, qtbot: QtBot
) -> None:
    context.enter(make_payload(Role.ADMIN))
    light, dark = stylesheet(LIGHT), stylesheet(DARK)
    theme_manager().set_mode(Mode.LIGHT)
    records, people = open_page(window, Records), open_page(window, People)
    assert window.go("people")
    assert window.go("records")
    assert (records.styleSheet(), people.styleSheet()) == (light, light)
    theme_manager().set_mode(Mode.DARK)
    try:
        # The page follows in a turn of its own: frame and page together would hold the window too long.
        assert (records.styleSheet(), window.rail.styleSheet()) == (light, dark)
        qtbot.waitUntil(lambda: records.styleSheet() == dark)
        assert people.styleSheet() == light
        assert window.go("people")
        assert people.styleSheet() == dark
    finally:
        theme_manager().set_mode(Mode.SYSTEM)


def test_first_window_fits_on_the_screen(qtbot: QtBot, context: Context) -> None:
    window = MainWindow(context, [PageFactory(Login, Login), PageFactory(Records, Records)])
    qtbot.addWidget(window)
    available = window.screen().availableSize()
    assert window.height() < available.height()
    assert window.width() < available.width()
    assert window.minimumSize() == QSize(1024, 700).boundedTo(available - QSize(8, 40))


def test_pages_are_created_when_opened_or_ahead(
    qtbot: QtBot, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    page_ids: list[str] = []

    def kind(page: type[_Page]) -> PageFactory:
        def make() -> _Page:
            page_ids.append(page.page_id)
            return page()

        return PageFactory(page, make)

    window = MainWindow(context, [kind(page) for page in (Login, Records, Workbench, People)])
    qtbot.addWidget(window)
    assert page_ids == ["login"]
    context.enter(make_payload(Role.ADMIN))
    assert window.rail.page_ids() == ["records", "people"]
    assert window.go("people")
    assert page_ids == ["login", "records", "people"]
    window.show()
    assert page_ids == ["login", "records", "people"]
    window.stop_making_pages()
    qtbot.wait(2 * window.ahead.interval())
    assert page_ids == ["login", "records", "people"]
    window.hide()
    window.show()
    qtbot.waitUntil(lambda: page_ids == ["login", "records", "people", "workbench"])
    assert window.go("workbench")
    assert page_ids[-1:] == ["workbench"]


def test_part_of_a_large_page_is_created_in_an_earlier_iteration(qtbot: QtBot, context: Context) -> None:
    made: list[str] = []

    def make() -> Workbench:
        made.append("page")
        return Workbench()

    factory = PageFactory(Workbench, make, lambda: made.append("part"))
    window = MainWindow(context, [PageFactory(Login, Login), factory])
    qtbot.addWidget(window)
    window.show()
    qtbot.waitUntil(lambda: made == ["part"])
    qtbot.waitUntil(lambda: made == ["part", "page"])
    qtbot.wait(2 * window.ahead.interval())
    assert made == ["part", "page"]
    assert not window.ahead.prepare("workbench")
    assert not window.ahead.prepare("login")


def test_window_moves_to_a_place(qtbot: QtBot, context: Context) -> None:
    pages = [PageFactory(kind, kind) for kind in (Login, Records, Workbench, People)]
    for logged_in, page_id in ((False, "login"), (True, "workbench")):
        if logged_in:
            context.enter(make_payload(Role.ADMIN))
        window = MainWindow(context, pages, waits=True)
        qtbot.addWidget(window)
        assert window.page is None
        window.show_first_page(("workbench", {"text": "7"}))
        assert in_front(window) == page_id
    assert open_page(window, Workbench).openings == [{"text": "7"}]
    assert window.rail.page_ids() == ["records", "people"]
    window.show_first_page(("people", {}))
    assert in_front(window) == "people"


def test_window_scrolls_page_by_page(qtbot: QtBot, context: Context) -> None:
    context.enter(make_payload(Role.ADMIN))
    window = MainWindow(context, [PageFactory(kind, kind) for kind in (Login, Records, Workbench, People)])
    pages = [open_page(window, kind) for kind in (Login, Records, Workbench, People)]
    left: list[int] = []
    for part in (*pages, window):
        part.destroyed.connect(lambda: left.append(sum(map(isValid, pages))))
    window.delete_in_steps()
    # What the context says reaches it no more, and makes no page again.
    context.enter(make_payload(Role.ADMIN))
    qtbot.waitUntil(lambda: not isValid(window))
    assert len(left) == 5
    assert left[-1] == 0
    assert left == sorted(left, reverse=True)


def test_the_workbench_is_styled_before_it_is_opened(qtbot: QtBot, context: Context) -> None:
    kinds = (Login, Records, Workbench, People)
    window = MainWindow(context, [PageFactory(kind, kind) for kind in kinds])
    qtbot.addWidget(window)
    window.show()
    qtbot.waitUntil(lambda: "people" in window._pages)
    wanted = stylesheet(theme_manager().theme)
    styled = [kind.page_id for kind in kinds if open_page(window, kind).styleSheet() == wanted]
    assert styled == ["login", "workbench"]
