"""What the memory window says of a photo, by why it is part of the memory."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from desktop.pages.workbench.memory.contents import details, frame_note
from shared.wire.memory import MemoryKind, MemoryPhoto
from tests.desktop.pages.workbench.memory.fake_memory import NOW


def photo(kind: MemoryKind, differences: int | None = 2) -> MemoryPhoto:
    return MemoryPhoto(
        file_id="f",
        inspection_id="r",
        item_id="i",
        record_name="walk",
        taken_at=None,
        decided_at=NOW,
        decided_by="Wang",
        kind=kind,
        differences=differences,
        left_out=False,
        left_out_by=None,
        left_out_at=None,
    )


@pytest.mark.parametrize(
    ("kind", "note", "decision"),
    [
        (MemoryKind.PASSED, "Passed · 2 difference(s)", "Passed by"),
        (MemoryKind.REJECTED, "Finding rejected", "Finding rejected by"),
        (MemoryKind.FAILED, "Failed · 2 finding(s)", "Failed by"),
    ],
)
def test_photo_has_the_reason_for_its_part_in_the_memory(
    qapp: QApplication, kind: MemoryKind, note: str, decision: str
) -> None:
    assert frame_note(photo(kind), aligned=True) == note
    rows = dict(details(photo(kind), aligned=True))
    assert rows[decision].startswith("Wang")
    assert ("Effect" in rows) is (kind is MemoryKind.FAILED)


def test_failed_photo_that_was_not_compared_is_not_said_to_show_nothing(qapp: QApplication) -> None:
    assert frame_note(photo(MemoryKind.FAILED, None), aligned=True) == "Failed · not compared"
