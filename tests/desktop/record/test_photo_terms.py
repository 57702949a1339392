"""Tests what is said about the matching of a photo."""

from __future__ import annotations

import pytest

from desktop.record.photo_terms import photo_reason
from shared.wire.photos import RecordPhoto


@pytest.mark.parametrize("error", ["timed_out", "worker_died"])
def test_failed_matching_does_not_advise_another_model(error: str) -> None:
    photo = RecordPhoto.model_validate(
        {
            "photo_id": "p",
            "inspection_id": "r",
            "file": {},
            "file_id": "f",
            "width": None,
            "height": None,
            "added_by": None,
            "added_by_name": None,
            "created_at": "2026-05-31T14:30:00Z",
            "state": "failed",
            "error": error,
            "message": None,
            "matches": None,
            "items": [],
        }
    )
    text = photo_reason(photo, 0, any_items=True)
    assert "model" not in text
    assert "etection" not in text
    assert "smaller" in text
