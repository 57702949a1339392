"""Defines the answers of the compute process and the memories in them.

An answer is a JSON object whose `event` names its type. The request is
`service.detection.compute.request.Request`.
"""

from __future__ import annotations

from typing import Final, Literal, NotRequired, TypedDict

from shared.record.entries import (
    EntryAlignment,
    EntryAppearance,
    EntryBox,
    EntryMemory,
    EntrySuppressed,
    EntryThresholds,
)
from shared.wire.inspection import Place

VERSION: Final = 6
"""The version of the contents of a memory. Another version is rebuilt from the photos."""
OLDEST: Final = 4
NEWEST: Final = 20
"""The number of oldest and newest photos in a memory, for permanent and for present differences."""


class Done(TypedDict):
    """The result of a detection, in the form of a result entry.

    `boxes` and `alignment` are in px of the upright photo, whose size is `width` x `height`. `passed` is the
    model's opinion, `seconds` the time. `memory` and `suppressed` exist only if the memory of the region was
    used; `photos` of a suppressed finding are the keys of photos (`PhotoVariation.key`). `appearance` exists
    if the photo was compared by its appearance; its `nearest` are keys too.
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
    appearance: NotRequired[EntryAppearance]


class FoundPlace(TypedDict):
    """The place of a region in a photo, in px of the whole upright files.

    homography: 3 x 3, reference file -> photo. corners: of the region in the photo, clockwise from the top
    left. score: the share of the structure that agrees. visible: the share of the region that the photo
    shows.
    """

    homography: list[list[float]]
    corners: list[list[float]]
    score: float
    visible: float
    covered: bool


class Matched(TypedDict):
    """The places of the requested regions, in their order; None for a region that was not found."""

    event: Literal["matched"]
    places: list[FoundPlace | None]


class Varied(TypedDict):
    """The answer whose payload is the memory of one photo.

    differences: the number of places where the photo differs from the reference image.
    """

    event: Literal["varied"]
    differences: int


class Learned(TypedDict):
    """What a memory says of its region, as `Computer.learn`."""

    event: Literal["learned"]
    disagreements: list[list[float]]
    place: Place | None


class Failed(TypedDict):
    """The reason why there is no result: a code of `service.detection.failure.MESSAGES`."""

    event: Literal["failed"]
    error: str


Answer = Done | Matched | Varied | Learned | Failed
