"""Bodies of inspection records and inspection items."""

from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, StrictBool, model_validator

from shared.record.codes import Origin, Status, Verdict
from shared.wire.common import (
    CheckedFindings,
    CheckedJson,
    ExtensibleModel,
    Id,
    ItemTime,
    LongText,
    NotNull,
    Number,
    OptionalId,
    OptionalName,
    OptionalText,
    RecordTime,
    RequiredName,
    StrictNumber,
    WireModel,
    read_digits,
)
from shared.wire.files import CameraData

Percent = Annotated[int, Field(ge=0, le=100), StrictNumber, BeforeValidator(read_digits)]
"""0 to 100; forms may send it as a string of digits."""
MAX_VERSION = 1_000_000_000
"""The highest version that a client may give an entry. The service counts on from there, below 2^31."""
EntryVersion = Annotated[int, Field(ge=-MAX_VERSION, le=MAX_VERSION), StrictNumber]
Fraction = Annotated[Number, Field(ge=0, le=1)]


class RecordCreate(WireModel):
    """Body of create record."""

    task_id: Id
    inspection_name: OptionalName = None
    executor_id: OptionalId = None
    reference_image_id: OptionalId = None
    progress: Percent | None = None
    start_time: RecordTime | None = None
    end_time: RecordTime | None = None
    inspection_status: Status | None = None


class RecordUpdate(WireModel):
    """Body of update record: only the fields sent change, null clears a nullable one."""

    task_id: Annotated[Id | None, NotNull] = None
    inspection_name: OptionalName = None
    executor_id: OptionalId = None
    reference_image_id: OptionalId = None
    progress: Annotated[Percent | None, NotNull] = None
    start_time: Annotated[RecordTime | None, NotNull] = None
    end_time: RecordTime | None = None
    inspection_status: Annotated[Status | None, NotNull] = None


class Record(WireModel):
    """A full inspection record, as create, get, update and search return it."""

    inspection_id: str
    inspection_name: str | None
    task_id: str
    executor_id: str | None
    executor_name: str | None
    reference_image_id: str | None
    reference_image_name: str | None
    progress: int
    start_time: RecordTime | None
    end_time: RecordTime | None
    inspection_status: Status
    status_name: str
    flight_id: str | None
    aircraft_id: str | None
    aircraft_name: str | None
    created_at: RecordTime
    updated_at: RecordTime


class Point(ExtensibleModel):
    """The marked region: fractions (0..1) of the upright reference image, or pixels when above 1."""

    x: Number
    y: Number
    w: Number
    h: Number


class FileInfo(ExtensibleModel):
    """A file of the service, as an item refers to it."""

    download_url: str | None = None
    filename: str | None = None
    ipfs_cid: str | None = None
    mime_type: str | None = None
    size: Number | None = None


class IgnoredArea(ExtensibleModel):
    """A part of the upright reference image that detection ignores, in fractions (0..1) of it."""

    x: Fraction
    y: Fraction
    w: Annotated[Fraction, Field(gt=0)]
    h: Annotated[Fraction, Field(gt=0)]

    @model_validator(mode="after")
    def _check_inside(self) -> Self:
        # Dividing by the size of an image can give slightly more than 1.
        if max(self.x + self.w, self.y + self.h) > 1 + 1e-6:
            raise ValueError("区域超出图片范围")
        return self


Row = Annotated[list[Number], Field(min_length=3, max_length=3)]
Homography = Annotated[list[Row], Field(min_length=3, max_length=3)]


def check_invertible(homography: Homography) -> None:
    """Raise ValueError if the homography has no inverse."""
    (a, b, c), (d, e, f), (g, h, i) = homography
    if abs(a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)) < 1e-12:
        raise ValueError("对齐矩阵不可逆")


class SetAlignment(ExtensibleModel):
    """The alignment that a person set for one photo, that of the file `photo_file_id`.

    `homography`: 3 x 3, px of the upright reference image -> px of the upright photo.
    """

    photo_file_id: Id
    homography: Homography

    @model_validator(mode="after")
    def _check_homography(self) -> Self:
        check_invertible(self.homography)
        return self


class Place(StrEnum):
    """Where a region lies in a photo: it is found by alignment, or photos are compared by their appearance.

    `FIXED`: the camera does not move, so it lies where it does in the reference image. `ANYWHERE`: so does
    the section of the photo, in which an object may lie anywhere.
    """

    ALIGN = "align"
    FIXED = "fixed"
    ANYWHERE = "anywhere"


class DetectionSettings(ExtensibleModel):
    """`item_point.detection`: the settings for this item, which override those of its model.

    `sensitivity`: 0 (few findings) .. 1 (many); `smallest`: the smallest defect that counts, in mm where the
    reference image has a scale, else in px of it; null leaves the model's own value.
    `alignment` is used in place of an alignment that is looked for, in its own photo only. `place`: null is
    `ALIGN`. An item keeps `detection` as a client wrote it; a detection reads it with this type and fails
    when it makes no sense.
    """

    sensitivity: Fraction | None = None
    smallest: Annotated[Number, Field(gt=0)] | None = None
    ignored: Annotated[list[IgnoredArea], Field(max_length=1000)] = Field(default_factory=list)
    alignment: SetAlignment | None = None
    place: Place | None = None


