from __future__ import annotations

import math

import pytest

from shared import findings
from shared.geometry import Rect
from shared.wire.detection import Severity

BOX = {"label": "dent", "confidence": 1.0, "origin": "person"}
ENTRY = {"correction": {"of_version": 1, "by": "u1", "by_name": "Li"}}


def test_who_drew_a_finding() -> None:
    assert findings.author(ENTRY, {**BOX, "by": "u2", "by_name": "Wang"}) == ("u2", "Wang")
    assert findings.author(ENTRY, {**BOX, "by": "u2", "by_name": None}) == ("u2", "")
    assert findings.author(ENTRY, BOX) == ("u1", "Li")
    assert findings.author(ENTRY, {**BOX, "origin": "model", "by": "u2", "by_name": "Wang"}) == ("", "")
    # What a client writes into an entry of its own makes nobody the author.
    assert findings.author({}, {**BOX, "by": "u2", "by_name": "Wang"}) == ("", "")


def test_stored_severity_wins_over_catalogue() -> None:
    now = {"dent": Severity.MINOR}
    assert findings.severity({**BOX, "severity": "critical"}, now) is Severity.CRITICAL
    assert findings.severity({**BOX, "severity": "awful"}, now) is Severity.MINOR
    assert findings.severity(BOX) is None


def test_the_size_is_measured_on_the_reference_image() -> None:
    turn, scale = math.radians(30), 2.0
    cos, sin = scale * math.cos(turn), scale * math.sin(turn)
    to_photo = [[cos, -sin, 40.0], [sin, cos, -7.0], [0.0, 0.0, 1.0]]
    assert findings.size_mm(Rect(10, 20, 100, 60), to_photo, 0.5) == pytest.approx((25, 15))
    assert findings.size_mm(Rect(10, 20, 100, 60), to_photo, None) is None
    assert findings.size_mm(Rect(10, 20, 100, 60), None, 0.5) is None
    assert findings.size_mm(Rect(10, 20, 100, 60), [[0.0] * 3] * 3, 0.5) is None
    assert findings.size_mm(Rect(10, 20, 100, 60), [[1, 0, 0], [0, 1, 0], [0.01, 0, 1]], 0.5) is not None
