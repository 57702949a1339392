"""Says what happened when the program fails: an unexpected error, or a run that did not end in order.

`CrashHandler` shows the dialog, `RunMarker` notices a run that died, `failure_of` and `report_text` make a
report without values and secrets.
"""

from desktop.crash.dialog import CrashDialog
from desktop.crash.handler import CrashHandler
from desktop.crash.last_run import LastRun, RunMarker
from desktop.crash.report import Failure, failure_of, report_text
from desktop.crash.restart import start_again

__all__ = [
    "CrashDialog",
    "CrashHandler",
    "Failure",
    "LastRun",
    "RunMarker",
    "failure_of",
    "report_text",
    "start_again",
]
