"""Reports failures of the program: unexpected errors, and earlier runs that crashed or were killed.

`CrashHandler` shows the dialog, `RunMarker` detects runs that did not end normally, and `describe_failure`
and `report_text` make a report without values and secrets.
"""

from desktop.crash.dialog import CrashDialog
from desktop.crash.handler import CrashHandler, start_program_again
from desktop.crash.last_run import LastRun, RunMarker
from desktop.crash.report import Failure, describe_failure, report_text

__all__ = [
    "CrashDialog",
    "CrashHandler",
    "Failure",
    "LastRun",
    "RunMarker",
    "describe_failure",
    "report_text",
    "start_program_again",
]
