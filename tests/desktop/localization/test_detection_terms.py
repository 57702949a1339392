"""What the desktop says about detections."""

from __future__ import annotations

import pytest

from desktop.localization.detection_terms import appearance_text
from shared.record.entries import EntryAppearance


@pytest.mark.parametrize(
    ("photos", "share", "words"),
    [
        (1, None, ("1 passed photo", "only gross changes")),
        (3, 0.003, ("3 passed photo", "0.3%")),
        (24, 0.0, ("24 passed photo", "0.0%")),
    ],
)
def test_appearance_says_what_it_knows(photos: int, share: float | None, words: tuple[str, str]) -> None:
    appearance: EntryAppearance = {
        "distance": 0.3,
        "limit": 0.2,
        "share": share,
        "photos": photos,
        "place": "fixed",
    }

    text = appearance_text(appearance)

    assert all(word in text for word in words)
    assert appearance_text(None) == ""
