"""Says what is to be done: the user's records, open, undecided, waiting for review, failed, new ones."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop.background.workers import Task, run
from desktop.context import Context
from desktop.localization.dates import format_recent
from desktop.widgets import FilterChips
from shared.wire.shift import MAX_COUNT, Work, WorkCounts

_ALL = "all"


class WorkBar(FilterChips):
    """One chip for each kind of work with its number of records. A chip lists these records."""

    changed = Signal()
    """The user chose another kind of work."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(self.tr("Work to be done"), parent, wraps=True)
        self.setObjectName("work")
        self._context = context
        self._task: Task | None = None
        self._show(None)
        self.chosen.connect(lambda _: self.changed.emit())

    @property
    def work(self) -> Work | None:
        """The chosen kind of work; None for all records."""
        return None if self.value() in ("", _ALL) else Work(self.value())

    def reset(self) -> None:
        """Choose all records, without a signal."""
        self.set_value(_ALL)

    def refresh(self) -> None:
        """Count the records again."""
        if self._task is not None:
            self._task.cancel()
        self._task = run(
            self._context.session.records.work,
            owner=self,
            done=self._show,
            # The table says why the service does not answer.
            failed=lambda _: None,
        )

    def _show(self, counts: WorkCounts | None) -> None:
        since = counts.since if counts is not None else None
        news = self.tr("New since last login")
        if since is not None:
            news = self.tr("New (since {time})").format(time=format_recent(since))
        texts = {
            Work.MINE: self.tr("Assigned to me"),
            Work.OPEN: self.tr("Open"),
            Work.UNDECIDED: self.tr("To be decided"),
            Work.REVIEW: self.tr("Awaiting review"),
            Work.FAILED: self.tr("Failed, not repaired"),
            Work.NEWS: news,
        }
        values = {} if counts is None else counts.model_dump()
        chips = [(str(work), _with_count(text, values.get(work))) for work, text in texts.items()]
        self.set_choices([(_ALL, self.tr("All records")), *chips])


def _with_count(text: str, count: int | None) -> str:
    if count is None:
        return text
    return f"{text} {count if count < MAX_COUNT else f'{MAX_COUNT - 1}+'}"
