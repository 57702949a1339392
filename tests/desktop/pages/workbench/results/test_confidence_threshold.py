"""The slider begins at the threshold of the shown result, or where the user set it for the model."""

from __future__ import annotations

from typing import cast

import pytest
from pytestqt.qtbot import QtBot

from desktop.pages.workbench.results.part import least_confidence
from desktop.preferences import Preferences
from shared.record.entries import Entry, EntryBox, EntryCorners, EntryThresholds, Provenance
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record, store_detections

POINTS: EntryCorners = {"x1": 10, "y1": 10, "x2": 60, "y2": 60}


def entry(thresholds: EntryThresholds | None, model: str = "reference-difference") -> Entry:
    boxes: list[EntryBox] = [
        {"label": "crack", "confidence": sure, "points": POINTS} for sure in (0.9, 0.55, 0.3)
    ]
    origin: Provenance = {"model_id": model}
    if thresholds is not None:
        origin["thresholds"] = thresholds
    return {
        "version": 1,
        "isPassed": False,
        "progress": "done",
        "resultImage": {"boxes": boxes},
        "provenance": origin,
    }


def correction(version: int, of_version: int) -> Entry:
    # Without its author and time, which do not matter here.
    return cast(Entry, {"version": version, "correction": {"of_version": of_version}})


def test_threshold_starts_at_that_of_the_result_and_keeps_the_users_value(
    workbench: WorkbenchDriver, qtbot: QtBot
) -> None:
    record_id = make_record(workbench.session)
    entries = (
        entry({"sensitivity": 0.5, "min_confidence": 0.5}),
        entry({"confidence": 0.25, "per_label": {"dent": 0.6}}, "other"),
        entry(None, "unknown"),
    )
    for item, item_entry in zip(workbench.session.items.all(record_id), entries, strict=True):
        store_detections(workbench.session, item.item_id, item_entry)
    workbench.open(record_id, qtbot.waitUntil)
    findings = workbench.page.inspector.findings
    shown = []
    for _ in entries:
        shown.append((findings.threshold, len(findings.shown_findings)))
        workbench.context.commands.run("item.next")
    assert shown == [(0.5, 2), (0.25, 3), (0.4, 2)]
    findings.slider.setValue(80)
    assert len(findings.shown_findings) == 1
    workbench.context.commands.run("item.next")
    assert findings.threshold == 0.25
    workbench.context.commands.run("item.previous")
    assert findings.threshold == 0.8
    preferences = workbench.context.preferences
    qtbot.waitUntil(lambda: preferences.values.confidence == {"reference-difference": 0.8})
    assert Preferences(preferences.path).values.confidence == {"reference-difference": 0.8}


@pytest.mark.parametrize(
    ("thresholds", "least"),
    [
        ({"confidence": 0.3, "per_label": {"dent": 0.2}}, 0.2),
        ({"min_confidence": 0.5, "sensitivity": 0.1}, 0.5),
        ({"confidence": 7}, 1.0),
        ({"confidence": "much"}, None),
        ({}, None),
    ],
)
def test_correction_shows_the_findings_of_the_result_before_it(
    thresholds: EntryThresholds, least: float | None
) -> None:
    first = entry(thresholds)
    with_correction: Entry = {**correction(2, of_version=1), "provenance": {"alignment": None}}
    assert least_confidence(first, (first,)) == least
    assert least_confidence(with_correction, (first, with_correction)) == least
    lost = correction(3, of_version=3)
    assert least_confidence(lost, (lost,)) is None
