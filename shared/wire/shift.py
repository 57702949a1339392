"""Bodies of what a shift does: work that is to be done, handing records over, comments."""

from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, StringConstraints, model_validator

from shared.wire.common import Id, ItemTime, Number, WireModel

ShiftText = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=2000, pattern=r"^[^\x00]*$"),
]
_Fraction = Annotated[Number, Field(ge=0, le=1)]
MAX_COUNT = 1000
"""Work is counted up to this number."""


class Work(StrEnum):
    """What is to be done with a record.

    `MINE`: open records of the user. `OPEN`: not sealed and not cancelled. `UNDECIDED`: open, with a detected
    item that has no verdict. `REVIEW`: finished, awaits release. `FAILED`: with a failed item or failed, and
    no later record of its reference image passed. `NEWS`: changed by someone else since the user's last login
    before this one.
    """

    MINE = "mine"
    OPEN = "open"
    UNDECIDED = "undecided"
    REVIEW = "review"
    FAILED = "failed"
    NEWS = "news"


class WorkCounts(WireModel):
    """How many records there are of each kind of work, at most `MAX_COUNT`.

    `since`: the last login before this one, to which `news` refers; null if there was none.
    """

    mine: int
    open: int
    undecided: int
    review: int
    failed: int
    news: int
    since: ItemTime | None


class Inspector(WireModel):
    """A user to whom a record can be handed over."""

    user_id: str
    name: str


class HandoverWrite(WireModel):
    """Body of `POST /inspection/{inspection_id}/handovers`: who goes on, and a note for that person."""

    given_to: Id
    note: ShiftText


class Handover(WireModel):
    """A record that was handed over."""

    handover_id: str
    given_by: str
    given_by_name: str | None
    given_to: str
    given_to_name: str | None
    note: str
    created_at: ItemTime


class CommentWrite(WireModel):
    """Body of `POST /inspection/{inspection_id}/comments`.

    The place is a fraction (0..1) of the upright photo with `file_id`; without the three it is a comment on
    the item.
    """

    item_id: Id
    text: ShiftText
    file_id: Id | None = None
    x: _Fraction | None = None
    y: _Fraction | None = None

    @model_validator(mode="after")
    def _check_place(self) -> Self:
        if len({value is None for value in (self.file_id, self.x, self.y)}) > 1:
            raise ValueError("位置需要 file_id、x 和 y")
        return self


class CommentUpdate(WireModel):
    """Body of `PUT /inspection/{inspection_id}/comments/{comment_id}`."""

    text: ShiftText


class Comment(WireModel):
    """A comment on an item of a record."""

    comment_id: str
    item_id: str
    file_id: str | None
    x: float | None
    y: float | None
    text: str
    written_by: str
    written_by_name: str | None
    created_at: ItemTime
