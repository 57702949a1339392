"""Computes the state that the lines of a journal lead to: undo and redo steps, and the queue to the
service.

Counts the unsent edits of a journal without opening it, because another program may have it open.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from desktop.journal import line_format
from desktop.journal.edits import DraftHistory, DraftStep, Edit, EditKind, join_edits

Line = Mapping[str, Any]


MERGE_WITHIN = 1.0
"""Longest time in seconds between two edits with the same merge key that become one undo step."""


@dataclass(slots=True)
class UndoStep:
    """The edits that one undo reverses together."""

    id: str
    edits: list[Edit]
    merge_key: str | None

    def may_merge(self, edits: Sequence[Edit], merge_key: str) -> bool:
        """Whether these edits can join the step: same key and objects, at most `MERGE_WITHIN` later."""
        return (
            self.merge_key == merge_key
            and {edit.object_id for edit in self.edits} == {edit.object_id for edit in edits}
            and 0 <= edits[0].at - self.edits[-1].at <= MERGE_WITHIN
        )


@dataclass(frozen=True, slots=True)
class Conflict:
    """An edit that the service refused because another user changed the object.

    `current` is the object as the service stores it. `parts` are the ids of the edits that `edit` joins.
    """

    edit: Edit
    current: Mapping[str, Any]
    etag: str | None
    parts: tuple[str, ...]


@dataclass(slots=True)
class JournalState:
    """The state after all lines so far. `apply` reads the next line; `to_line` returns the state as one
    line."""

    undo: defaultdict[str, list[UndoStep]] = field(default_factory=lambda: defaultdict(list))
    redo: defaultdict[str, list[UndoStep]] = field(default_factory=lambda: defaultdict(list))
    queue: dict[str, Edit] = field(default_factory=dict)
    conflicts: dict[str, Conflict] = field(default_factory=dict)
    service_ids: dict[str, str] = field(default_factory=dict)
    local_ids: dict[str, str] = field(default_factory=dict)
    etags: dict[str, str] = field(default_factory=dict)
    drafts: defaultdict[str, dict[str, DraftHistory]] = field(default_factory=lambda: defaultdict(dict))
    editions: dict[str, int] = field(default_factory=dict)
    """The newest edition of a record at which its undo and redo steps ended."""
    closed: bool = True
    _queue_by_object: defaultdict[str, dict[str, Edit]] = field(default_factory=lambda: defaultdict(dict))
    """The edits of the queue by object, in the same order."""
    _queue_by_record: defaultdict[str, dict[str, Edit]] = field(default_factory=lambda: defaultdict(dict))

    def apply(self, line: Line) -> None:
        """Apply the next line. Raises KeyError, TypeError or ValueError on an unknown line."""
        match line["t"]:
            case "do" | "undo" | "redo":
                self._apply_edits(line)
            case "ack":
                self._apply_acknowledgement(line["id"], line.get("etag"), line.get("service_id"))
            case "conflict":
                self._apply_conflict(line["id"], line["current"], line.get("etag"))
            case "resolve":
                self._apply_resolution(line["id"], line["before"], line["after"], line.get("etag"))
            case "discard":
                self._apply_discard()
            case "draft":
                self._apply_draft_step(self.drafts[line["record_id"]], line["object_id"], line["step"], line)
            case "sealed":
                self.undo.pop(line["record_id"], None)
                self.redo.pop(line["record_id"], None)
                self.editions[line["record_id"]] = line["edition"]
            case "open":
                self.closed = False
            case "close":
                self.closed = True
            case "state":
                self._restore(line)
            case other:
                raise ValueError(f"unknown line {other!r}")

    def pending_edits(self) -> list[Edit]:
        """The edits to send, oldest first and joined, without objects that have an undecided conflict."""
        conflicting_ids = {conflict.edit.object_id for conflict in self.conflicts.values()}
        return join_edits(edit for edit in self.queue.values() if edit.object_id not in conflicting_ids)

    def first_pending_edit(self, record_id: str | None = None) -> Edit | None:
        """The first edit of `pending_edits`, of one record if it is given; None when there is none."""
        queue = self.queue if record_id is None else self._queue_by_record.get(record_id, {})
        conflicting_ids = {conflict.edit.object_id for conflict in self.conflicts.values()}
        first = next((edit for edit in queue.values() if edit.object_id not in conflicting_ids), None)
        if first is None or first.kind is not EditKind.UPDATE:
            return first
        return join_edits(self.unsent_edits_of(first.object_id))[0]

    def unsent_edits_of(self, object_id: str) -> list[Edit]:
        """The edits of one object that the service does not have, oldest first."""
        return list(self._queue_by_object.get(object_id, {}).values())

    def _apply_edits(self, line: Line) -> None:
        edits = [Edit.from_json(data) for data in line["edits"]]
        record = edits[0].record_id
        step = UndoStep(line["step"], edits, line.get("merge_key"))
        undo, redo = self.undo[record], self.redo[record]
        match line["t"]:
            case "undo":
                _move_step(undo, redo, step, line.get("part", False))
            case "redo":
                _move_step(redo, undo, step, line.get("part", False))
            case _:
                redo.clear()
                _push_step(undo, step)
        for edit in edits:
            self._enqueue(edit)

    def _enqueue(self, edit: Edit) -> None:
        self.queue[edit.id] = edit
        self._queue_by_object[edit.object_id][edit.id] = edit
        self._queue_by_record[edit.record_id][edit.id] = edit

    def _dequeue(self, edit_id: str) -> None:
        edit = self.queue.pop(edit_id, None)
        if edit is not None:
            for groups, key in (
                (self._queue_by_object, edit.object_id),
                (self._queue_by_record, edit.record_id),
            ):
                del groups[key][edit_id]
                if not groups[key]:
                    del groups[key]

    @staticmethod
    def _apply_draft_step(drafts: dict[str, DraftHistory], object_id: str, step: str, line: Line) -> None:
        match DraftStep(step):
            case DraftStep.OPEN:
                drafts[object_id] = DraftHistory(line["about"], line["value"])
            case DraftStep.TAKE:
                drafts[object_id].set_value(line["value"])
            case DraftStep.UNDO:
                drafts[object_id].undo()
            case DraftStep.REDO:
                drafts[object_id].redo()
            case DraftStep.DROP:
                drafts.pop(object_id, None)

    def _queued_up_to(self, edit_id: str) -> list[Edit]:
        """The queued edits of the same object up to `edit_id`, oldest first. Raises KeyError."""
        target = self.queue[edit_id]
        run = self.unsent_edits_of(target.object_id)
        return run[: run.index(target) + 1]

    def _apply_acknowledgement(self, edit_id: str, etag: str | None, service_id: str | None) -> None:
        run = self._queued_up_to(edit_id)
        for edit in run:
            self._dequeue(edit.id)
        if etag is not None:
            self.etags[run[0].object_id] = etag
        if service_id is not None:
            self.service_ids[run[0].object_id] = service_id
            self.local_ids[service_id] = run[0].object_id

    def _apply_conflict(self, edit_id: str, current: Mapping[str, Any], etag: str | None) -> None:
        run = self._queued_up_to(edit_id)
        refused = join_edits(run)[-1]
        parts = tuple(edit.id for edit in run if edit.kind is refused.kind)
        for key in parts:
            if key != edit_id:
                self._dequeue(key)
        # It replaces the edit with the same id, so the order of sending stays.
        self._enqueue(refused)
        self.conflicts[edit_id] = Conflict(refused, current, etag, parts)

    def _apply_resolution(self, edit_id: str, before: Any, after: Any, etag: str | None) -> None:
        conflict = self.conflicts.pop(edit_id)
        edit = conflict.edit
        if etag is not None:
            self.etags[edit.object_id] = etag
        resolved_edits = [replace(edit, before=before, after=after)] if after is not None else []
        removed_ids = set(conflict.parts)
        if resolved_edits:
            self._enqueue(resolved_edits[0])
        elif edit.kind in (EditKind.CREATE, EditKind.RESTORE):
            # The service never gets this object, so its later edits cannot be sent.
            removed_ids.update(later.id for later in self.unsent_edits_of(edit.object_id))
        for key in removed_ids - {new.id for new in resolved_edits}:
            self._dequeue(key)
        replacements: dict[str, list[Edit]] = {key: [] for key in removed_ids}
        replacements[edit_id] = resolved_edits
        for stack in (self.undo[edit.record_id], self.redo[edit.record_id]):
            _replace_edits(stack, replacements)

    def _apply_discard(self) -> None:
        """Remove all edits to send from the queue and from the undo and redo steps, in one pass."""
        conflicting_ids = {conflict.edit.object_id for conflict in self.conflicts.values()}
        discarded = [edit.id for edit in self.queue.values() if edit.object_id not in conflicting_ids]
        for key in discarded:
            self._dequeue(key)
        replacements: dict[str, list[Edit]] = {key: [] for key in discarded}
        for stack in (*self.undo.values(), *self.redo.values()):
            _replace_edits(stack, replacements)

    def to_line(self) -> dict[str, Any]:
        """The state as one line that replaces all lines so far."""
        return {
            "t": "state",
            "undo": {record: _steps_to_json(steps) for record, steps in self.undo.items() if steps},
            "redo": {record: _steps_to_json(steps) for record, steps in self.redo.items() if steps},
            "queue": [edit.to_json() for edit in self.queue.values()],
            "conflicts": [
                {"id": item.edit.id, "current": item.current, "etag": item.etag, "parts": item.parts}
                for item in self.conflicts.values()
            ],
            "service_ids": self.service_ids,
            "etags": self.etags,
            "drafts": {
                record: {object_id: draft.to_json() for object_id, draft in drafts.items()}
                for record, drafts in self.drafts.items()
                if drafts
            },
            "editions": self.editions,
            "closed": self.closed,
        }

    def _restore(self, line: Line) -> None:
        for stacks, saved in ((self.undo, line["undo"]), (self.redo, line["redo"])):
            stacks.clear()
            stacks.update((record, _steps_from_json(steps)) for record, steps in saved.items())
        edits = [Edit.from_json(data) for data in line["queue"]]
        self.queue.clear()
        self._queue_by_object.clear()
        self._queue_by_record.clear()
        for edit in edits:
            self._enqueue(edit)
        self.conflicts = {
            item["id"]: Conflict(
                self.queue[item["id"]], item["current"], item.get("etag"), tuple(item["parts"])
            )
            for item in line["conflicts"]
        }
        self.service_ids, self.etags = dict(line["service_ids"]), dict(line["etags"])
        self.local_ids = {service_id: local for local, service_id in self.service_ids.items()}
        self.drafts.clear()
        # A journal of an earlier version has no drafts and no editions.
        self.editions = dict(line.get("editions", {}))
        for record, drafts in line.get("drafts", {}).items():
            self.drafts[record] = {key: DraftHistory.from_json(draft) for key, draft in drafts.items()}
        self.closed = line["closed"]


def _move_step(source: list[UndoStep], target: list[UndoStep], step: UndoStep, part: bool) -> None:
    """Remove the newest step of `source`, or with `part` its last edits, and push `step`, which reversed
    it."""
    if part:
        source[-1].edits = join_edits(source[-1].edits)[: -len(step.edits)]
    else:
        source.pop()
    _push_step(target, step)


def _push_step(stack: list[UndoStep], step: UndoStep) -> None:
    if stack and stack[-1].id == step.id:
        stack[-1].edits.extend(step.edits)
    else:
        stack.append(step)


def _replace_edits(stack: list[UndoStep], replacements: Mapping[str, Sequence[Edit]]) -> None:
    """Replace edits of the steps by those that `replacements` has for their ids, and drop empty steps."""
    for step in stack:
        step.edits = [new for old in step.edits for new in replacements.get(old.id, (old,))]
    stack[:] = [step for step in stack if step.edits]


def _steps_to_json(steps: Iterable[UndoStep]) -> list[dict[str, Any]]:
    return [
        {"step": step.id, "edits": [edit.to_json() for edit in step.edits], "merge_key": step.merge_key}
        for step in steps
    ]


def _steps_from_json(data: Iterable[Line]) -> list[UndoStep]:
    return [
        UndoStep(item["step"], [Edit.from_json(edit) for edit in item["edits"]], item.get("merge_key"))
        for item in data
    ]


def count_unsent_edits(path: Path) -> int:
    """The number of unsent edits in the journal at `path`; 0 when it cannot be read."""
    try:
        contents = line_format.decode(path.read_bytes())
    except OSError:
        return 0
    state = JournalState()
    for value in contents.values:
        with contextlib.suppress(KeyError, IndexError, TypeError, ValueError):
            state.apply(value)
    return len(state.queue)
