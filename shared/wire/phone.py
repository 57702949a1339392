"""Bodies of the phone as camera: codes that connect a phone to a record, and the photos that it sends."""

from enum import StrEnum
from typing import Annotated, Final

from pydantic import Field, StrictBool, StringConstraints

from shared.wire.common import Id, ItemTime, RequiredName, WireModel

MAX_PHOTO_BYTES: Final = 64 * 2**20
"""Bytes of a photo from a phone. A photo of 200 megapixels has about 50 MB."""

MAX_PART_BYTES: Final = 2**20
"""Bytes of a part of a photo. Parts that have arrived are not sent again."""

MAX_CODES: Final = 10
"""Valid codes of one user."""

MAX_PHOTOS: Final = 500
"""Photos of one code."""

CODE_SECONDS: Final = 15 * 60
"""Seconds that a code is valid after its creation or its last photo."""

MAX_CODE_SECONDS: Final = 2 * 3600
"""Seconds after its creation at which a code expires even if photos arrive."""


class CodeEnd(StrEnum):
    """Why a code has ended."""

    ENDED = "ended"
    """The user who created it, or an administrator, ended it."""
    EXPIRED = "expired"
    SEALED = "sealed"
    """The record was finished."""
    DELETED = "deleted"
    """The record or the item was deleted."""
    LOGGED_OUT = "logged_out"
    """The session of the user who created it has ended."""
    NO_RIGHT = "no_right"
    """The user who created it no longer has the permission to add photos."""


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
    """A newly created code, in the only answer that contains the token.

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
"""A secret that the phone creates and stores. It proves that this phone claimed the code."""


class PhoneClaim(WireModel):
    """Body of claim: the first phone that sends a token claims its code, and no other phone can use it."""

    token: Token
    key: PhoneKey


class UploadState(StrEnum):
    """The state of a photo from a phone."""

    RECEIVING = "receiving"
    ARRIVED = "arrived"
    """It is a photo of the item or the record."""
    REFUSED = "refused"
    """The service rejected it; `reason` says why."""


class PhoneUploadCreate(WireModel):
    """Body of begin upload; the phone chooses `upload_id` and sends it again to resume."""

    upload_id: Annotated[str, StringConstraints(min_length=8, max_length=36, pattern=r"^[A-Za-z0-9-]+$")]
    name: RequiredName
    size: Annotated[int, Field(ge=1, le=MAX_PHOTO_BYTES)]
    item_id: Id | None = None


class PhoneUpload(WireModel):
    """A photo that is being uploaded: `received` of `size` bytes have arrived.

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
