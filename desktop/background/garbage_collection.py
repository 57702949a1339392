"""Collects garbage on the GUI thread only.

Python collects cycles on the thread that happens to allocate. A cycle that holds a Qt object, such as a page
with a bound method in a lambda, could then be deleted on a worker thread, and Qt crashes when an object is
deleted on a thread that does not own it.
"""

from __future__ import annotations

import gc
import time

from PySide6.QtCore import QObject, QTimer

INTERVAL_MS = 500
MANY = 10_000
"""New objects that are not visited but excluded from collections, because visiting them takes 8 ms.

They are the content of a large record: importing ten thousand regions makes 400,000 within an interval, which
took 61 ms.
"""
LONG_SECONDS = 0.006
"""Processor time of a full collection above which its survivors are excluded from the next ones."""


class GarbageCollection(QObject):
    """Collects garbage on the GUI thread by a timer, in place of Python's own collection, until `end`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thresholds = gc.get_threshold()
        gc.disable()
        self._timer = QTimer(self, interval=INTERVAL_MS)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    def pause(self) -> None:
        """Collect nothing until `freeze_existing`: a thread imports what would only be visited in vain."""
        self._timer.stop()

    def freeze_existing(self) -> None:
        """Exclude the objects that exist now from later collections, until `end`.

        These are a hundred thousand objects of the modules and of the first window. They live as long as the
        program, and each full collection would visit them for 50 ms.
        """
        gc.freeze()
        self._timer.start()

    def collect(self) -> None:
        """Collect the generations that are due by Python's own thresholds.

        The survivors of a long full collection are excluded from later ones, as by `freeze_existing`: the
        pages would take 11 ms each time. So are `MANY` objects that are new. Reference counts still free
        these objects; only cycles among them stay until `end`.
        """
        counts = gc.get_count()
        if counts[0] > MANY:
            gc.freeze()
            return
        due = [
            number
            for number, (n, limit) in enumerate(zip(counts, self._thresholds, strict=True))
            if n > limit
        ]
        if due:
            began = time.thread_time()
            gc.collect(max(due))
            if max(due) == len(counts) - 1 and time.thread_time() - began > LONG_SECONDS:
                gc.freeze()

    def end(self) -> None:
        """Turn Python's own collection on again. Safe to call twice."""
        self._timer.stop()
        gc.unfreeze()
        gc.enable()
