"""Bodies of the memory of a region: the photos that it was learned from, and what may be changed about it."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field, StrictBool

from shared.wire.common import Id, ItemTime, NotNull, StrictNumber, WireModel
from shared.wire.inspection import Place

MAX_REQUIRED_PHOTOS = 20
"""The largest number of photos that a planner can require for a memory."""
MAX_MEMORY_PHOTOS = 200
"""Photos in the list of a memory (the newest), and in one change of it."""


class MemoryKind(StrEnum):
    """Why a photo is part of a memory."""

    PASSED = "passed"
    """A person passed the item with this photo."""
    REJECTED = "rejected"
    """A person rejected findings in this photo as not a defect."""
    FAILED = "failed"
    """A person failed the item with this photo. The memory never explains findings similar to those in it."""


class MemoryReason(StrEnum):
    """Why a finding is reported although the memory of its region explains all or part of it."""

    NEW_LINE = "new_line"
    """It has a thin dark line, like a crack, and too few photos show a similar one."""
    LASTING = "lasting"
    """It appeared and stayed, or it grows."""
    FAILED = "failed"
    """It is similar to a finding for which a person failed an item."""
    UNUSUAL = "unusual"
    """It looks unlike all photos that passed, whatever differences they showed."""
    REST = "rest"
    """It is the part that the memory does not explain."""


class MemoryStatus(StrEnum):
    """Whether a detection uses a memory."""

    COUNTS = "counts"
    TOO_FEW = "too_few"
    """Fewer photos than required."""
    FROZEN = "frozen"
    """It counts, with the photos that were decided before it was frozen."""
    EMPTY = "empty"


class MemoryPhoto(WireModel):
    """A photo of a memory.

    `record_name` is the name in lists of records. `decided_by` is the name of the person whose decision made
    it part of the memory. `differences`: in how many places it differs from the reference image, null if it
    was not compared. Who left it out of the memory, and when, are null unless it is `left_out`.
    """

    file_id: str
    inspection_id: str
    item_id: str
    record_name: str | None
    taken_at: ItemTime | None
    decided_at: ItemTime | None
    decided_by: str | None
    kind: MemoryKind
    differences: int | None
    left_out: bool
    left_out_by: str | None
    left_out_at: ItemTime | None


class MemoryState(WireModel):
    """The memory of the region of an item, which all records on the same reference image share.

    `photos`: the newest first. `required`: the number of passed photos before it counts. `begins_at`: when it
    was reset; only photos decided later belong to it. `disagreements`: x, y, w, h in fractions of the
    reference image, where nearly all newer photos differ from it. `proposed_place`: what suits the passed
    photos in the detection settings, null until `required` photos are compared. `version`: of the comparison
    method. `can_change`: the caller may leave photos out, `can_require`: the caller may also freeze it, start
    it over and set `required`.
    """

    item_id: str
    reference_file_id: str | None
    state: MemoryStatus
    photos: list[MemoryPhoto]
    required: int
    frozen_at: ItemTime | None
    frozen_by: str | None
    begins_at: ItemTime | None
    disagreements: list[tuple[float, float, float, float]]
    proposed_place: Place | None
    version: int
    can_change: bool
    can_require: bool


class MemoryChange(WireModel):
    """Body of change memory: what is to change.

    `left_out`: by the ids of files, whether the photo is left out. `start_over`: the photos decided until now
    no longer belong to the memory.
    """

    frozen: Annotated[StrictBool | None, NotNull] = None
    required: Annotated[Annotated[int, Field(ge=1, le=MAX_REQUIRED_PHOTOS), StrictNumber] | None, NotNull] = (
        None
    )
    left_out: Annotated[
        Annotated[dict[Id, StrictBool], Field(max_length=MAX_MEMORY_PHOTOS)] | None, NotNull
    ] = None
    start_over: StrictBool = False
