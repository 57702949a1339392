"""Bodies of the phone as camera: codes that connect a phone to a record, and the photos that it sends."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final

from pydantic import Field, StrictBool, StringConstraints

from shared.wire.common import Id, ItemTime, RequiredName, WireModel

MOST_PHOTO_BYTES: Final = 64 * 2**20
"""A photo of a phone has no more bytes: those of 200 megapixels have about 50 MB."""

MOST_PART_BYTES: Final = 2**20
"""A photo is sent in parts of at most so many bytes; what has arrived is not sent again."""

MOST_CODES: Final = 10
"""So many codes of one person connect phones at a time."""

MOST_PHOTOS: Final = 500
"""So many photos are sent with one code."""

CODE_SECONDS: Final = 15 * 60
"""How long a code is valid; from the last photo that arrived, it is so long again."""

LONGEST_SECONDS: Final = 2 * 3600
"""No code is valid for longer, however many photos arrive."""


class CodeEnd(StrEnum):
    """Why a code has ended."""

    ENDED = "ended"
    """Its maker or an administrator ended it."""
    EXPIRED = "expired"
    SEALED = "sealed"
    """The record was finished."""
    DELETED = "deleted"
    """The record or the item is gone."""
    LOGGED_OUT = "logged_out"
    """The login of its maker has ended."""
    NO_RIGHT = "no_right"
    """Its maker may not add photos any more."""


class PhoneCodeCreate(WireModel):
    """Body of create code. Without `item_id` the code is for the whole record.

    `open_network`: a service that only this machine reaches answers phones in the local network, over TLS,
    for as long as there are codes. Only a client on the same machine may ask for it.
    """

    inspection_id: Id
    item_id: Id | None = None
    open_network: StrictBool = False


class PhoneCode(WireModel):
    """A code and the phone that it connects.

    `claimed_at`: when a phone opened it, `seen_at`: when that phone was last heard of, `phone`: what kind of
    phone it says it is. `arrived`, `sending` and `refused` count its photos. `ended`: null while it is valid.
    """

    code_id: str
    inspection_id: str
    item_id: str | None
    made_by: str
    made_by_name: str | None
    created_at: ItemTime
    expires_at: ItemTime
    seconds_left: int
    ended: CodeEnd | None
    claimed_at: ItemTime | None
    seen_at: ItemTime | None
    phone: str | None
    arrived: int
    sending: int
    refused: int


class NewPhoneCode(PhoneCode):
    """A code as its create answers it: the only answer that holds the token.

    `addresses`: where phones may reach the service, the most likely one first; empty when only this machine
    does. A phone opens an address with `/phone#` and the token. `fingerprint`: that of the certificate that
    the service made itself, of which the phone warns; null otherwise. `can_open_network`: a create with
    `open_network` would make it reachable.
    """

    token: str
    addresses: list[str]
    fingerprint: str | None
    can_open_network: bool


Token = Annotated[str, StringConstraints(min_length=20, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
PhoneKey = Annotated[str, StringConstraints(min_length=32, max_length=128, pattern=r"^[A-Za-z0-9_-]+$")]
"""A secret that the phone makes and keeps: with it, it stays the one that claimed the code."""


class PhoneClaim(WireModel):
    """Body of claim: the first phone that sends a token has its code, and only that phone may come again."""

    token: Token
    key: PhoneKey


class UploadState(StrEnum):
    """How far a photo from a phone is."""

    RECEIVING = "receiving"
    ARRIVED = "arrived"
    """It is a photo of the item or the record."""
    REFUSED = "refused"
    """It cannot be one; `reason` says why."""


class PhoneUploadCreate(WireModel):
    """Body of begin upload; the phone chooses `upload_id` and sends it again to resume."""

    upload_id: Annotated[str, StringConstraints(min_length=8, max_length=36, pattern=r"^[A-Za-z0-9-]+$")]
    name: RequiredName
    size: Annotated[int, Field(ge=1, le=MOST_PHOTO_BYTES)]
    item_id: Id | None = None


class PhoneUpload(WireModel):
    """A photo on its way: `received` of `size` bytes are there.

    `item_id`: the item it was taken for; null: the record. `error` is the stable code of a refusal, `reason`
    its sentence.
    """

    upload_id: str
    name: str
    item_id: str | None
    size: int
    received: int
    state: UploadState
    error: str | None
    reason: str | None


class PhoneItem(WireModel):
    """An item as the phone shows it: `photos` it has; `has_picture`: its region is marked on an image."""

    item_id: str
    item_name: str
    photos: int
    has_picture: bool


class PhoneView(WireModel):
    """What the phone shows. `items` in their order; only the chosen one for a code with `item_id`."""

    code_id: str
    inspection_id: str
    record_name: str | None
    made_by_name: str | None
    item_id: str | None
    seconds_left: int
    items: list[PhoneItem]
    uploads: list[PhoneUpload]
