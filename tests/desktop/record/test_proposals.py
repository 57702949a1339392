"""Which items a photo of the record is offered to."""

from __future__ import annotations

from datetime import UTC, datetime

from desktop.record.photo_list import proposals
from shared.wire.inspection import FileInfo, PhotoUse
from shared.wire.photos import Assigned, PhotoItem, PhotoMatch, PhotoState, RecordPhoto

_SAME = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


def match(item_id: str, side: float, visible: float = 1.0, covered: bool = True) -> PhotoMatch:
    corners = [[0.0, 0.0], [side, 0.0], [side, side], [0.0, side]]
    return PhotoMatch(
        item_id=item_id, visible=visible, score=0.9, homography=_SAME, corners=corners, covered=covered
    )


def photo(
    photo_id: str, *matches: PhotoMatch, items: tuple[str, ...] = (), by: Assigned = Assigned.ALIGNMENT
) -> RecordPhoto:
    return RecordPhoto(
        photo_id=photo_id,
        inspection_id="record",
        file=FileInfo(),
        file_id=photo_id,
        width=100,
        height=100,
        added_by=None,
        added_by_name=None,
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        state=PhotoState.MATCHED,
        error=None,
        message=None,
        matches=list(matches),
        items=[
            PhotoItem(
                item_id=item_id, item_name=item_id, photo_id="p", assigned=by, homography=None, corners=None
            )
            for item_id in items
        ],
    )


def test_a_photo_is_offered_to_every_item_that_it_shows_and_to_no_other() -> None:
    photographed = photo("one", match("a", 50), match("b", 50, covered=False), match("c", 50))
    assert proposals([photographed, photo("none")]) == {"one": ["a", "c"]}


def test_an_item_is_offered_the_photo_that_shows_all_of_it_then_the_one_with_most_detail() -> None:
    far, near = (
        photo("far", match("a", 20), match("b", 20)),
        photo("near", match("a", 80), match("b", 80, 0.6)),
    )
    assert proposals([far, near]) == {"far": ["b"], "near": ["a"]}
    assert proposals([near, far]) == {"far": ["b"], "near": ["a"]}


def test_an_item_with_a_photo_is_offered_only_a_better_one() -> None:
    has = photo("has", match("a", 50), items=("a",))
    assert proposals([has, photo("worse", match("a", 49))]) == {}
    assert proposals([has, photo("better", match("a", 51))]) == {"better": ["a"]}


def test_item_with_a_chosen_photo_gets_no_proposal() -> None:
    has = photo("has", items=("a",), by=Assigned.PERSON)
    assert proposals([has, photo("larger", match("a", 500), match("b", 5))]) == {"larger": ["b"]}


def test_a_photo_of_another_record_is_offered_to_no_item() -> None:
    used = photo("used", match("a", 80)).model_copy(
        update={"used_in": PhotoUse(inspection_id="r", inspection_name="昨天")}
    )
    assert proposals([used, photo("new", match("a", 50))]) == {"new": ["a"]}
    assert proposals([used]) == {}
