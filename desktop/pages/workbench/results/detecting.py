"""Starts, cancels and retries detections, and shows the run of the chosen item and the progress of all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from desktop.background.workers import Lane, Task, run
from desktop.client import Session
from desktop.client.http.errors import ClientError, NotFound
from desktop.commands.bindings import Commands
from desktop.localization.detection_terms import place_text
from desktop.messages.error_messages import sentence
from desktop.record.item_rows import UNALIGNED, RunPhase, RunState, run_state
from desktop.record.live_changes import LiveChanges
from desktop.record.open_record import OpenRecord
from desktop.record.saved_wait import SavedWait
from desktop.widgets import Banner, Button, ButtonKind, ProgressBar, label, row_of
from shared.wire.detection import Job
from shared.wire.inspection import Place


class RunBox(QWidget):
    """Starts, follows and retries a detection. Its texts follow from the result entries of the item."""

    wanted = Signal()
    """Detect the item, for the first time or again."""
    cancelled = Signal()
    """End the detection that waits or runs."""
    align_wanted = Signal()
    """Set three points, so that photo and reference can be compared by eye."""
    place_chosen = Signal(Place)
    """Detect the item again, with its region at this place of each photo."""
    failed = Signal()
    """The detection that was followed here failed, and the box says why."""

    def __init__(self, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.start = Button(
            commands.title("item.detect"), icon="play", keys=commands.keys_text("item.detect")
        )
        self.start.setObjectName("item-detect")
        self.notice = label("", "dim", wrap=True)
        self.why = label("", "error", wrap=True)
        self.bar = ProgressBar(self.tr("Detection progress"))
        self.cancel = Button(self.tr("Cancel"), icon="close")
        self.cancel.setObjectName("item-detect-cancel")
        self.retry = Button(self.tr("Retry"), icon="refresh")
        self.retry.setObjectName("item-detect-retry")
        self.align = Button(self.tr("Align with three points"), kind=ButtonKind.LINK)
        self.align.setObjectName("item-detect-align")
        self.hint = label(self.tr("A symmetric or plain object cannot be aligned."), "dim", wrap=True)
        self.unaligned = Button(self.tr("Compare without aligning…"), kind=ButtonKind.LINK)
        self.unaligned.setObjectName("item-detect-unaligned")
        row = row_of(self.retry, self.align, self.cancel, 1, spacing=8)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        for part in (self.start, self.notice, self.bar, self.why):
            column.addWidget(part)
        column.addLayout(row)
        column.addWidget(self.hint)
        column.addWidget(self.unaligned, 0, Qt.AlignmentFlag.AlignLeft)
        self.start.clicked.connect(lambda _checked=False: self.wanted.emit())
        self.retry.clicked.connect(lambda _checked=False: self.wanted.emit())
        self.cancel.clicked.connect(lambda _checked=False: self.cancelled.emit())
        self.align.clicked.connect(lambda _checked=False: self.align_wanted.emit())
        self.unaligned.clicked.connect(lambda _checked=False: self._offer_places())
        self._followed_job = ""
        self.show_run(RunState(), None)

    def show_run(self, state: RunState, percent: int | None, place: Place = Place.ALIGN) -> None:
        """Show the state of the detection of an item whose region lies at `place` in photos.

        `percent` is None unless the detection is requested or running.
        """
        requested = percent is not None
        running = requested or state.is_running
        ended = not running and state.run in (RunPhase.FAILED, RunPhase.CANCELED)
        self.start.setVisible(not running and not ended)
        self.notice.setText(self._text(state, percent) if running or ended else "")
        self.notice.setVisible(bool(self.notice.text()))
        self.bar.setVisible(running and state.run is RunPhase.RUNNING)
        self.bar.setValue(percent or 0)
        self.why.setText(state.message if ended else "")
        self.why.setVisible(bool(self.why.text()))
        self.cancel.setVisible(running and bool(state.job_id))
        self.retry.setVisible(ended)
        self.align.setVisible(ended and state.code in UNALIGNED)
        may_compare = ended and state.code == "alignment_failed" and place is Place.ALIGN
        self.hint.setVisible(may_compare)
        self.unaligned.setVisible(may_compare)
        if running:
            self._followed_job = state.job_id
        elif state.run is RunPhase.FAILED and state.job_id and state.job_id == self._followed_job:
            self._followed_job = ""
            self.failed.emit()

    def set_editable(self, on: bool) -> None:
        """Enable or disable detection."""
        for button in (self.start, self.retry, self.cancel, self.unaligned):
            button.setEnabled(on)

    def _offer_places(self) -> None:
        """Let the user choose how photos are compared that cannot be aligned."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for place in (Place.FIXED, Place.ANYWHERE):
            menu.addAction(place_text(place)).triggered.connect(partial(self._choose_place, place))
        menu.popup(self.unaligned.mapToGlobal(self.unaligned.rect().bottomLeft()))

    def _choose_place(self, place: Place, _checked: bool = False) -> None:
        self.place_chosen.emit(place)

    def _text(self, state: RunState, percent: int | None) -> str:
        match state.run:
            case RunPhase.RUNNING:
                return self.tr("Detecting… {percent}%").format(percent=percent or 0)
            case RunPhase.FAILED if percent is None:
                return self.tr("Detection failed")
            case RunPhase.CANCELED if percent is None:
                return self.tr("Detection cancelled.")
        return self.tr("Detection queued…")


