"""Defines the requests to the compute process, its answers and the memories in them.

An answer is a JSON object whose `event` names its type.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NotRequired, TypedDict

from shared.record.entries import (
    EntryAlignment,
    EntryAppearance,
    EntryBox,
    EntryMemory,
    EntrySuppressed,
    EntryThresholds,
)
from shared.wire.inspection import DetectionSettings, Place

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


@dataclass(frozen=True, slots=True)
class Request:
    """A detection. Paths name local files.

    point: x, y, w, h of the region as an item stores it (fractions, or pixels above 1); None for the whole
    reference image. settings: of the model (`DetectorSettings` for ONNX, `Parameters` for
    reference-difference). item: the item's own settings, which replace them (`DetectionSettings`). place: the
    homography of the photo's assignment to the item (3 x 3, reference px -> photo px of the files).
    place_by_person: a user set it. within: the corners of the region in px of the photo file, if findings of
    an ONNX model count only inside. photo_sha256: if given, the findings of a model are cached. memory: file
    with the memory of the region, for reference-difference; None for none. passed: photos that passed, to
    compare by appearance, beside those of the memory. backbone: file of the backbone that a user added, with
    its settings (`DetectorSettings`); None for the built-in one. rendered: file for the picture with the
    boxes; None for no picture.
    """

    kind: str
    photo: str
    reference: str | None = None
    point: tuple[float, float, float, float] | None = None
    mm_per_pixel: float | None = None
    model: str | None = None
    sha256: str | None = None
    labels: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    item: Mapping[str, Any] = field(default_factory=dict)
    place: Sequence[Sequence[float]] | None = None
    place_by_person: bool = False
    within: Sequence[Sequence[float]] | None = None
    photo_sha256: str | None = None
    memory: str | None = None
    passed: Sequence[str] = ()
    backbone: str | None = None
    backbone_settings: Mapping[str, Any] = field(default_factory=dict)
    rendered: str | None = None


def as_json(request: Request) -> dict[str, object]:
    """A `Request` as a JSON object; `to_request` reads it."""
    return dataclasses.asdict(request)


def to_request(fields: dict[str, Any]) -> Request:
    """A `Request` from its JSON form."""
    point: Sequence[float] | None = fields.get("point")
    return Request(
        **{
            **fields,
            "point": None if point is None else (point[0], point[1], point[2], point[3]),
            "labels": tuple(fields.get("labels", ())),
        }
    )


@dataclass(frozen=True, slots=True)
class PlacesRequest:
    """The photo and the regions to find in it. Paths name local files.

    regions: each the path of its reference file, and x, y, w, h as the item stores them. fixed: the numbers
    of those under a camera that does not move.
    """

    photo: str
    regions: tuple[tuple[str, tuple[float, float, float, float]], ...]
    fixed: tuple[int, ...] = ()


def places_json(request: PlacesRequest) -> dict[str, object]:
    """A `PlacesRequest` as a JSON object; `to_places_request` reads it."""
    return dataclasses.asdict(request)


def to_places_request(fields: dict[str, Any]) -> PlacesRequest:
    """A `PlacesRequest` from its JSON form."""
    regions = tuple((path, (point[0], point[1], point[2], point[3])) for path, point in fields["regions"])
    return PlacesRequest(fields["photo"], regions, tuple(fields["fixed"]))


def item_settings(request: Request) -> DetectionSettings:
    """The item's own settings."""
    return DetectionSettings.model_validate(request.item)
