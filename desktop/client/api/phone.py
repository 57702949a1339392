"""Calls the service for phones as cameras: codes that connect a phone to a record."""

from __future__ import annotations

from desktop.client.http.transport import Transport, segment
from shared.wire.common import Envelope
from shared.wire.phone import NewPhoneCode, PhoneCode, PhoneCodeCreate


class Phones:
    """The codes with which phones add photos for the user."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self, inspection_id: str, item_id: str | None = None, *, open_network: bool = False
    ) -> NewPhoneCode:
        """Create a code for a record or one of its items. Only this answer contains its token.

        Raises NotFound, Conflict when the record is sealed or there are too many codes.
        """
        body = PhoneCodeCreate(inspection_id=inspection_id, item_id=item_id, open_network=open_network)
        answer = self._transport.call("POST", "/phone/codes", body=body.model_dump(mode="json"))
        return answer.read(Envelope[NewPhoneCode]).data

    def get(self, code_id: str) -> PhoneCode:
        """The present state of a code. Raises NotFound."""
        answer = self._transport.call("GET", f"/phone/codes/{segment(code_id)}")
        return answer.read(Envelope[PhoneCode]).data

    def end(self, code_id: str) -> None:
        """End a code immediately. Raises NotFound."""
        self._transport.call("DELETE", f"/phone/codes/{segment(code_id)}")