class SkippedItemsBanner(Banner):
    """Offers to detect the undecided items again that were skipped because their result is current."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("detect-rest")

    def show_count(self, count: int) -> None:
        """Show the number of skipped items; 0 hides the banner."""
        text = self.tr("%n undecided item(s) skipped: the result is up to date.", "", count)
        if count:
            self.show_message(text, action=self.tr("Rerun detection"))
        else:
            self.hide()


class DetectionController(QObject):
    """The running detections of the open record, including those that other users started.

    The result entries of items say which detections are running. `live` reads the entries and polls the
    progress. Detections continue when the record is left. Only `cancel` ends them.
    """

    running_changed = Signal(object)
    """The percent (0..100) of each item with a running detection, by item id."""
    progress_changed = Signal(int, int)
    """The percent of the running detections, and the number of their items; 0, 0 if none is running."""
    rest_changed = Signal(int)
    """Emits the number of undecided items that `detect_all` left out because their result is current."""
    notice = Signal(str)
    """A message for the user."""

    def __init__(self, open_record: OpenRecord, live: LiveChanges, parent: QObject) -> None:
        super().__init__(parent)
        self._open_record, self._live = open_record, live
        self._asking: dict[str, Task | None] = {}
        self._percent: dict[str, int] = {}
        self._running: dict[str, int] = {}
        self._ended = 0
        self._outdated = False
        live.jobs_changed.connect(self._on_jobs)
        open_record.results_changed.connect(self._update_running)

    @property
    def running_items(self) -> Mapping[str, int]:
        """The items whose detection is requested or running, with percent."""
        return self._running

    def detect(self) -> None:
        """Detect the chosen item, for the first time or again."""
        item = self._open_record.item
        if item is None or item.item_id in self._running or not self._open_record.may_edit():
            return
        if item.model_id is None:
            self.notice.emit(self.tr("Select a detection model for this item first."))
            return
        item_id = item.item_id
        self._ask(
            [item_id], lambda session: [session.items.detect(self._open_record.edits.service_id(item_id))]
        )

    def detect_items(self, item_ids: Sequence[str]) -> None:
        """Start detections for these items.

        A notice gives the number of items without a model, which are left out.
        """
        if not self._open_record.may_edit():
            return
        document = self._open_record.document
        items = [document.item(item_id) for item_id in item_ids] if document is not None else []
        wanted = [item.item_id for item in items if item is not None and item.model_id is not None]
        if len(wanted) < len(item_ids):
            left = len(item_ids) - len(wanted)
            self.notice.emit(self.tr("%n item(s) skipped: no photo or no model.", "", left))
        wanted = [item_id for item_id in wanted if item_id not in self._running]
        if wanted:
            service_id = self._open_record.edits.service_id
            self._ask(
                wanted, lambda session: [session.items.detect(service_id(item_id)) for item_id in wanted]
            )

    def detect_all(self) -> None:
        """Detect every undecided item with a photo and a model that has no current result."""
        self._detect_record(outdated=True)

    def detect_again(self) -> None:
        """Detect every undecided item with a photo and a model again, also with a current result."""
        self._detect_record(outdated=False)

    def _detect_record(self, outdated: bool) -> None:
        record_id = self._open_record.record_id
        if record_id and "" not in self._asking and self._open_record.may_edit():
            self.rest_changed.emit(0)
            self._outdated = outdated
            self._ask([""], lambda session: session.records.detect(record_id, outdated=outdated))

    def cancel(self) -> None:
        """Cancel every detection of the record that waits or runs."""
        self._end([self._job(item_id) for item_id in self._running])

    def cancel_item(self) -> None:
        """Cancel the detection of the chosen item."""
        self._end([self._job(self._open_record.current)])

    def stop(self) -> None:
        """Stop following detections, which continue in the service."""
        for task in self._asking.values():
            if task is not None:
                task.cancel()
        self._asking.clear()
        self._percent.clear()
        self._update_running()

    # -- asking

    def _ask(self, item_ids: Sequence[str], ask: Callable[[Session], Sequence[Job]]) -> None:
        """Request detections when all edits are saved. An empty id stands for the whole record."""
        self._asking.update(dict.fromkeys(item_ids))
        self._update_running()
        refused = partial(self._on_unsaved, item_ids)
        SavedWait(self._open_record, partial(self._send, item_ids, ask), refused, self, patient=True)

    def _send(self, item_ids: Sequence[str], ask: Callable[[Session], Sequence[Job]]) -> None:
        if item_ids[0] not in self._asking:
            return
        task = run(
            ask,
            self._open_record.context.session,
            owner=self,
            done=lambda jobs: self._on_jobs_started(item_ids, {job.item_id for job in jobs}),
            failed=lambda error: self._on_start_failed(item_ids, error),
            lane=Lane.LONG,
        )
        self._asking.update(dict.fromkeys(item_ids, task))

    def _on_unsaved(self, item_ids: Sequence[str], why: str) -> None:
        self._drop_request(item_ids)
        self.notice.emit(why)

    def _drop_request(self, item_ids: Sequence[str]) -> None:
        for item_id in item_ids:
            self._asking.pop(item_id, None)
        self._update_running()

    def _on_jobs_started(self, item_ids: Sequence[str], service_ids: set[str]) -> None:
        """Wait until the entries of the items contain their jobs. `service_ids` are the items with a job."""
        self._asking.update(dict.fromkeys(item_ids))
        self._live.read_items(service_ids, lambda: self._on_jobs_listed(item_ids, service_ids))

    def _on_jobs_listed(self, item_ids: Sequence[str], service_ids: set[str]) -> None:
        for item_id in item_ids:
            self._asking.pop(item_id, None)
        if "" in item_ids:
            self._report_left_out({self._open_record.edits.local_id(item_id) for item_id in service_ids})
        self._update_running()

    def _report_left_out(self, started: set[str]) -> None:
        left = [row for row in self._open_record.rows if not row.is_judged and row.item_id not in started]
        current = [row for row in left if self._outdated and row.detected and not row.run.is_running]
        if current:
            self.rest_changed.emit(len(current))
        elif not started:
            self.notice.emit(
                self.tr("No undecided item has a photo and a model. Add photos, or accept the matched ones.")
            )
        if started and len(left) > len(current):
            others = len(left) - len(current)
            self.notice.emit(self.tr("%n item(s) skipped: no photo or no model.", "", others))

    def _on_start_failed(self, item_ids: Sequence[str], error: Exception) -> None:
        self._drop_request(item_ids)
        if not isinstance(error, ClientError):
            raise error
        self.notice.emit(sentence(error))

    # -- ending

    def _job(self, item_id: str) -> str:
        document = self._open_record.document
        item = document.item(item_id) if document is not None else None
        return run_state(item.result).job_id if item is not None else ""

    def _end(self, job_ids: Sequence[str]) -> None:
        wanted = [job_id for job_id in job_ids if job_id]
        if wanted:
            run(
                _cancel,
                self._open_record.context.session,
                wanted,
                owner=self,
                done=self._live.read_items,
                failed=lambda error: self.notice.emit(sentence(error)),
            )

    # -- watching

    def _update_running(self) -> None:
        """Update which detections are running, and their progress."""
        under_way = {row.item_id for row in self._open_record.rows if row.run.is_running}
        requested = {item_id for item_id in self._asking if item_id}
        self._percent = {key: value for key, value in self._percent.items() if key in under_way}
        running = {item_id: self._percent.get(item_id, 0) for item_id in under_way | requested}
        self._ended = self._ended + len(self._running.keys() - running.keys()) if running else 0
        if running != self._running:
            self._running = running
            self.running_changed.emit(running)
            total = len(running) + self._ended
            percent = (sum(running.values()) + 100 * self._ended) // total if total else 0
            self.progress_changed.emit(percent, len(running))

    def _on_jobs(self, jobs: Sequence[Job]) -> None:
        local = self._open_record.edits.local_id
        self._percent.update({local(job.item_id): job.progress for job in jobs})
        self._update_running()


def _cancel(session: Session, job_ids: Sequence[str]) -> list[str]:
    """Cancel these jobs. Returns the ids of their items."""
    items = []
    for job_id in job_ids:
        try:
            items.append(session.detection.cancel(job_id).item_id)
        except NotFound:
            continue
    return items
