"""Which part of the photo the row of an item shows."""

from __future__ import annotations

from typing import cast

import pytest

from desktop.pages.workbench.items.crops import photo_cut
from desktop.pages.workbench.items.items_model import THUMB_PX
from desktop.record.document import ItemView
from shared.record.entries import Entry


def item_with_finding(*box: float) -> ItemView:
    points = dict(zip(("x1", "y1", "x2", "y2"), box, strict=True))
    entry = {
        "version": 1,
        "progress": "done",
        "isPassed": False,
        "resultImage": {"boxes": [{"label": "crack", "confidence": 0.8, "points": points}]},
        "inputImage": {"ipfs_cid": "cid", "download_url": "/files/photo/content"},
    }
    return ItemView("a", "Nut", result=(cast(Entry, entry),))


def test_row_shows_a_finding_with_a_margin() -> None:
    place = photo_cut(item_with_finding(100, 200, 500, 300), None)

    assert place is not None
    assert (place.rect.x, place.rect.y, place.rect.w, place.rect.h) == pytest.approx((-60, 40, 720, 420))


def test_row_shows_what_surrounds_a_finding_of_few_px() -> None:
    place = photo_cut(item_with_finding(300, 200, 310, 206), None)

    assert place is not None
    assert min(place.rect.w, place.rect.h) >= 2 * THUMB_PX - 10
    assert place.rect.centre == (305, 203)
