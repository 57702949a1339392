"""Shows the main window: rail, pages, status bar, notices."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QByteArray, QSize, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QCloseEvent, QDesktopServices, QShowEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from desktop.app.assistance import About, Assistance
from desktop.app.menus import RailMenus, ReportSettings
from desktop.app.notices import FaceRenewal
from desktop.app.pages_ahead import PagesAhead
from desktop.app.palette import Palette
from desktop.app.shortcut_sheet import ShortcutSheet
from desktop.app.unsent import confirm_unsent
from desktop.background.repaint import TURN_MS
from desktop.connection.local_service import ServiceState
from desktop.context import Context, Unsent
from desktop.localization.fonts import FONT_PACKAGE
from desktop.localization.language import LANGUAGES, has_no_font
from desktop.logs import log_dir
from desktop.messages.error_messages import no_service_sentence, sentence
from desktop.pages.sealing.rules_dialog import RulesDialog
from desktop.theme import Mode, theme_manager
from desktop.tour import TourController
from desktop.widgets import Banner, Page, PageFactory, Rail, RailEntry, StatusBar, Toast, ask

LOGIN = "login"
HOME = "records"
ACCOUNT = "me"
"""The page that the account button of the rail opens."""
_MAX_HISTORY = 50
_DEFAULT_SIZE = QSize(1440, 900)
_MIN_SIZE = QSize(1024, 700)
_FRAME_SIZE = QSize(8, 40)
"""The space that the system needs for borders and title bar, so that the window fits on a small screen."""
Place = tuple[str, dict[str, Any]]


class MainWindow(QMainWindow):
    """Shows one page at a time. Without a login, only pages without a frame (`has_frame`) are shown.

    A page is created when it is first opened. After the window is shown, the other pages are created in
    advance, each in its own turn of the event loop. With `waits`, no page is shown before `show_first_page`.
    """

    language_requested = Signal(str)
    """A language code, or an empty string for the system's."""
    retry_requested = Signal()
    """The user wants to retry the service."""

    def __init__(self, context: Context, pages: Sequence[PageFactory], waits: bool = False) -> None:
        super().__init__()
        self._context = context
        self._factories = {page.page_class.page_id: page for page in pages}
        self._pages: dict[str, Page] = {}
        self.ahead = PagesAhead(self._factories, self._pages, self.find_or_make_page, self)
        self._history: list[Place] = []
        self._page: Page | None = None
        self._interrupted_place: tuple[str, Place] | None = None
        self._user_id = ""
        self.setWindowTitle("Walkaround")
        available = self.screen().availableSize() - _FRAME_SIZE
        # The screen of a laptop at 150 % may be smaller than the minimum size.
        self.setMinimumSize(_MIN_SIZE.boundedTo(available))
        self.resize(_DEFAULT_SIZE.boundedTo(available))
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
        banners = (self.banner, self.font_banner, self.update_banner, self.face_banner)
        for banner in banners:
            column.addWidget(banner)
        column.addWidget(self._stack, 1)
        column.addWidget(self.status_bar)
        self.setCentralWidget(inner)
        self.toast = Toast(self)
        self.tour = TourController(context, self, self.rail)
        theme_manager().style_parts_separately()
        for part in (self.rail, *banners, self.status_bar, self.toast):
            theme_manager().apply_to(part)
        self.rail.page_chosen.connect(self._on_rail_chosen)
        self.banner.action_chosen.connect(self.retry_requested)
        self.banner.second_action_chosen.connect(lambda: context.commands.run("doctor"))
        self.face_banner.action_chosen.connect(lambda: self.go(ACCOUNT))
        self.face_renewal = FaceRenewal(context, self.face_banner)
        context.login_changed.connect(self._on_login_changed)
        context.service_changed.connect(self._on_service_changed)
        report_settings = ReportSettings(context, self)
        report_settings.notice.connect(self.toast.show_message)
        self.menus = RailMenus(context, self, self.rail, report_settings)
        self.assistance = Assistance(self, context, lambda: self._page)
        self._bind_commands()
        self._bind_pages(self._factories)
        geometry = context.preferences.values.geometry
        if geometry:
            self.restoreGeometry(QByteArray.fromBase64(geometry.encode("ascii", "ignore")))
        self._on_service_changed(context.service_state)
        self._show_missing_font()
        if not waits:
            self._on_login_changed()

    def add_pages(self, pages: Sequence[PageFactory]) -> None:
        """Add those of `pages` that the window does not have yet."""
        new = {
            page.page_class.page_id: page for page in pages if page.page_class.page_id not in self._factories
        }
        self._factories |= new
        self._bind_pages(new)
        if self.isVisible():
            self.ahead.start()

    @property
    def page(self) -> Page | None:
        """The visible page."""
        return self._page

    def return_params(self) -> Place:
        """The current page and its parameters, for `go` in another window."""
        return (self._page.page_id, self._page.return_params()) if self._page is not None else (LOGIN, {})

    def show_first_page(self, place: Place) -> None:
        """Show the first page: that of `return_params` of another window, else the page after a login."""
        payload = self._context.payload
        is_first = payload is not None and self._page is None
        if payload is not None and is_first:
            self._interrupted_place = (payload.user.user_id, place)
        self._on_login_changed()
        if not is_first:
            self.go(*place)

    def stop_making_pages(self) -> None:
        """Stop creating pages in advance, because another window replaces this one."""
        self.ahead.stop()

    def delete_in_steps(self) -> None:
        """Delete the pages and then the window, each in its own turn of the event loop."""
        self.stop_making_pages()
        self._context.login_changed.disconnect(self._on_login_changed)
        self._context.service_changed.disconnect(self._on_service_changed)
        self._delete_next_page()

    def _delete_next_page(self) -> None:
        if self._pages:
            self._pages.popitem()[1].deleteLater()
            QTimer.singleShot(TURN_MS, self, self._delete_next_page)
        else:
            self.deleteLater()

    def find_or_make_page(self, page_id: str) -> Page | None:
        """The page with this ID, which is created if necessary; None for an unknown ID."""
        page, kind = self._pages.get(page_id), self._factories.get(page_id)
        if page is not None or kind is None:
            return page
        page = self._pages[page_id] = kind.create()
        self._stack.addWidget(page)
        page.navigate.connect(self.go)
        page.toast.connect(self.toast.show_message)
        page.undoable.connect(self.toast.show_undoable)
        page.status.connect(self.status_bar.show_texts)
        return page

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.ahead.start()

    def go(self, page_id: str, params: dict[str, Any] | None = None) -> bool:
        """Show a page.

        Returns False if it is unknown or not permitted, or if the user stays on the current page.
        """
        factory = self._factories.get(page_id)
        if factory is None or (
            factory.page_class.has_frame and not self._context.may(factory.page_class.permission)
        ):
            return False
        page = self.find_or_make_page(page_id)
        assert page is not None
        previous = self._page
        if previous is not None and previous is not page:
            if not previous.leave():
                self.rail.mark_page(previous.section or previous.page_id)
                return False
            if previous.has_frame:
                self._history = [*self._history, self.return_params()][-_MAX_HISTORY:]
        self._bring_to_front(page, params or {})
        return True

    def go_back(self) -> None:
        """Return to the previous page."""
        if self._history:
            page_id, params = self._history[-1]
            remaining_history = self._history[:-1]
            if self.go(page_id, params):
                self._history = remaining_history

    def _bring_to_front(self, page: Page, params: dict[str, Any]) -> None:
        self._page = page
        self.rail.setVisible(page.has_frame)
        self.rail.mark_page(page.section or page.page_id)
        self.status_bar.show_texts("", "")
        self.status_bar.setVisible(page.has_frame and page.has_status_bar)
        theme_manager().apply_to(page, late=True)
        self._stack.setCurrentWidget(page)
        self.setWindowTitle(f"{page.title()} — Walkaround")
        # Otherwise Qt moves the focus from the previous page to a button of the rail.
        page.setFocus(Qt.FocusReason.OtherFocusReason)
        page.enter(params)
        self.tour.follow_page(page)

    def _on_rail_chosen(self, page_id: str) -> None:
        if not self.go(page_id) and self._page is not None:
            self.rail.mark_page(self._page.section or self._page.page_id)

    def show_update(self, version: str, has_page: bool) -> None:
        """Announce a newer version, with a button for its page if it has one."""
        text = self.tr("Walkaround {version} is available.").format(version=version)
        self.update_banner.show_message(text, "info", self.tr("Open download page") if has_page else "")

    def _show_missing_font(self) -> None:
        """Show why the selected language cannot be used."""
        if has_no_font(self._context.preferences.values.language):
            text = self.tr(
                "Cannot show Chinese: no font with Chinese characters on this computer. Install one "
                "(package {package} on Debian and Ubuntu), then restart Walkaround."
            )
            self.font_banner.show_message(text.format(package=FONT_PACKAGE), "warn")

    # Changes of the context

    def _on_login_changed(self) -> None:
        payload = self._context.payload
        if payload is None:
            self._show_login()
            return
        self.rail.set_entries(
            RailEntry(kind.page_id, kind.icon, kind.title())
            for kind in (page.page_class for page in self._factories.values())
            if kind.icon and kind.page_id != ACCOUNT and kind.has_frame and self._context.may(kind.permission)
        )
        self._on_service_changed(self._context.service_state)
        self._user_id = payload.user.user_id
        if self._page is not None and self._page.has_frame:
            self.rail.mark_page(self._page.section or self._page.page_id)
            return
        interrupted, self._interrupted_place = self._interrupted_place, None
        if interrupted is not None and interrupted[0] == self._user_id and self.go(*interrupted[1]):
            return
        if not self.go(HOME):
            next((page_id for page_id in self._factories if page_id != LOGIN and self.go(page_id)), None)

    def _show_login(self) -> None:
        """Show the login page without asking. A login of the same user returns to the current page."""
        if self._page is not None and self._page.has_frame:
            self._interrupted_place = (self._user_id, self.return_params())
        self._history = []
        self.banner.setVisible(False)
        login = self.find_or_make_page(LOGIN)
        if login is not None:
            self._bring_to_front(login, {})
        self._on_service_changed(self._context.service_state)

    def _on_service_changed(self, state: ServiceState) -> None:
        payload = self._context.payload
        if payload is not None:
            self.rail.show_account(payload.user.name or payload.user.username, state)
        if state is ServiceState.FAILED:
            if self._context.untrusted is None:
                text = no_service_sentence(self._context.storage_fault, self._context.data_folder)
            else:
                text = sentence(self._context.untrusted)
            check = self._context.commands.title("doctor")
            self.banner.show_message(text, "error", self.tr("Retry"), closable=False, second_action=check)
        elif state is ServiceState.RESTARTING:
            text = self.tr("Connection to the service lost. Reconnecting; you can continue working.")
            self.banner.show_message(text, "warn", closable=False)
        else:
            self.banner.hide()

    # Commands

    def _bind_commands(self) -> None:
        bind = self._context.commands.bind
        bind("palette", self._open_palette, self)
        bind("keys", self._open_shortcuts, self)
        bind("tour", self.tour.start, self, enabled=self.tour.is_possible)
        bind("back", self.go_back, self, enabled=lambda: bool(self._history))
        bind("reload", self._reload, self, enabled=self._is_logged_in)
        for mode in Mode:
            bind(f"theme.{mode}", partial(self._set_theme, mode), self)
        bind("language.system", lambda: self.language_requested.emit(""), self)
        for code in LANGUAGES:
            bind(f"language.{code}", partial(self.language_requested.emit, code), self)
        bind("fullscreen", self._toggle_full_screen, self)
        bind("logs", lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(log_dir()))), self)
        bind("finish.rules", self._open_rules, self, enabled=self._is_logged_in)
        bind("about", self._open_about, self)
        bind("logout", self._log_out, self, enabled=self._is_logged_in)
        bind("quit", self.close, self)

    def _bind_pages(self, page_ids: Iterable[str]) -> None:
        for page_id in page_ids:
            if page_id in {"records", "catalogue", "statistics", "people", "me"}:
                self._context.commands.bind(
                    f"go.{page_id}", partial(self.go, page_id), self, enabled=partial(self._may_open, page_id)
                )

    def _may_open(self, page_id: str) -> bool:
        return self._is_logged_in() and self._context.may(self._factories[page_id].page_class.permission)

    def _is_logged_in(self) -> bool:
        return self._context.payload is not None

    def _open_palette(self) -> None:
        palette = Palette(self, self._context.commands)
        theme_manager().apply_to(palette)
        palette.open()

    def _open_shortcuts(self) -> None:
        self._run_dialog(ShortcutSheet(self, self._context.commands))

    def _run_dialog(self, dialog: QDialog) -> None:
        theme_manager().apply_to(dialog)
        try:
            ask(dialog)
        finally:
            dialog.deleteLater()

    def _open_about(self) -> None:
        self._run_dialog(About(self, self._context))

    def _open_rules(self) -> None:
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

    def _toggle_full_screen(self) -> None:
        if self.isFullScreen():
            self.showNormal()
        else:
            self.showFullScreen()

    def _log_out(self) -> None:
        if (self._page is None or self._page.leave()) and self._confirm_logout():
            self._user_id = ""
            self._context.leave()

    def closeEvent(self, event: QCloseEvent) -> None:
        if (self._page is not None and not self._page.leave()) or not self._confirm_close():
            event.ignore()
            return
        self.save_geometry()
        event.accept()

    def _confirm_close(self) -> bool:
        """Whether all photos are uploaded, or the user accepts that they are lost."""
        return confirm_unsent(
            self,
            self.tr("Close before photos are uploaded?"),
            lambda n: self.tr("%n photo(s) not uploaded yet. They will be lost if you close now.", "", n),
            self.tr("Close anyway"),
            self.unsent_photos,
        )

    def _confirm_logout(self) -> bool:
        return confirm_unsent(
            self,
            self.tr("Log out before photos are uploaded?"),
            lambda n: self.tr("%n photo(s) not uploaded yet. They may be lost if you log out now.", "", n),
            self.tr("Log out anyway"),
            self.unsent_photos,
        )

    def unsent_photos(self) -> int:
        """The number of photos that are not uploaded yet."""
        unsent = Unsent()
        self._context.unsent_requested.emit(unsent)
        return unsent.photos

    def save_geometry(self) -> None:
        """Store the position and size of the window in the preferences."""
        geometry = base64.b64encode(self.saveGeometry().data()).decode("ascii")
        self._context.preferences.change(geometry=geometry)
