"""Defines what the compute process answers; the request is `service.detection.compute.request.Request`.

An answer is a JSON object that says in `event` what it is.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from shared.entries import EntryAlignment, EntryBox, EntryMemory, EntrySuppressed, EntryThresholds


class Done(TypedDict):
    """What a detection found, as a result entry keeps it.

    `boxes` and `alignment` are in px of the upright photo, whose size is `width` x `height`. `passed` is the
    model's opinion, `seconds` how long it took. `memory` and `suppressed` are there only where the memory of
    the region was used; `photos` of what it suppressed are the keys of the photos (`PhotoVariation.key`).
    """

    event: Literal["done"]
    boxes: list[EntryBox]
    passed: bool
    thresholds: EntryThresholds
    alignment: EntryAlignment | None
    width: int
    height: int
    seconds: float
    memory: NotRequired[EntryMemory]
    suppressed: NotRequired[list[EntrySuppressed]]


class FoundPlace(TypedDict):
    """Where a photo shows a region, in px of the whole upright files.

    `homography` (3 x 3) leads from the reference file to the photo, `corners` are the region's in the photo,
    clockwise from the top left. `score` is how well they agree, `visible` the share that the photo shows.
    """

    homography: list[list[float]]
    corners: list[list[float]]
    score: float
    visible: float
    covered: bool


class Matched(TypedDict):
    """The place of each region that was asked for, in that order; None for one that was not found."""

    event: Literal["matched"]
    places: list[FoundPlace | None]


class Varied(TypedDict):
    """What a photo adds to the memory of its region is the payload of this answer; here is how much it is.

    `differences`: the places where the photo differs from the reference image.
    """

    event: Literal["varied"]
    differences: int


class Disagreeing(TypedDict):
    """Where a memory disagrees with its reference image: x, y, w, h in fractions of that."""

    event: Literal["disagreeing"]
    places: list[list[float]]


class Failed(TypedDict):
    """Why there is no result: a code of `service.detection.failure.MESSAGES`."""

    event: Literal["failed"]
    error: str


Answer = Done | Matched | Varied | Disagreeing | Failed
