"""Composes the desktop: creates every part once, connects them and ends them in order."""

from __future__ import annotations

import importlib
import logging
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer
from shiboken6 import isValid

from desktop.app.notices import UpdateNotice
from desktop.app.pages_ahead import PAUSE_MS
from desktop.app.window import LOGIN, MainWindow
from desktop.background import workers
from desktop.background.memory import GarbageCollection
from desktop.background.repaint import TURN_MS
from desktop.client import Session
from desktop.client.http.address import server_key
from desktop.client.http.errors import Untrusted
from desktop.connection.local_service import EmbeddedService, ServiceState
from desktop.connection.remote_service import RemoteWatch
from desktop.context import Context
from desktop.crash import CrashHandler, RunMarker, describe_failure
from desktop.localization.language import Language
from desktop.logs import Logs, log_dir
from desktop.pages.common.files.file_dialogs import folders
from desktop.pages.login import LoginPage
from desktop.pages.login.service_choice import TrustDialog, trust
from desktop.preferences import Preferences
from desktop.theme import theme_manager
from desktop.user_folders import data_dir
from desktop.widgets import Page, PageFactory
from shared.record.codes import Permission
from shared.system.startup import LOAD_TIME

_log = logging.getLogger("walkaround.start")
_log.setLevel(logging.INFO)

# The address of a session before the embedded service has reported its address. Port 9 is the discard port.
_PLACEHOLDER_URL = "http://127.0.0.1:9"


@cache
def log_ready() -> None:
    """Log once that the login page is ready and how long the start took.

    `benchmarks.start` reads this line.
    """
    _log.info("login page ready after %.2f s", time.perf_counter() - LOAD_TIME)


def _end_session(session: Session) -> None:
    session.account.logout()
    session.close()


def login_page(
    context: Context, use_server: Callable[[str], object], on_ready: Callable[[], object] = lambda: None
) -> PageFactory:
    """The page that the window opens with. It calls `use_server` with an address, and `on_ready` once."""

    def login() -> Page:
        page = LoginPage(context)
        page.server_chosen.connect(use_server)
        for slot in (log_ready, on_ready):
            page.ready.connect(slot, Qt.ConnectionType.SingleShotConnection)
        return page

    return PageFactory(LoginPage, login)


def build_pages(context: Context, use_server: Callable[[str], object]) -> list[PageFactory]:
    """All pages of the window, in the order of the rail."""
    # Half of what the desktop imports, which would delay the login page.
    from desktop.app.later_pages import later_pages

    return [login_page(context, use_server), *later_pages(context)]


