"""Starts the whole desktop with a local service in a temporary folder, for measurements."""

from __future__ import annotations

import gc
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.loop import wait_until

if TYPE_CHECKING:
    from desktop.app.application import Desktop
    from desktop.pages.workbench import WorkbenchPage

WINDOW_SIZE = (1440, 900)
ADMIN_LOGIN = ("chief", "correct-horse-battery")
"""Name and password of the user who is logged in."""


@contextmanager
def run_desk(at_login: Callable[[], object] = lambda: None) -> Iterator[tuple[Desktop, Path]]:
    """Run the desktop with a new service and `ADMIN_LOGIN` logged in; yield it and a temporary folder.

    `at_login` is called while the login page is visible.
    """
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for variable in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
            os.environ[variable] = str(folder / variable)
        from desktop.app.application import Desktop, make_application
        from desktop.background.memory_trimming import release_memory
        from desktop.connection.local_service import ServiceState
        from desktop.preferences import Preferences

        # As run_desktop does, like gc.freeze below.
        release_memory()
        application = make_application()
        preferences = Preferences()
        preferences.change(set_up=True, tours_start=False)
        desktop = Desktop(server_url="", data_folder=folder / "data", preferences=preferences)
        try:
            desktop.set_language("en")
            desktop.start()
            desktop.window.resize(*WINDOW_SIZE)
            gc.freeze()
            wait_until(
                lambda: desktop.context.service_state is ServiceState.READY, "the start of the service"
            )
            at_login()
            desktop.context.enter(desktop.context.session.account.first_run(*ADMIN_LOGIN))
            yield desktop, folder
        finally:
            desktop.close()
            application.processEvents()


def find_workbench(desktop: Desktop) -> WorkbenchPage:
    """Return the workbench of the desktop's current window."""
    from desktop.pages.workbench import WorkbenchPage

    page = desktop.window.find_or_make_page(WorkbenchPage.page_id)
    assert isinstance(page, WorkbenchPage)
    return page
