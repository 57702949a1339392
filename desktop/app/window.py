"""Shows the main window: rail, pages, status bar, notices."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QByteArray, QSize, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QCloseEvent, QDesktopServices, QShowEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from desktop.app.about import About
from desktop.app.assistance import Assistance
from desktop.app.face_renewal import FaceRenewal
from desktop.app.pages_ahead import PagesAhead
from desktop.app.palette import Palette
from desktop.app.shortcut_sheet import ShortcutSheet
from desktop.background.repaint import TURN_MS
from desktop.connection.local_service import ServiceState
from desktop.context import Context, Unsent
from desktop.localization.fonts import PACKAGE
from desktop.localization.language import LANGUAGES, without_font
from desktop.localization.service_terms import no_service_sentence
from desktop.logs import log_dir
from desktop.pages.common.messages.error_messages import sentence
from desktop.pages.sealing.rules_dialog import RulesDialog
from desktop.theme import Mode, theme_manager
from desktop.tour import TourController
from desktop.widgets import Banner, Page, PageFactory, Rail, RailEntry, StatusBar, Toast, confirm

LOGIN = "login"
HOME = "records"
ACCOUNT = "me"
"""The page that the account at the foot of the rail leads to."""
_HISTORY = 50
_USUAL = QSize(1440, 900)
_LEAST = QSize(1024, 700)
_FRAME = QSize(8, 40)
"""What a system takes for borders and title: on a small screen the foot of the window stays in sight."""
Place = tuple[str, dict[str, Any]]


class MainWindow(QMainWindow):
    """Shows one page at a time. A person who is not logged in sees only pages that are not `in_frame`.

    A page is made when it is opened first; once the window is shown the others follow, each in a turn of the
    event loop of its own. When it `waits`, no page comes to the front before `arrive`.
    """

    language_wanted = Signal(str)
    """A language code, or an empty string for the system's."""
    retry_wanted = Signal()
    """The person wants the service tried again."""

    def __init__(self, context: Context, pages: Sequence[PageFactory], waits: bool = False) -> None:
        super().__init__()
        self._context = context
        self._kinds = {page.kind.page_id: page for page in pages}
        self._pages: dict[str, Page] = {}
        self.ahead = PagesAhead(self._kinds, self._pages, self.made, self)
        self._history: list[Place] = []
        self._page: Page | None = None
        self._interrupted: tuple[str, Place] | None = None
        self._user_id = ""
        self.setWindowTitle("Walkaround")
        available = self.screen().availableSize() - _FRAME
        # A laptop at 150 % has less room than the pages would like: they fold before anything is cut off.
        self.setMinimumSize(_LEAST.boundedTo(available))
        self.resize(_USUAL.boundedTo(available))
        self.rail = Rail()
        self.banner = Banner()
        self.font_banner = Banner()
        self.update_banner = Banner()
        self.face_banner = Banner()
        self.status_bar = StatusBar()
        self._stack = QStackedWidget()
        inner = QWidget()
        row = QHBoxLayout(inner)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        column = QVBoxLayout()
        column.setSpacing(0)
        row.addWidget(self.rail)
        row.addLayout(column, 1)
        column.addWidget(self.banner)
        column.addWidget(self.font_banner)
        column.addWidget(self.update_banner)
        column.addWidget(self.face_banner)
        column.addWidget(self._stack, 1)
        column.addWidget(self.status_bar)
        self.setCentralWidget(inner)
        self.toast = Toast(self)
        self.tour = TourController(context, self, self.rail)
        theme_manager().style_parts_separately()
        banners = (self.banner, self.font_banner, self.update_banner, self.face_banner)
        for part in (self.rail, *banners, self.status_bar, self.toast):
            theme_manager().apply_to(part)
        self.rail.chosen.connect(self._on_rail_chosen)
        self.rail.settings_wanted.connect(self._settings)
        self.rail.account_wanted.connect(self._account)
        self.banner.acted.connect(self.retry_wanted)
        self.banner.other_acted.connect(lambda: context.commands.run("doctor"))
        self.face_banner.acted.connect(lambda: self.go(ACCOUNT))
        self.face_renewal = FaceRenewal(context, self.face_banner)
        context.loginChanged.connect(self._on_login_changed)
        context.serviceChanged.connect(self._on_service_changed)
        self.assistance = Assistance(self, context, lambda: self._page)
        self._bind()
        geometry = context.preferences.values.geometry
        if geometry:
            self.restoreGeometry(QByteArray.fromBase64(geometry.encode("ascii", "ignore")))
        self._on_service_changed(context.service_state)
        self._say_without_font()
        if not waits:
            self._on_login_changed()

    @property
    def page(self) -> Page | None:
        """The page in front."""
        return self._page

    def return_params(self) -> Place:
        """Where the person is, for `go` in another window."""
        return (self._page.page_id, self._page.return_params()) if self._page is not None else (LOGIN, {})

    def arrive(self, place: Place) -> None:
        """Bring the first page to the front: the one of `return_params`, or else where a login leads to."""
        payload = self._context.payload
        first = payload is not None and self._page is None
        if payload is not None and first:
            self._interrupted = (payload.user.user_id, place)
        self._on_login_changed()
        if not first:
            self.go(*place)

    def make_no_more(self) -> None:
        """Make no more pages ahead: another window takes the place of this one."""
        self.ahead.stop()

    def discard(self) -> None:
        """Delete the window, its pages before it: each in a turn of the event loop of its own."""
        self.make_no_more()
        self._context.loginChanged.disconnect(self._on_login_changed)
        self._context.serviceChanged.disconnect(self._on_service_changed)
        self._discard_next()

    def _discard_next(self) -> None:
        if self._pages:
            self._pages.popitem()[1].deleteLater()
            QTimer.singleShot(TURN_MS, self, self._discard_next)
        else:
            self.deleteLater()

    def made(self, page_id: str) -> Page | None:
        """The page with this id, created now if it does not exist yet; None when there is no such page."""
        existing, kind = self._pages.get(page_id), self._kinds.get(page_id)
        if existing is not None or kind is None:
            return existing
        page = self._pages[page_id] = kind.make()
        self._stack.addWidget(page)
        page.navigate.connect(self.go)
        page.toast.connect(self.toast.say)
        page.status.connect(self.status_bar.say)
        return page

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.ahead.start()

    def go(self, page_id: str, params: dict[str, Any] | None = None) -> bool:
        """Bring a page to the front; False when it is not there, not allowed, or the page in front stays."""
        factory = self._kinds.get(page_id)
        if factory is None or (factory.kind.in_frame and not self._context.may(factory.kind.permission)):
            return False
        page = self.made(page_id)
        assert page is not None
        before = self._page
        if before is not None and before is not page:
            if not before.leave():
                self.rail.mark(before.section or before.page_id)
                return False
            if before.in_frame:
                self._history = [*self._history, self.return_params()][-_HISTORY:]
        self._front(page, params or {})
        return True

    def back(self) -> None:
        """Return to where the person was before."""
        if self._history:
            page_id, params = self._history[-1]
            remaining = self._history[:-1]
            if self.go(page_id, params):
                self._history = remaining

    def _front(self, page: Page, params: dict[str, Any]) -> None:
        self._page = page
        self.rail.setVisible(page.in_frame)
        self.rail.mark(page.section or page.page_id)
        self.status_bar.say("", "")
        self.status_bar.setVisible(page.in_frame and page.has_status_bar)
        theme_manager().apply_to(page, late=True)
        self._stack.setCurrentWidget(page)
        self.setWindowTitle(f"{page.title()} — Walkaround")
        # Or else the focus of the page before falls on a button of the rail.
        page.setFocus(Qt.FocusReason.OtherFocusReason)
        page.enter(params)
        self.tour.page_opened(page)

    def _on_rail_chosen(self, page_id: str) -> None:
        if not self.go(page_id) and self._page is not None:
            self.rail.mark(self._page.section or self._page.page_id)

    def say_update(self, version: str, has_page: bool) -> None:
        """Announce a newer version, with a button for its page if it has one."""
        text = self.tr("Walkaround {version} is available.").format(version=version)
        self.update_banner.say(text, "info", self.tr("Open download page") if has_page else "")

    def _say_without_font(self) -> None:
        """Say why the chosen language is not used, in the language that is."""
        if without_font(self._context.preferences.values.language):
            text = self.tr(
                "Cannot show Chinese: no font with Chinese characters on this computer. Install one "
                "(package {package} on Debian and Ubuntu), then restart Walkaround."
            )
            self.font_banner.say(text.format(package=PACKAGE), "warn")

    # What the context says

    def _on_login_changed(self) -> None:
        payload = self._context.payload
        if payload is None:
            self._show_login()
            return
        self.rail.set_entries(
            RailEntry(kind.page_id, kind.icon, kind.title())
            for kind in (page.kind for page in self._kinds.values())
            if kind.icon and kind.page_id != ACCOUNT and kind.in_frame and self._context.may(kind.permission)
        )
        self._on_service_changed(self._context.service_state)
        self._user_id = payload.user.user_id
        if self._page is not None and self._page.in_frame:
            self.rail.mark(self._page.section or self._page.page_id)
            return
        interrupted, self._interrupted = self._interrupted, None
        if interrupted is not None and interrupted[0] == self._user_id and self.go(*interrupted[1]):
            return
        if not self.go(HOME):
            next((page_id for page_id in self._kinds if page_id != LOGIN and self.go(page_id)), None)

    def _show_login(self) -> None:
        """The login ended: back to the login page, without a question, and back here after the same login."""
        if self._page is not None and self._page.in_frame:
            self._interrupted = (self._user_id, self.return_params())
        self._history = []
        self.banner.setVisible(False)
        login = self.made(LOGIN)
        if login is not None:
            self._front(login, {})
        self._on_service_changed(self._context.service_state)

    def _on_service_changed(self, state: ServiceState) -> None:
        payload = self._context.payload
        if payload is not None:
            self.rail.show_account(payload.user.name or payload.user.username, state)
        if state is ServiceState.FAILED:
            if self._context.untrusted is None:
                text = no_service_sentence(self._context.hindrance, self._context.data_folder)
            else:
                text = sentence(self._context.untrusted)
            check = self._context.commands.title("doctor")
            self.banner.say(text, "error", self.tr("Retry"), closable=False, other=check)
        elif state is ServiceState.RESTARTING:
            text = self.tr("Connection to the service lost. Reconnecting; you can continue working.")
            self.banner.say(text, "warn", closable=False)
        else:
            self.banner.hide()

    # Commands

    def _bind(self) -> None:
        bind = self._context.commands.bind
        bind("palette", self._palette, self)
        bind("keys", self._keys, self)
        bind("tour", self.tour.start, self, enabled=self.tour.is_possible)
        for page_id in self._kinds:
            if page_id in {"records", "catalogue", "statistics", "people", "me"}:
                self._bind_page(page_id)
        bind("back", self.back, self, enabled=lambda: bool(self._history))
        bind("reload", self._reload, self, enabled=self._logged_in)
        for mode in Mode:
            bind(f"theme.{mode}", partial(self._set_theme, mode), self)
        bind("language.system", lambda: self.language_wanted.emit(""), self)
        for code in LANGUAGES:
            bind(f"language.{code}", partial(self.language_wanted.emit, code), self)
        bind("fullscreen", self._full_screen, self)
        bind("logs", lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(log_dir()))), self)
        bind("finish.rules", self._finish_rules, self, enabled=self._logged_in)
        bind("about", self._about, self)
        bind("logout", self._logout, self, enabled=self._logged_in)
        bind("quit", self.close, self)

    def _bind_page(self, page_id: str) -> None:
        permission = self._kinds[page_id].kind.permission
        self._context.commands.bind(
            f"go.{page_id}",
            lambda: self.go(page_id),
            self,
            enabled=lambda: self._logged_in() and self._context.may(permission),
        )

    def _logged_in(self) -> bool:
        return self._context.payload is not None

    def _palette(self) -> None:
        palette = Palette(self, self._context.commands)
        theme_manager().apply_to(palette)
        palette.open()

    def _keys(self) -> None:
        self._ask(ShortcutSheet(self, self._context.commands))

    def _ask(self, dialog: QDialog) -> None:
        theme_manager().apply_to(dialog)
        dialog.exec()
        dialog.deleteLater()

    def _about(self) -> None:
        self._ask(About(self, self._context))

    def _finish_rules(self) -> None:
        rules = RulesDialog(self._context, self)
        theme_manager().apply_to(rules)
        rules.finished.connect(rules.deleteLater)
        rules.open()

    def _reload(self) -> None:
        if self._page is not None:
            self._page.enter(self._page.return_params())

    def _set_theme(self, mode: Mode) -> None:
        self._context.preferences.change(theme=mode)
        theme_manager().set_mode(mode)

    def _full_screen(self) -> None:
        if self.isFullScreen():
            self.showNormal()
        else:
            self.showFullScreen()

    def _logout(self) -> None:
        if (self._page is None or self._page.leave()) and self._may_log_out():
            self._user_id = ""
            self._context.leave()

    def _settings(self) -> None:
        chosen = self._context.preferences.values
        themes = {f"theme.{mode}": mode is theme_manager().mode for mode in Mode}
        languages = {f"language.{code or 'system'}": code == chosen.language for code in ("", *LANGUAGES)}
        ids = ["help", "keys", "tour", "palette", "", *themes, "", *languages, ""]
        ids += ["finish.rules", "doctor", "logs", "about"]
        self._pop_up(ids, self.rail.settings, themes | languages)

    def _account(self) -> None:
        self._pop_up(["go.me", "", "logout", "quit"], self.rail.account)

    def _pop_up(self, ids: Sequence[str], beside: QWidget, choices: Mapping[str, bool] | None = None) -> None:
        menu = self._context.commands.menu(ids, self, choices)
        theme_manager().apply_to(menu)
        corner = beside.mapToGlobal(beside.rect().bottomRight())
        corner.setY(corner.y() - menu.sizeHint().height())
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(corner)

    def closeEvent(self, event: QCloseEvent) -> None:
        if (self._page is not None and not self._page.leave()) or not self._may_close():
            event.ignore()
            return
        self.keep_geometry()
        event.accept()

    def _may_close(self) -> bool:
        """True when nothing is lost by closing, or the person says that it may be."""
        photos = self.unsent_photos()
        return not photos or confirm(
            self,
            self.tr("Close before photos are uploaded?"),
            self.tr("%n photo(s) not uploaded yet. They will be lost if you close now.", "", photos),
            self.tr("Close anyway"),
        )

    def _may_log_out(self) -> bool:
        photos = self.unsent_photos()
        return not photos or confirm(
            self,
            self.tr("Log out before photos are uploaded?"),
            self.tr("%n photo(s) not uploaded yet. They may be lost if you log out now.", "", photos),
            self.tr("Log out anyway"),
        )

    def unsent_photos(self) -> int:
        """Photos that are only in this program so far."""
        unsent = Unsent()
        self._context.closeAsked.emit(unsent)
        return unsent.photos

    def keep_geometry(self) -> None:
        """Remember the window's place in the preferences."""
        geometry = base64.b64encode(self.saveGeometry().data()).decode("ascii")
        self._context.preferences.change(geometry=geometry)
