"""Shows one dialog for unexpected errors, regardless of their number. It never raises an exception itself."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

import platformdirs
from PySide6.QtCore import QCoreApplication, QObject, Qt
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from desktop.background.workers import run
from desktop.crash.dialog import CrashDialog
from desktop.crash.last_run import LastRun
from desktop.crash.report import Failure, report_text
from desktop.journal.state import count_unsent_edits
from desktop.theme import theme_manager
from desktop.user_folders import APP
from shared.system.paths import newer_program, program_command, program_command_folder

_log = logging.getLogger("desktop")


def _count_unsent_edits() -> int:
    folder = Path(platformdirs.user_data_dir(APP, appauthor=False)) / "journal"
    return sum(count_unsent_edits(path) for path in folder.glob("*.journal"))


class CrashHandler(QObject):
    """Shows failures to the user.

    The first error of a kind and place opens the dialog. While the dialog is open, it counts further errors.
    After Continue, the same error is only reported in a short notice, at its 2nd, 10th, 100th ... time, so
    that the program stays usable if every repaint fails.
    """

    def __init__(
        self,
        log_file: Path,
        window: Callable[[], QWidget],
        photos: Callable[[], int],
        say: Callable[[str], None],
        parent: QObject | None = None,
    ) -> None:
        """`window` gives the main window, `photos` the number of photos that are not uploaded yet.

        `say` shows a short notice.
        """
        super().__init__(parent)
        self._log_file = log_file
        self._window = window
        self._photos = photos
        self._say = say
        self._counts: Counter[str] = Counter()
        self._busy = False
        self.dialog: CrashDialog | None = None
        self.restart_requested = False
        """Whether the program is to be started again after its end."""

    def show(self, failure: Failure) -> None:
        """Show `failure`. Must run on the GUI thread."""
        self._counts[failure.key] += 1
        if self._busy:
            # Showing an error failed with another error. The log has both.
            return
        self._busy = True
        try:
            self._show_failure(failure, self._counts[failure.key])
        except Exception:
            _log.exception("an error cannot be shown")
        finally:
            self._busy = False

    def show_last_run(self, last: LastRun) -> None:
        """Report an earlier run that did not end normally: in the dialog with its trace, else in a notice."""
        if last.trace:
            self._open_dialog(CrashDialog(self._window(), _trace_report(last, self._log_file), last_run=True))
        else:
            self._say(
                self.tr("Walkaround was not closed properly last time. All edits are kept on this computer.")
            )

    def _show_failure(self, failure: Failure, count: int) -> None:
        if self.dialog is not None and isValid(self.dialog) and self.dialog.isVisible():
            self.dialog.show_count(self._counts.total(), report_text(failure, self._log_file, count))
        elif count == 1:
            parent = QApplication.activeModalWidget() or self._window()
            self._open_dialog(CrashDialog(parent, report_text(failure, self._log_file)))
        elif count == 2 or (count >= 10 and str(count).strip("0") == "1"):
            self._say(self.tr("The same error occurred again (%n times). Restart the program.", "", count))

    def _open_dialog(self, dialog: CrashDialog) -> None:
        self.dialog = dialog
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.restart_requested.connect(self.restart)
        dialog.show_photos(self._photos())
        theme_manager().apply_to(dialog)
        dialog.open()
        run(_count_unsent_edits, owner=dialog, done=dialog.show_waiting_edits)

    def restart(self) -> None:
        """End the program. It is started again afterwards."""
        self.restart_requested = True
        QCoreApplication.exit(0)


def _trace_report(last: LastRun, log_file: Path) -> str:
    return report_text(Failure(tuple(last.trace.splitlines())), log_file)


@contextmanager
def record_callback_errors() -> Iterator[list[BaseException]]:
    """In the block, add exceptions that no callback catches to the yielded list, and still report them."""
    errors: list[BaseException] = []
    report = sys.excepthook

    def record(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        errors.append(error)
        report(kind, error, trace)

    sys.excepthook = record
    try:
        yield errors
    finally:
        sys.excepthook = report


def start_program_again(server_url: str | None, data_folder: Path | None) -> None:
    """Start the desktop with the same options in a new process, which continues after this one ends.

    If an update was installed in the meantime, its version is started.
    """
    arguments = ["run"]
    if server_url:
        arguments += ["--server", server_url]
    if data_folder is not None:
        arguments += ["--data-dir", str(data_folder.absolute())]
    command = program_command(*arguments)
    newer = newer_program()
    if newer is not None:
        command[0] = str(newer)
    subprocess.Popen(  # noqa: S603 - our own command
        command,
        stdin=subprocess.DEVNULL,
        cwd=program_command_folder(),
        env={**os.environ, "PYINSTALLER_RESET_ENVIRONMENT": "1"},
        start_new_session=os.name == "posix",
    )