class ItemPoint(ExtensibleModel):
    """Marked region and reference file of an item; unknown keys are kept, and so is `detection`.

    `detection` is what `DetectionSettings` reads.
    """

    point: Point | None = None
    fileInfo: FileInfo | None = None  # noqa: N815 - the contract's name


class BoxPoints(ExtensibleModel):
    """Two corners in pixels of the upright input photo, half-open."""

    x1: Number
    y1: Number
    x2: Number
    y2: Number


class Box(ExtensibleModel):
    """One finding in a photo."""

    label: str
    confidence: Number
    points: BoxPoints


class ResultImage(ExtensibleModel):
    """The findings, and the rendered picture as an inner object."""

    boxes: list[Box] = Field(default_factory=list)
    resultImage: dict[str, Any] | None = None  # noqa: N815 - the contract's name


class ResultEntry(ExtensibleModel):
    """One result of an item. A person's decision is a separate entry with the key `verdict`."""

    inputImage: dict[str, Any] | None = None  # noqa: N815
    resultImage: ResultImage | None = None  # noqa: N815
    isPassed: StrictBool | None = None  # noqa: N815
    progress: str | None = None
    version: EntryVersion | None = None


class ItemCreate(WireModel):
    """Body of create item."""

    item_name: RequiredName
    inspection_id: Id
    description: OptionalText = None
    model_id: OptionalId = None
    item_point: Annotated[ItemPoint, CheckedJson] | None = None
    result: Annotated[list[ResultEntry], CheckedFindings] | None = None


class ItemUpdate(WireModel):
    """Body of update item: only the fields sent change, null clears a nullable one."""

    item_name: Annotated[RequiredName | None, NotNull] = None
    description: OptionalText = None
    model_id: OptionalId = None
    item_point: Annotated[ItemPoint, CheckedJson] | None = None
    result: Annotated[list[ResultEntry] | None, CheckedFindings, NotNull] = None


class Item(WireModel):
    """An inspection item."""

    item_id: str
    item_name: str
    inspection_id: str
    description: str | None
    model_id: str | None
    model_name: str | None
    model_description: str | None
    item_point: ItemPoint | None
    result: list[ResultEntry]
    created_at: ItemTime
    updated_at: ItemTime


class ItemOrderSet(WireModel):
    """Body of `PUT /inspection/{inspection_id}/item-order`: the items in the order of the walk."""

    item_ids: Annotated[list[Id], Field(max_length=10_000)]


class VerdictSet(WireModel):
    """Body of `POST /inspection_item/{item_id}/verdict`: the verdict and its reason."""

    verdict: Verdict
    reason: LongText | None = None


class CorrectedBox(Box):
    """A finding after a person's correction; a box that the person drew has the origin `person`.

    The service writes who drew it (`by`, `by_name`) or changed it (`corrected_by`, `corrected_by_name`).
    `confidence` is a number because the contract asks for one: of a finding that a person drew it says
    nothing.
    """

    origin: Origin
    accepted: StrictBool = False


class BoxesSet(WireModel):
    """Body of `POST /inspection_item/{item_id}/boxes`: the findings that replace those of `of_version`."""

    of_version: Annotated[int, Field(ge=-(2**31), lt=2**31), StrictNumber]
    boxes: Annotated[list[CorrectedBox], Field(max_length=10_000), CheckedFindings]


class PhotoAdd(WireModel):
    """Body of `POST /inspection_item/{item_id}/photos`: an uploaded file becomes a photo of the item.

    `refuse_used`: answer 409 `photo_used` if another record has a photo with this content.
    """

    file_id: Id
    refuse_used: StrictBool = False


class PhotoUse(WireModel):
    """Another record that has a photo with the same content."""

    inspection_id: str
    inspection_name: str | None


class TakenMark(StrEnum):
    """What is unusual about the time that a camera stored in a photo. No photo is refused because of it."""

    BEFORE_START = "before_start"
    """Before the record's start."""
    LONG_AFTER = "long_after"
    """More than a day after the record's end; without one, more than a week after its start."""
    FUTURE = "future"
    """After the photo was uploaded: the camera's clock was wrong."""


class Photo(WireModel):
    """A photo of an item; detection uses the newest one.

    `by_phone`: a phone sent it for the person who added it.
    `camera`: what the camera wrote into it, read from the stored content. `taken_mark`: what
    is odd about its time. Without an offset of the camera's clock it says only what holds in every zone.
    `used_in`: the first record that had a photo with this content before; None if no other record had.
    """

    photo_id: str
    item_id: str
    file: FileInfo
    file_id: str
    added_by: str | None
    added_by_name: str | None
    created_at: ItemTime
    by_phone: bool = False
    camera: CameraData | None = None
    taken_mark: TakenMark | None = None
    used_in: PhotoUse | None = None
