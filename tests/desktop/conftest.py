"""Fixtures of the desktop's tests: a ready context, and a net that catches whatever a test leaves behind."""

from __future__ import annotations

import faulthandler
import gc
import time
from collections.abc import Iterator
from functools import partial

import keyring
import pytest
import shiboken6
from _pytest.faulthandler import fault_handler_stderr_fd_key
from PySide6.QtCore import QByteArray, QCoreApplication, QEvent, QLocale, Qt, QThreadPool
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop.background import workers
from desktop.background.memory import GarbageCollection
from desktop.background.threads import running_threads
from desktop.client import Session
from desktop.context import Context
from desktop.localization.fonts import shows_chinese
from desktop.preferences import Preferences
from shared.record.codes import Permission, Role
from shared.wire.account import Payload, User
from tests.desktop.client.fake_service import PAYLOAD
from tests.desktop.keyrings import MemoryKeyring
from tests.desktop.localization.catalogues import compile_catalogues
from tests.fonts import build_font, chinese_characters

# So many new objects are worth a collection (some 50 ms).
_MANY_OBJECTS = 20_000


PATIENCE_MS = 60_000
"""What is waited for ends a wait; this ends only one for something that never comes, also where the machine
has a lot to do."""


@pytest.fixture
def qtbot(qtbot: QtBot) -> QtBot:
    """The bot of pytest-qt with more patience than its 5 s."""
    qtbot.waitUntil = partial(qtbot.waitUntil, timeout=PATIENCE_MS)  # type: ignore[method-assign]
    qtbot.waitSignal = partial(qtbot.waitSignal, timeout=PATIENCE_MS)  # type: ignore[method-assign]
    return qtbot


@pytest.fixture(scope="session", autouse=True)
def _chinese_font(qapp: QApplication) -> None:
    """Chinese is shown and printed in the tests, also where the system has no font for it."""
    if not shows_chinese():
        assert QFontDatabase.addApplicationFontFromData(QByteArray(build_font(chinese_characters()))) >= 0
        assert shows_chinese()


@pytest.fixture(scope="session")
def catalogues(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Use catalogues compiled from the current sources, not those that were compiled last."""
    folder = compile_catalogues(tmp_path_factory.mktemp("translations"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("desktop.localization.language.resource_path", lambda *_parts: folder)
        yield


def _settle() -> None:
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    QCoreApplication.processEvents()


_thawed: list[GarbageCollection] = []


def _collect_and_freeze() -> None:
    _thawed.clear()
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="package", autouse=True)
def _old_objects_are_not_collected() -> Iterator[None]:
    """Collections pass over what was there before: modules, collected tests, applications of service tests.

    With the whole suite that is up to two million objects, and each full collection would go through them for
    one or two seconds.
    """
    _collect_and_freeze()
    end = GarbageCollection.end

    def end_and_thaw(self: GarbageCollection) -> None:
        end(self)
        _thawed.append(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(GarbageCollection, "end", end_and_thaw)
        yield
    gc.unfreeze()


@pytest.fixture(autouse=True)
def _collected_on_the_gui_thread() -> Iterator[None]:
    """What tests leave in cycles is deleted on this thread, as the desktop does it
    (desktop/background/memory.py).
    """
    gc.disable()
    yield
    gc.disable()
    if _thawed:
        # A desktop that ends thaws everything. To count what is frozen takes as long as a collection.
        _collect_and_freeze()
    elif gc.get_count()[0] > _MANY_OBJECTS:
        gc.collect()


@pytest.fixture
def memory_keyring() -> Iterator[MemoryKeyring]:
    """The keyring of this computer while the test runs."""
    before, memory = keyring.get_keyring(), MemoryKeyring()
    keyring.set_keyring(memory)
    yield memory
    keyring.set_keyring(before)


@pytest.fixture(autouse=True)
def _a_crash_says_where(request: pytest.FixtureRequest) -> Iterator[None]:
    """A desktop takes crashes into its own log and ends that with itself; the next tests need theirs."""
    yield
    stderr = request.config.stash.get(fault_handler_stderr_fd_key, None)
    if stderr is not None and not faulthandler.is_enabled():
        faulthandler.enable(stderr)


@pytest.fixture(autouse=True)
def _no_key_is_held() -> Iterator[None]:
    """Qt remembers the modifiers of the last event: a Shift left behind selects more in the next test."""
    yield
    if QGuiApplication.instance() is not None and QGuiApplication.keyboardModifiers():
        widget = QWidget()
        widget.show()
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton)
        widget.close()
        assert not QGuiApplication.keyboardModifiers()


@pytest.fixture(autouse=True)
def _check_background_threads() -> Iterator[None]:
    """Fail a test that leaves a thread running which `threading.enumerate` does not list."""
    threads_before = set(running_threads())
    yield
    deadline = time.monotonic() + PATIENCE_MS / 1000
    while (remaining := set(running_threads()) - threads_before) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not remaining, f"threads outlive the test: {sorted(thread.name for thread in remaining)}"


@pytest.fixture(autouse=True)
def _nothing_left_behind(_check_background_threads: None) -> Iterator[None]:
    """Fails a test that work in the pool or a visible window outlives."""
    windows_before = {id(widget) for widget in _windows()}
    yield
    spoken = QLocale().language()
    QLocale.setDefault(QLocale("en"))
    all_ended = workers.shutdown(PATIENCE_MS)
    if QCoreApplication.instance() is not None:
        _settle()
    left = [widget for widget in _windows() if id(widget) not in windows_before and widget.isVisible()]
    names = [f"{type(widget).__name__} {widget.windowTitle()!r}" for widget in left]
    for widget in left:
        widget.close()
    # What was deleted or closed just now may have started work again.
    all_ended = workers.shutdown(PATIENCE_MS) and all_ended
    assert all_ended, "work still runs in the pool after the test"
    assert not names, f"windows outlive the test: {names}"
    # The English catalogue holds plurals only.
    text = QCoreApplication.translate("RecordsPage", "%n record(s)", "", 2)
    assert text == "2 record(s)", "a translation outlives the test: call Language.end()"
    assert spoken is not QLocale.Language.Chinese, "a locale outlives the test: call Language.end()"
    assert QThreadPool.globalInstance().activeThreadCount() == 0, "the global pool is not ours to use"


def _windows() -> list[QWidget]:
    if not isinstance(QApplication.instance(), QApplication):
        return []
    return [widget for widget in QApplication.topLevelWidgets() if shiboken6.isValid(widget)]


def make_payload(*roles: Role, user_id: str = "u1", name: str = "张三") -> Payload:
    """Someone with these roles, as the service would say it."""
    from shared.record.codes import ROLE_PERMISSIONS

    rights: set[Permission] = set()
    for role in roles:
        rights |= ROLE_PERMISSIONS[role]
    user = User.model_validate(
        {**PAYLOAD["user"], "user_id": user_id, "username": f"user-{user_id}", "name": name}
    )
    return Payload(user=user, role=list(roles), permissions=sorted(rights))


@pytest.fixture
def preferences() -> Preferences:
    """Preferences in the test's own home."""
    return Preferences()


@pytest.fixture
def context(qapp: QApplication, preferences: Preferences) -> Iterator[Context]:
    """A context whose service is never reached; nobody is logged in."""
    session = Session("http://127.0.0.1:9", patience=0.0)
    context = Context(session, preferences)
    yield context
    session.close()


@pytest.fixture
def admin(context: Context) -> Context:
    """The context with an admin logged in."""
    context.payload = make_payload(Role.ADMIN)
    return context
