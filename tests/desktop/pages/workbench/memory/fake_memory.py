"""The memory of a region as a service keeps it, played beside a real service for all the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from desktop.client import Session
from shared.wire.memory import MemoryChange, MemoryKind, MemoryPhoto, MemoryState, MemoryStatus
from tests.desktop.pages.workbench.trend.growing_crack import Grown

NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


@dataclass
class FakeMemory:
    """Answers the two operations. `changes` holds the changes made; `error` fails the next change."""

    state: MemoryState
    changes: list[MemoryChange] = field(default_factory=list)
    error: Exception | None = None

    def read(self, _item_id: str) -> MemoryState:
        return self.state

    def change(self, _item_id: str, change: MemoryChange) -> MemoryState:
        self.changes.append(change)
        error, self.error = self.error, None
        if error is not None:
            raise error
        state = self.state
        out = change.left_out or {}
        photos = [
            photo.model_copy(
                update={
                    "left_out": out[photo.file_id],
                    "left_out_by": "张三" if out[photo.file_id] else None,
                    "left_out_at": NOW if out[photo.file_id] else None,
                }
            )
            if photo.file_id in out
            else photo
            for photo in state.photos
        ]
        if change.start_over:
            photos = []
        frozen = state.frozen_at is not None if change.frozen is None else change.frozen
        self.state = state.model_copy(
            update={
                "photos": photos,
                "required": change.required or state.required,
                "frozen_at": NOW if frozen else None,
                "frozen_by": "张三" if frozen else None,
                "begins_at": NOW if change.start_over else state.begins_at,
                "state": _status(photos, change.required or state.required, frozen),
            }
        )
        return self.state


def _status(photos: Sequence[MemoryPhoto], required: int, frozen: bool) -> MemoryStatus:
    if not photos:
        return MemoryStatus.EMPTY
    if sum(not photo.left_out for photo in photos) < required:
        return MemoryStatus.TOO_FEW
    return MemoryStatus.FROZEN if frozen else MemoryStatus.COUNTS


def make_memory_state(
    session: Session,
    inspections: Grown,
    required: int = 2,
    can_require: bool = True,
    disagreements: Sequence[tuple[float, float, float, float]] = (),
) -> MemoryState:
    """The memory that the photos of these records come to, newest first; the first of them was rejected."""
    photos = []
    for number, (record_id, item_id) in enumerate(zip(inspections.records, inspections.items, strict=True)):
        (photo, *_) = session.items.photos(item_id)
        at = NOW - timedelta(days=30 * (len(inspections.items) - number))
        photos.append(
            MemoryPhoto(
                file_id=photo.file_id,
                inspection_id=record_id,
                item_id=item_id,
                record_name=f"左翼根部检查 {number + 1}",
                taken_at=at,
                decided_at=at + timedelta(hours=2),
                decided_by="李四",
                kind=MemoryKind.PASSED if number else MemoryKind.REJECTED,
                differences=None if number == len(inspections.items) - 1 else number,
                left_out=False,
                left_out_by=None,
                left_out_at=None,
            )
        )
    photos.reverse()
    return MemoryState(
        item_id=inspections.items[-1],
        reference_file_id="reference",
        state=_status(photos, required, False),
        photos=photos,
        required=required,
        frozen_at=None,
        frozen_by=None,
        begins_at=None,
        disagreements=list(disagreements),
        proposed_place=None,
        version=1,
        can_change=True,
        can_require=can_require,
    )


def play(monkeypatch: pytest.MonkeyPatch, session: Session, state: MemoryState) -> FakeMemory:
    """Let `session` answer the two operations with this memory."""
    fake_memory = FakeMemory(state)
    monkeypatch.setattr(session.items, "memory", fake_memory.read)
    monkeypatch.setattr(session.items, "change_memory", fake_memory.change)
    return fake_memory
