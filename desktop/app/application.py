"""Composes the desktop: creates every part once, connects them and ends them in order."""

from __future__ import annotations

import gc
import logging
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QObject, QSocketNotifier, Qt, QTimer
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from desktop.app.update_notice import UpdateNotice
from desktop.app.window import LOGIN, MainWindow
from desktop.background import workers
from desktop.background.garbage_collection import GarbageCollection
from desktop.background.memory_trimming import release_memory
from desktop.background.repaint import TURN_MS
from desktop.client import Session
from desktop.client.http.address import server_key
from desktop.client.http.errors import Untrusted
from desktop.connection.local_service import EmbeddedService, ServiceState
from desktop.connection.remote_service import RemoteWatch
from desktop.context import Context
from desktop.crash import CrashHandler, RunMarker, describe_failure, start_program_again
from desktop.localization.language import Language
from desktop.logs import Logs, log_dir
from desktop.pages.catalogue import CataloguePage
from desktop.pages.common.files.file_dialogs import folders
from desktop.pages.login import LoginPage
from desktop.pages.login.trust_dialog import TrustDialog, trust
from desktop.pages.me import MePage
from desktop.pages.people import PeoplePage
from desktop.pages.record import RecordPage
from desktop.pages.records import RecordsPage
from desktop.pages.statistics import StatisticsPage
from desktop.pages.workbench import WorkbenchPage, WorkbenchWidgets
from desktop.preferences import Preferences
from desktop.theme import theme_manager
from desktop.user_folders import APP, data_dir
from desktop.widgets import Page, PageFactory
from shared import __version__
from shared.codes import Permission
from shared.paths import resource
from shared.starting import LOADED

_log = logging.getLogger("walkaround.start")
_log.setLevel(logging.INFO)

# Reserved for documentation: what a session points at before the embedded service has said its address.
_NOWHERE = "http://127.0.0.1:9"


def make_application(arguments: list[str] | None = None) -> QApplication:
    """The QApplication with its names and its icon; the running one when there is one."""
    running = QApplication.instance()
    if isinstance(running, QApplication):
        return running
    QCoreApplication.setApplicationName(APP)
    QCoreApplication.setApplicationVersion(__version__)
    application = QApplication(arguments or [APP])
    application.setApplicationDisplayName("Walkaround")
    application.setDesktopFileName(APP)
    application.setWindowIcon(QIcon(str(resource("icons", "walkaround.svg"))))
    return application


@cache
def log_start() -> None:
    """Write once into the log that a person can log in, and how long that took: benchmarks.start reads it."""
    _log.info("login page ready after %.2f s", time.perf_counter() - LOADED)


def _retire(session: Session) -> None:
    session.account.logout()
    session.close()


def build_pages(context: Context, use_server: Callable[[str], object]) -> list[PageFactory]:
    """Every page of the window, in the order of the rail; the login offers to `use_server` at an address."""

    def login() -> Page:
        page = LoginPage(context)
        page.server_chosen.connect(use_server)
        page.ready.connect(log_start, Qt.ConnectionType.SingleShotConnection)
        return page

    prepared: list[WorkbenchWidgets] = []

    def workbench() -> Page:
        return WorkbenchPage(context, prepared.pop() if prepared else None)

    def prepare_workbench() -> None:
        prepared.append(WorkbenchWidgets(context.commands))

    return [
        PageFactory(LoginPage, login),
        PageFactory(RecordsPage, partial(RecordsPage, context)),
        PageFactory(WorkbenchPage, workbench, prepare_workbench),
        PageFactory(RecordPage, partial(RecordPage, context)),
        PageFactory(CataloguePage, partial(CataloguePage, context)),
        PageFactory(StatisticsPage, partial(StatisticsPage, context)),
        PageFactory(PeoplePage, partial(PeoplePage, context)),
        PageFactory(MePage, partial(MePage, context)),
    ]