class Desktop(QObject):
    """The running desktop: preferences, language, service, window.

    Requires the QApplication of `desktop.app.running.make_application`.
    """

    def __init__(
        self,
        *,
        server_url: str | None = None,
        data_folder: Path | None = None,
        preferences: Preferences | None = None,
        early_service: EmbeddedService | None = None,
    ) -> None:
        """`server_url` is the address of the service: empty for the local one, None for the last one used.

        `data_folder` is the folder of the local service, None for the user's folder. `early_service` is the
        local service on that folder if it was already started; it is used or stopped here.
        """
        super().__init__()
        self._closed = False
        self._has_all_pages = False
        # Meanwhile the login page paints.
        self._load_timer = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._load_timer.timeout.connect(self._load_pages)
        self._next_window: MainWindow | None = None
        self._window_change: Iterator[None] | None = None
        self._old_window: MainWindow | None = None
        self._change_timer = QTimer(self, singleShot=True, interval=TURN_MS)
        self._change_timer.timeout.connect(self._continue_window_change)
        self._garbage_collection = GarbageCollection(self)
        self.preferences = preferences or Preferences()
        folders.use_preferences(self.preferences)
        self.preferences.write_by(partial(workers.run, owner=None))
        self._call_in_gui = workers.gui_caller()
        self.logs = Logs(log_dir(), self._report_exception)
        self._marker = RunMarker(log_dir())
        self.crashes = CrashHandler(
            self.logs.file, lambda: self.window, lambda: self.window.unsent_photos(), self._show_notice, self
        )
        self.language = Language()
        self.language.use(self.preferences.values.language)
        theme_manager().set_mode(self.preferences.values.theme)
        self._data_folder = data_folder or data_dir()
        url = self.preferences.values.server_url if server_url is None else server_url
        self.context = Context(self._make_session(url), self.preferences, embedded=not url)
        self.context.login_changed.connect(self._on_login_changed)
        self.updates = UpdateNotice(self)
        self.updates.update_found.connect(self._show_update)
        self.updates.update_installed.connect(self._show_update)
        self.context.login_changed.connect(self._show_update)
        self._last_user = ""
        self._refused_fingerprint = ""
        self.service: EmbeddedService | None = None
        self._early_service = early_service
        self._remote_watch: RemoteWatch | None = None
        self._choose_service(url)
        if self._early_service is not None:
            workers.run(self._early_service.stop, owner=None, lane=workers.Lane.LONG)
            self._early_service = None
        self.window = self._make_window()
        self._garbage_collection.freeze_existing()

    def start(self) -> None:
        """Show the window, and start or connect to the service."""
        self.window.show()
        self.retry()
        last_run = self._marker.begin()
        if last_run is not None:
            self.crashes.show_last_run(last_run)
        self.updates.start()

    def retry(self) -> None:
        """Retry the service. If its certificate was refused, the user is asked again."""
        if self._remote_watch is not None:
            self._refused_fingerprint = ""
            self._remote_watch.check()
        elif self.service is not None:
            if self.service.state is ServiceState.FAILED:
                self.service.retry()
            else:
                self.service.start()

    def use_server(self, url: str) -> None:
        """Use the service at `url` (empty: the local one), also after the next start."""
        self.preferences.change(server_url=url)
        if self.context.payload is not None:
            self.context.leave()
        workers.run(_end_session, self.context.session, owner=None, lane=workers.Lane.LONG)
        if self._remote_watch is not None:
            self._remote_watch.deleteLater()
            self._remote_watch = None
        if self.service is not None:
            workers.run(self.service.stop, owner=None, lane=workers.Lane.LONG)
            self.service = None
        self.context.use_session(self._make_session(url))
        self.context.embedded = not url
        self.context.show_service(ServiceState.STARTING)
        self._choose_service(url)
        place = self.window.return_params()
        self._replace_window()
        if place[0] == LOGIN:
            # Keep names that were typed before the service was selected.
            self.window.go(*place)
        self.retry()

    def close(self) -> None:
        """End requests, background work, service and log, in this order. May be called twice."""
        if self._closed:
            return
        self._closed = True
        self._cancel_window_change()
        self._delete_old_window()
        self.window.save_geometry()
        self.window.hide()
        self.context.closing.emit()
        self.context.session.close()
        workers.shutdown()
        self.preferences.write_by(None)
        if self.service is not None:
            self.service.stop()
        self.window.deleteLater()
        folders.use_preferences(None)
        self.language.end()
        self._garbage_collection.end()
        self._marker.end()
        self.logs.close()

    def set_language(self, code: str) -> None:
        """Switch to another language (empty: the system's).

        A new window with the same page replaces the old one. Each step of this runs in its own turn of the
        event loop.
        """
        old_window = self.window
        if old_window.page is not None and not old_window.page.leave():
            return
        self._cancel_window_change()
        self.preferences.change(language=code)
        self.language.use(code)
        self.context.prefer_language()
        self._window_change = self._window_change_steps()
        if old_window.isVisible():
            self._continue_window_change()
        else:
            for _step in self._window_change:
                pass

    def _window_change_steps(self) -> Iterator[None]:
        """The steps that replace the window by one in the current language."""
        old_window = self.window
        old_window.save_geometry()
        old_window.stop_making_pages()
        # Its texts stay as they are, but Qt would paint all of it for the new language.
        old_window.setUpdatesEnabled(False)
        self._next_window = self._make_window(waits=True)
        yield
        page_id = old_window.return_params()[0]
        if self._next_window.ahead.prepare(page_id):
            yield
        page = self._next_window.find_or_make_page(page_id)
        yield
        if page is not None:
            theme_manager().apply_to(page, late=True)
            yield
        self._next_window.show_first_page(old_window.return_params())
        yield
        window, self._next_window = self._next_window, None
        self._show_window(window)

    def _continue_window_change(self) -> None:
        if self._window_change is not None and next(self._window_change, self) is not self:
            self._change_timer.start()

    def _cancel_window_change(self) -> None:
        self._window_change = None
        self.window.setUpdatesEnabled(True)
        if self._next_window is not None:
            self._next_window.deleteLater()
            self._next_window = None

    def _make_session(self, url: str) -> Session:
        session = Session(url or _PLACEHOLDER_URL, fingerprint=self._trusted_fingerprint(url))
        session.on_login_lost(lambda: self._call_in_gui(self._on_login_lost))
        return session

    def _choose_service(self, url: str) -> None:
        if url:
            self._remote_watch = RemoteWatch(
                url, self.context.show_service, self, self._trusted_fingerprint(url)
            )
            self._remote_watch.untrusted.connect(partial(self._ask_trust, url))
        else:
            self.context.data_folder = self._data_folder
            service = self._early_service or EmbeddedService(self._data_folder)
            self._early_service = None
            self.service = service
            # Called in the thread that watches the service.
            service.set_listener(
                lambda state, url: self._call_in_gui(lambda: self._show_state(service, state, url))
            )

    def _trusted_fingerprint(self, url: str) -> str | None:
        """The fingerprint that the user has trusted for the server at `url`."""
        return self.preferences.values.certificates.get(server_key(url))

    def _ask_trust(self, url: str, untrusted: Untrusted) -> None:
        """Ask once whether to trust the server, without blocking."""
        self.context.show_service(ServiceState.FAILED, untrusted=untrusted)
        fingerprint = untrusted.found or ""
        if fingerprint == self._refused_fingerprint or not self.window.isVisible():
            return
        self._refused_fingerprint = fingerprint
        dialog = TrustDialog(url, untrusted, self.window)
        theme_manager().apply_to(dialog)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.accepted.connect(partial(self._trust, url, fingerprint))
        dialog.open()

    def _trust(self, url: str, fingerprint: str) -> None:
        trust(self.preferences, url, fingerprint)
        if self._remote_watch is not None and self._remote_watch.base_url == url:
            self.context.session.rebase(url, fingerprint)
            self._remote_watch.fingerprint = fingerprint
            self._remote_watch.check()

    def _make_window(self, waits: bool = False) -> MainWindow:
        if self._has_all_pages:
            pages = build_pages(self.context, self.use_server)
        else:
            pages = [login_page(self.context, self.use_server, self._load_timer.start)]
        window = MainWindow(self.context, pages, waits)
        window.language_requested.connect(self.set_language)
        window.retry_requested.connect(self.retry)
        window.update_banner.action_chosen.connect(self._use_update)
        window.update_banner.closed.connect(self.updates.dismiss)
        return window

    def _load_pages(self) -> None:
        """Import the pages that follow the login, unless a login has."""
        if self._has_all_pages:
            return
        self._garbage_collection.pause()
        workers.run(
            importlib.import_module,
            "desktop.app.later_pages",
            owner=self,
            done=lambda _module: self._add_pages(),
        )

    def _add_pages(self) -> None:
        """Give the windows the pages that they lack."""
        if self._has_all_pages or self._closed:
            return
        self._has_all_pages = True
        for window in filter(None, (self.window, self._next_window)):
            window.add_pages(build_pages(self.context, self.use_server))
        self._garbage_collection.freeze_existing()

    def _replace_window(self) -> None:
        self._cancel_window_change()
        self.window.save_geometry()
        self._show_window(self._make_window())

    def _show_window(self, window: MainWindow) -> None:
        self._delete_old_window()
        self._old_window, self.window = self.window, window
        self.window.show()
        self._old_window.hide()
        self._old_window.delete_in_steps()
        self._show_update()

    def _delete_old_window(self) -> None:
        if self._old_window is not None and isValid(self._old_window):
            self._old_window.deleteLater()
        self._old_window = None

    def _on_login_changed(self) -> None:
        """Create new pages for another user, so that nothing of the previous user is left in them."""
        payload = self.context.payload
        if payload is None:
            return
        # The window, which hears of the login after this, opens one of them.
        self._add_pages()
        is_another_user = self._last_user not in ("", payload.user.user_id)
        self._last_user = payload.user.user_id
        if is_another_user:
            self._replace_window()

    def _show_update(self) -> None:
        """Show an installed version to everyone, a newer one to users who may change settings."""
        update = self.updates.current_update
        if self.updates.is_installed:
            self.updates.show_restart(self.window.update_banner)
        elif update is not None and self.context.may(Permission.SETTINGS_MANAGE):
            self.window.show_update(update.version, bool(update.url))
        else:
            self.window.update_banner.hide()

    def _use_update(self) -> None:
        if self.updates.is_installed:
            self.crashes.restart_requested = self.window.close()
        else:
            self.updates.open_page()

    def _on_login_lost(self) -> None:
        if self.context.payload is not None:
            self.context.payload = None
            self.context.login_changed.emit()
            self.window.toast.show_message(
                self.tr("Your session has expired. Log in again to continue where you left off.")
            )

    def _show_state(self, service: EmbeddedService, state: ServiceState, url: str | None) -> None:
        if service is not self.service:
            return
        if url is not None:
            self.context.session.rebase(url, service.fingerprint)
        self.context.show_service(state, service.storage_fault)

    def _report_exception(self, error: BaseException) -> None:
        # Runs in the thread of the error. The failure refers to no object of that thread.
        failure = describe_failure(error)
        self._call_in_gui(lambda: self.crashes.show(failure))

    def _show_notice(self, sentence: str) -> None:
        self.window.toast.show_message(sentence)
