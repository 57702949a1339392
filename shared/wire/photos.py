"""Bodies of the photos of a record: what they show, and the items that they are photos of."""

from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, StrictBool, model_validator

from shared.wire.common import Id, ItemTime, WireModel
from shared.wire.files import CameraData, StoredFile
from shared.wire.inspection import FileInfo, Homography, PhotoUse, TakenMark, check_invertible

MAX_PHOTO_ITEMS = 1000
"""Items that a photo can be assigned to."""


class PhotoState(StrEnum):
    """The state of matching a photo with the regions of its record."""

    WAITING = "waiting"
    """Not matched yet, or the matching is under way."""
    MATCHED = "matched"
    """It covers at least one region."""
    UNMATCHED = "unmatched"
    """It covers no region."""
    FAILED = "failed"
    """It could not be matched; `error` says why."""


class Assigned(StrEnum):
    """Who assigned a photo to an item."""

    ALIGNMENT = "alignment"
    PERSON = "person"


PhotoPoint = Annotated[list[float], Field(min_length=2, max_length=2)]
Corners = Annotated[list[PhotoPoint], Field(min_length=4, max_length=4)]
"""x, y of the corners of a region in px of the upright photo, clockwise from the region's top left."""


class PhotoMatch(WireModel):
    """The result of matching for one item.

    `visible`: the share of the region that lies inside the photo, 0..1. `score`: the share of the structure
    around it that agrees, 0..1. `homography`: 3 x 3, px of the upright reference image -> px of the upright
    photo. `covered`: the photo shows the region; if not, this is only where it would lie.
    """

    item_id: str
    visible: float
    score: float
    homography: Homography
    corners: Corners
    covered: bool


class PhotoItem(WireModel):
    """An item to which a photo of the record is assigned.

    `photo_id` is the photo in the list of the item. `homography` and `corners` as in `PhotoMatch`; null
    where a person assigned the photo without saying where the region lies.
    """

    item_id: str
    item_name: str
    photo_id: str
    assigned: Assigned
    homography: Homography | None
    corners: Corners | None


class RecordPhoto(WireModel):
    """A photo of a record. One without `items` waits until a person assigns or deletes it.

    `width` and `height` are px of the upright photo. `matches` has the items for whose region a place was
    found, `items` those that it is assigned to, both in the order of the items. `matches` is null before the
    first matching and leaves out items whose region or reference image changed since. `error` is a stable
    code, `message` its sentence. `by_phone`, `camera`, `taken_mark` and `used_in` as in `Photo`.
    """

    photo_id: str
    inspection_id: str
    file: FileInfo
    file_id: str
    width: int | None
    height: int | None
    added_by: str | None
    added_by_name: str | None
    created_at: ItemTime
    state: PhotoState
    error: str | None
    message: str | None
    matches: list[PhotoMatch] | None
    items: list[PhotoItem]
    by_phone: bool = False
    camera: CameraData | None = None
    taken_mark: TakenMark | None = None
    used_in: PhotoUse | None = None


class RecordPhotoAdd(WireModel):
    """Body of `POST /inspection/{inspection_id}/record-photos`: an uploaded file becomes a photo.

    `refuse_used`: answer 409 `photo_used` if another record has a photo with this content.
    """

    file_id: Id
    refuse_used: StrictBool = False


class RecordFilm(WireModel):
    """A film that is kept with a record, as a file: it is no photo. `file` has its name, size and SHA-256."""

    film_id: str
    inspection_id: str
    file: StoredFile
    added_by: str | None
    added_by_name: str | None
    created_at: ItemTime


class RecordFilmAdd(WireModel):
    """Body of `POST /inspection/{inspection_id}/films`: an uploaded film is kept with the record."""

    file_id: Id


class PhotoItemSet(WireModel):
    """An item to which a photo is assigned.

    `homography`: the alignment that a person set. Without it, an existing assignment stays as
    it is, and a new one uses the result of matching.
    """

    item_id: Id
    homography: Homography | None = None

    @model_validator(mode="after")
    def _check_homography(self) -> Self:
        if self.homography is not None:
            check_invertible(self.homography)
        return self


class PhotoItemsSet(WireModel):
    """Body of `PUT /inspection/{inspection_id}/record-photos/{photo_id}/items`: exactly these items."""

    items: Annotated[list[PhotoItemSet], Field(max_length=MAX_PHOTO_ITEMS)]
