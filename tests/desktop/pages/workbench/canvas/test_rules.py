"""Places of the photo, findings as regions, steps that join: without a window."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.canvas.model.viewport import Viewport
from desktop.canvas.views.pair_drawing import GAP, pane_rects, useful_height
from desktop.pages.workbench.canvas.finding_editing import FindingRegions, NeighbourFindings, source_of
from desktop.pages.workbench.canvas.photo_canvas import mapped_point, mapped_viewport
from desktop.record.correction import CorrectionDraft
from desktop.record.document import ItemView
from desktop.record.item_rows import findings_of
from shared.record.entries import Entry
from shared.record.findings import Finding
from shared.record.geometry import Rect
from tests.desktop.record.test_correction import ENTRY, draft

TURNED = np.array([[1.4, 0.3, 50.0], [-0.25, 1.5, 80.0], [1e-5, 2e-5, 1.0]])


@given(
    x=st.floats(800, 1200),
    y=st.floats(600, 900),
    scale=st.floats(2, 6),
    at=st.tuples(st.floats(100, 700), st.floats(100, 500)),
)
def test_anchor_keeps_its_position_and_scale(
    x: float, y: float, scale: float, at: tuple[float, float]
) -> None:
    reference = replace(Viewport(2000, 1500, 800, 600), scale=scale).centred(x, y)
    place = reference.to_image(*at)
    point, beside = mapped_point(TURNED, *place), mapped_point(TURNED, place[0] + 1, place[1])
    assert point is not None
    assert beside is not None
    viewport = mapped_viewport(reference, Viewport(4000, 3000, 800, 600).fit(), TURNED, at)
    assert viewport is not None
    # The corner of a picture lies on a whole px of the view.
    assert np.hypot(*np.subtract(viewport.to_view(*point), at)) < 1
    assert viewport.scale * np.hypot(*np.subtract(beside, point)) == pytest.approx(scale, rel=0.1)
    back = mapped_viewport(viewport, Viewport(2000, 1500, 800, 600).fit(), np.linalg.inv(TURNED), at)
    assert back is not None
    assert back.scale == pytest.approx(scale, rel=0.01)
    assert np.hypot(back.left - reference.left, back.top - reference.top) < 3 + scale


def test_a_photo_that_would_be_smaller_than_the_view_is_fitted() -> None:
    small = np.diag([0.1, 0.1, 1.0])
    viewport = mapped_viewport(
        Viewport(2000, 1500, 800, 600).fit(), Viewport(200, 150, 800, 600), small, (400, 300)
    )
    assert viewport is not None
    assert viewport.is_fitted


def test_place_outside_the_photo_has_no_mapping() -> None:
    close_up = np.array([[4.0, 0, -4000.0], [0, 4.0, -3000.0], [0, 0, 1.0]])
    reference = replace(Viewport(2000, 1500, 800, 600), scale=2.0).centred(300, 300)
    assert mapped_viewport(reference, Viewport(1600, 1200, 800, 600), close_up, (400, 300)) is None
    beyond = np.array([[1.0, 0, 0], [0, 1.0, 0], [-1.0 / 100, 0, 1.0]])
    assert mapped_point(beyond, 150, 10) is None


def test_ids_stay_with_their_findings() -> None:
    correction, regions = draft(), FindingRegions()
    regions.set_boxes("a", correction.boxes)
    crack, dent = (regions.region_id(place) for place in (0, 1))
    correction.reshape({1: Rect(9, 9, 4, 4)})
    regions.set_boxes("a", correction.boxes)
    assert (regions.index_of(crack), regions.index_of(dent)) == (0, 1)
    correction.remove([0])
    regions.set_boxes("a", correction.boxes)
    assert (regions.index_of(crack), regions.index_of(dent)) == (-1, 0)
    regions.expect(["drawn"])
    correction.add([(Rect(1, 1, 5, 5), "new")])
    regions.set_boxes("a", correction.boxes)
    assert (regions.index_of(dent), regions.index_of("drawn")) == (0, 1)
    regions.set_boxes("b", correction.boxes)
    assert regions.index_of(dent) == -1
    assert len({region.id for region in regions.regions(findings_of(correction.entry))}) == 2


@pytest.mark.parametrize(
    ("finding", "source"),
    [
        (Finding("crack", 0.9, Rect(1, 1, 5, 5)), "0.90"),
        (Finding("crack", 1.0, Rect(1, 1, 5, 5), is_drawn=True, author_name="李四"), "· 李四"),
        (Finding("crack", 1.0, Rect(1, 1, 5, 5), is_drawn=True), "· drawn manually"),
    ],
)
def test_the_source_of_a_finding(finding: Finding, source: str) -> None:
    assert source_of(finding) == source


def test_steps_of_the_arrow_keys_join_and_others_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    steps: list[str] = []
    correction = draft()
    correction.on_step = lambda step, _value: steps.append(step.value)
    for x in (2, 3, 4):
        correction.reshape({0: Rect(x, 2, 2, 2)}, "nudge:a")
        now[0] += 0.2
    assert correction.steps == 1
    now[0] += 5
    correction.reshape({0: Rect(5, 2, 2, 2)}, "nudge:a")
    assert correction.steps == 2
    correction.reshape({0: Rect(6, 2, 2, 2)}, "nudge:b")
    correction.reshape({0: Rect(7, 2, 2, 2)})
    correction.reshape({0: Rect(8, 2, 2, 2)})
    assert correction.steps == 5
    assert correction.undo()
    correction.accept(1)
    correction.reshape({0: Rect(9, 2, 2, 2)}, "nudge:b")
    assert correction.steps == 6
    # Replaying the stored steps leads to the same findings.
    assert steps[:4] == ["take", "undo", "take", "undo"]
    for _ in range(6):
        assert correction.undo()
    assert correction.boxes == CorrectionDraft.begin("i", ENTRY, ENTRY).boxes


def item(number: int, entry: Entry | None) -> ItemView:
    return ItemView(f"i{number}", "x", None, None, None, None, () if entry is None else (entry,))


def test_findings_of_other_items_are_those_in_the_same_photo() -> None:
    def entry(content_id: str) -> Entry:
        return {**ENTRY, "inputImage": {"ipfs_cid": content_id}}

    items = [item(1, entry("one")), item(2, entry("one")), item(3, entry("two")), item(4, None)]
    around = NeighbourFindings()
    boxes = around.boxes(items, "i1", "one", 0.0)
    assert [box.label for box in boxes] == ["2 · crack", "2 · dent"]
    assert all(box.read_only for box in boxes)
    assert around.boxes(items, "i1", "one", 0.95) == []
    assert around.boxes(items, "i1", None, 0.0) == []
    items[1] = item(2, entry("two"))
    assert around.boxes(items, "i1", "one", 0.0) == []


@pytest.mark.parametrize(
    ("width", "height", "picture", "may_stack", "stacked"),
    [
        (308, 108, (400, 300), True, False),
        (308, 470, (400, 300), True, True),
        (308, 470, (400, 300), False, False),
        (308, 470, (100, 900), True, False),
        (308, 470, (0, 0), True, False),
    ],
)
def test_two_pictures_are_arranged_for_the_largest_view(
    width: int, height: int, picture: tuple[int, int], may_stack: bool, stacked: bool
) -> None:
    first, second = pane_rects(width, height, picture, may_stack=may_stack)
    assert (second.y > 0) is stacked
    assert (second.x > 0) is not stacked
    assert first.intersection(second).is_empty
    assert max(second.right, first.right) == width - (0 if stacked or width % 2 == 0 else 1)
    assert second.bottom == height


def test_preview_requests_only_useful_height() -> None:
    height = useful_height(300, (400, 300), two=True)
    assert height == 2 * 225 + GAP
    assert useful_height(300, (400, 300), two=False) == 225