class Desktop(QObject):
    """The running desktop: preferences, language, service, window.

    Needs the QApplication of `make_application`. `server_url`: the address of the service; an empty string
    for the local one, None for the one that the person chose last. `data_folder`: of the local service (None:
    the person's). `early`: the local service on that folder, if it was started already; used or ended here.
    """

    def __init__(
        self,
        *,
        server_url: str | None = None,
        data_folder: Path | None = None,
        preferences: Preferences | None = None,
        early: EmbeddedService | None = None,
    ) -> None:
        super().__init__()
        self._closed = False
        self._coming: MainWindow | None = None
        self._changing: Iterator[None] | None = None
        self._leaving: MainWindow | None = None
        self._next = QTimer(self, singleShot=True, interval=TURN_MS)
        self._next.timeout.connect(self._change_on)
        self._garbage = GarbageCollection(self)
        self.preferences = preferences or Preferences()
        folders.use_preferences(self.preferences)
        self._gui = workers.gui_caller()
        self.logs = Logs(log_dir(), self._caught)
        self._marker = RunMarker(log_dir())
        self.crashes = CrashHandler(
            self.logs.file, lambda: self.window, lambda: self.window.unsent_photos(), self._say, self
        )
        self.language = Language()
        self.language.use(self.preferences.values.language)
        theme_manager().set_mode(self.preferences.values.theme)
        self._data_folder = data_folder or data_dir()
        url = self.preferences.values.server_url if server_url is None else server_url
        self.context = Context(self._make_session(url), self.preferences, embedded=not url)
        self.context.loginChanged.connect(self._on_login_changed)
        self.updates = UpdateNotice(self)
        self.updates.found.connect(self._show_update)
        self.context.loginChanged.connect(self._show_update)
        self._last_user = ""
        self._not_trusted = ""
        self.service: EmbeddedService | None = None
        self._early = early
        self._watch: RemoteWatch | None = None
        self._choose_service(url)
        if self._early is not None:
            workers.run(self._early.stop, owner=None, lane=workers.Lane.LONG)
            self._early = None
        self.window = self._make_window()
        self._garbage.settle()

    def start(self) -> None:
        """Start or look for the service, and show the window."""
        self.window.show()
        self.retry()
        died = self._marker.begin()
        if died is not None:
            self.crashes.show_last_run(died)
        self.updates.start()

    def retry(self) -> None:
        """Try the service again; a question about its certificate is asked again as well."""
        if self._watch is not None:
            self._not_trusted = ""
            self._watch.ask()
        elif self.service is not None:
            if self.service.state is ServiceState.FAILED:
                self.service.retry()
            else:
                self.service.start()

    def use_server(self, url: str) -> None:
        """Work with the service at `url` from now on (empty: the local one); kept for the next start."""
        self.preferences.change(server_url=url)
        if self.context.payload is not None:
            self.context.leave()
        workers.run(_retire, self.context.session, owner=None, lane=workers.Lane.LONG)
        if self._watch is not None:
            self._watch.deleteLater()
            self._watch = None
        if self.service is not None:
            workers.run(self.service.stop, owner=None, lane=workers.Lane.LONG)
            self.service = None
        self.context.session = self._make_session(url)
        self.context.embedded = not url
        self.context.show_service(ServiceState.STARTING)
        self._choose_service(url)
        place = self.window.return_params()
        self._replace_window()
        if place[0] == LOGIN:
            # Names that were typed before the service was chosen stay.
            self.window.go(*place)
        self.retry()

    def close(self) -> None:
        """End everything in order: requests, work, service, log. Safe to call twice."""
        if self._closed:
            return
        self._closed = True
        self._drop_coming()
        self._drop_leaving()
        self.window.keep_geometry()
        self.window.hide()
        self.context.closing.emit()
        self.context.session.close()
        workers.shutdown()
        if self.service is not None:
            self.service.stop()
        self.window.deleteLater()
        folders.use_preferences(None)
        self.language.end()
        self._garbage.end()
        self._marker.end()
        self.logs.close()

    def set_language(self, code: str) -> None:
        """Switch to another language (empty: the system's): a new window replaces the old one, with the same
        page open.

        It takes the place of the old one some turns of the event loop later: each step of that has its own.
        """
        old = self.window
        if old.page is not None and not old.page.leave():
            return
        self._drop_coming()
        self.preferences.change(language=code)
        self.language.use(code)
        self._changing = self._change_window()
        if old.isVisible():
            self._change_on()
        else:
            for _step in self._changing:
                pass

    def _change_window(self) -> Iterator[None]:
        """The steps from the window in front to one in the language in force."""
        old = self.window
        old.keep_geometry()
        old.make_no_more()
        # Its texts stay as they are, but Qt would paint all of it for the new language.
        old.setUpdatesEnabled(False)
        self._coming = self._make_window(waits=True)
        yield
        page_id = old.return_params()[0]
        if self._coming.ahead.prepare(page_id):
            yield
        page = self._coming.made(page_id)
        yield
        if page is not None:
            theme_manager().apply_to(page, late=True)
            yield
        self._coming.arrive(old.return_params())
        yield
        coming, self._coming = self._coming, None
        self._show_instead(coming)

    def _change_on(self) -> None:
        if self._changing is not None and next(self._changing, self) is not self:
            self._next.start()

    def _drop_coming(self) -> None:
        self._changing = None
        self.window.setUpdatesEnabled(True)
        if self._coming is not None:
            self._coming.deleteLater()
            self._coming = None

    def _make_session(self, url: str) -> Session:
        session = Session(url or _NOWHERE, fingerprint=self._trusted(url))
        session.on_login_lost(lambda: self._gui(self._on_login_lost))
        return session

    def _choose_service(self, url: str) -> None:
        if url:
            self._watch = RemoteWatch(url, self.context.show_service, self, self._trusted(url))
            self._watch.untrusted.connect(partial(self._ask_trust, url))
        else:
            self.context.data_folder = self._data_folder
            service = self._early or EmbeddedService(self._data_folder)
            self._early = None
            self.service = service
            # In the watcher's thread.
            service.follow(lambda state, url: self._gui(lambda: self._show_state(service, state, url)))

    def _trusted(self, url: str) -> str | None:
        """The fingerprint that a person has trusted for the server at `url`."""
        return self.preferences.values.certificates.get(server_key(url))

    def _ask_trust(self, url: str, untrusted: Untrusted) -> None:
        """Ask once whether the server is to be trusted; other work continues."""
        self.context.show_service(ServiceState.FAILED, untrusted=untrusted)
        fingerprint = untrusted.found or ""
        if fingerprint == self._not_trusted or not self.window.isVisible():
            return
        self._not_trusted = fingerprint
        dialog = TrustDialog(url, untrusted, self.window)
        theme_manager().apply_to(dialog)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.accepted.connect(partial(self._trust, url, fingerprint))
        dialog.open()

    def _trust(self, url: str, fingerprint: str) -> None:
        trust(self.preferences, url, fingerprint)
        if self._watch is not None and self._watch.base_url == url:
            self.context.session.rebase(url, fingerprint)
            self._watch.fingerprint = fingerprint
            self._watch.ask()

    def _make_window(self, waits: bool = False) -> MainWindow:
        window = MainWindow(self.context, build_pages(self.context, self.use_server), waits)
        window.language_wanted.connect(self.set_language)
        window.retry_wanted.connect(self.retry)
        window.update_banner.acted.connect(self.updates.open)
        window.update_banner.closed.connect(self.updates.put_away)
        return window

    def _replace_window(self) -> None:
        self._drop_coming()
        self.window.keep_geometry()
        self._show_instead(self._make_window())

    def _show_instead(self, window: MainWindow) -> None:
        self._drop_leaving()
        self._leaving, self.window = self.window, window
        self.window.show()
        self._leaving.hide()
        self._leaving.discard()
        self._show_update()

    def _drop_leaving(self) -> None:
        if self._leaving is not None and isValid(self._leaving):
            self._leaving.deleteLater()
        self._leaving = None

    def _on_login_changed(self) -> None:
        """Give another user fresh pages: nothing of the previous user is left in them."""
        payload = self.context.payload
        if payload is None:
            return
        somebody_else = self._last_user not in ("", payload.user.user_id)
        self._last_user = payload.user.user_id
        if somebody_else:
            self._replace_window()

    def _show_update(self) -> None:
        """Show a newer version to those who can install it."""
        update = self.updates.shown
        if update is not None and self.context.may(Permission.SETTINGS_MANAGE):
            self.window.say_update(update.version, bool(update.url))
        else:
            self.window.update_banner.hide()

    def _on_login_lost(self) -> None:
        if self.context.payload is not None:
            self.context.payload = None
            self.context.loginChanged.emit()
            self.window.toast.say(
                self.tr("Your session has expired. Log in again to continue where you left off.")
            )

    def _show_state(self, service: EmbeddedService, state: ServiceState, url: str | None) -> None:
        if service is not self.service:
            return
        if url is not None:
            self.context.session.rebase(url, service.fingerprint)
        self.context.show_service(state, service.hindrance)

    def _caught(self, error: BaseException) -> None:
        # In the thread where it happened. What travels on holds no object of that thread.
        failure = describe_failure(error)
        self._gui(lambda: self.crashes.show(failure))

    def _say(self, sentence: str) -> None:
        self.window.toast.say(sentence)


