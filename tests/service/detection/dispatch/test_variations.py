"""Tests the contributions of photos to memories: after the detections, and in their entries."""

from __future__ import annotations

import datetime as dt
from typing import Any, cast

import pytest

from service.app import Domains
from service.db.database import Database
from service.detection import rules
from service.detection.jobs import job_rows
from service.detection.messages import Done
from service.settings import Settings
from shared.record.entries import Entry

AT = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)

pytestmark = pytest.mark.both_databases


def test_detections_that_wait_come_first(database: Database, settings: Settings) -> None:
    variations = Domains(database, settings).detection.variations
    try:
        assert not database.read_now(variations.is_busy)
        job = database.write_now(
            lambda session: job_rows.create(session, "item", "record", "reference-difference", None, None)
        )
        assert database.read_now(variations.is_busy)
        assert job.state == "queued"
    finally:
        variations.close()


def box(x: int) -> dict[str, Any]:
    return {"label": "added", "confidence": 0.9, "points": {"x1": x, "y1": 0, "x2": x + 9, "y2": 9}}


def answer(**more: Any) -> Done:
    fields = {
        "event": "done",
        "boxes": [box(0)],
        "passed": False,
        "thresholds": {"sensitivity": 0.5},
        "alignment": None,
        "width": 8,
        "height": 8,
        "seconds": 0.1,
        **more,
    }
    return cast(Done, fields)


def test_entry_without_a_memory_has_no_keys_of_memories() -> None:
    taken = cast(Entry, {"job_id": "j", "progress": "detecting", "provenance": {"attempt": 1}})
    finished = answer()
    assert rules.finished_entry(taken, None, finished, finished["boxes"], {}, None, AT) == {
        "job_id": "j",
        "inputImage": {},
        "resultImage": {"boxes": [box(0)], "resultImage": {}},
        "isPassed": False,
        "progress": "done",
        "provenance": {
            "attempt": 1,
            "thresholds": {"sensitivity": 0.5},
            "alignment": None,
            "finished_at": "2026-03-01T12:00:00Z",
        },
    }


def test_an_entry_says_which_memory_was_used_and_what_it_suppressed() -> None:
    taken = cast(Entry, {"job_id": "j", "provenance": {}})
    suppressed = {"box": box(50), "score": 0.1, "score_alone": 0.9, "photos": ["sha of a", "unknown"]}
    finished = answer(memory={"photos": 3, "sha256": "f"}, suppressed=[suppressed])
    severe = [{**box(0), "severity": "minor"}, {**box(50), "severity": "major"}]
    entry = rules.finished_entry(taken, None, finished, cast(Any, severe), {"sha of a": "a"}, None, AT)
    assert entry["resultImage"] == {"boxes": severe[:1], "resultImage": {}}
    assert entry["memory"] == {"photos": 3, "sha256": "f"}
    assert entry["suppressed"] == [{**suppressed, "box": severe[1], "photos": ["a"]}]
    # A memory that suppressed nothing is named as well.
    entry = rules.finished_entry(taken, None, answer(memory={"photos": 3, "sha256": "f"}), [], {}, None, AT)
    assert (entry["memory"]["photos"], entry["suppressed"]) == (3, [])