class _Signals(QObject):
    """Ends the application in order on SIGINT and SIGTERM; Python alone would see them at the next event."""

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        self._application = application
        self._reading, self._writing = socket.socketpair()
        for end in (self._reading, self._writing):
            end.setblocking(False)
        self._notifier = QSocketNotifier(self._reading.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(lambda: self._reading.recv(64))
        self._old_fd = signal.set_wakeup_fd(self._writing.fileno())
        self._old = {
            which: signal.signal(which, lambda *_: QTimer.singleShot(0, self._end))
            for which in (signal.SIGINT, signal.SIGTERM)
        }

    def _end(self) -> None:
        # Not quit(): that would ask the pages first, and a page may ask a question that no user is there to
        # answer. By way of a timer, so that a signal before exec() counts too.
        self._application.exit(0)

    def close(self) -> None:
        """Give the signals back."""
        signal.set_wakeup_fd(self._old_fd)
        for which, handler in self._old.items():
            signal.signal(which, handler)
        self._notifier.setEnabled(False)
        self._reading.close()
        self._writing.close()


def run_desktop(
    server_url: str | None = None,
    data_folder: Path | None = None,
    early: EmbeddedService | None = None,
    is_ended: Callable[[], bool] = lambda: False,
) -> int:
    """Open the window and stay until it is closed; the exit status. `early` as for `Desktop`.

    `is_ended` says whether a signal asked to end before there was an application that it could end.
    """
    release_memory()
    application = make_application(sys.argv[:1])
    signals = _Signals(application)
    try:
        if is_ended():
            if early is not None:
                early.stop()
            return 0
        desktop = Desktop(server_url=server_url, data_folder=data_folder, early=early)
        try:
            desktop.start()
            # What stays for the whole run need not be looked through by every collection.
            gc.freeze()
            status = application.exec()
        finally:
            desktop.close()
        if desktop.crashes.restart_requested:
            start_program_again(server_url, data_folder)
        return status
    finally:
        signals.close()
