"""Calls the service for the photos and films of a record, and for uploads from a phone."""

from __future__ import annotations

from collections.abc import Sequence

from desktop.client.http.transport import Calls, segment
from shared.wire.phone import NewPhoneCode, PhoneCode, PhoneCodeCreate
from shared.wire.photos import (
    PhotoItemSet,
    PhotoItemsSet,
    RecordFilm,
    RecordFilmAdd,
    RecordPhoto,
    RecordPhotoAdd,
)

_OPEN_SECONDS = 90.0
"""The service tries for 60 s to open a film."""


class RecordPhotos(Calls):
    """Photos that belong to a record."""

    def add(self, inspection_id: str, file_id: str, *, refuse_used: bool = False) -> RecordPhoto:
        """Add an uploaded image to the record. An existing photo is returned unchanged.

        Raises NotFound when the record or the file does not exist, Unsupported when the file is not an image,
        Conflict when the record is sealed, when the image is its reference image and, with `refuse_used`,
        with the code `photo_used` when another record has the photo.
        """
        body = RecordPhotoAdd(file_id=file_id, refuse_used=refuse_used)
        path = f"/inspection/{segment(inspection_id)}/record-photos"
        return self._transport.call("POST", path, body=body, repeatable=True).data(RecordPhoto)

    def list(self, inspection_id: str) -> Sequence[RecordPhoto]:
        """The photos of the record, newest first. Raises NotFound."""
        return self._transport.get(f"/inspection/{segment(inspection_id)}/record-photos", list[RecordPhoto])

    def match(self, inspection_id: str, photo_id: str, wait: float = 0.0) -> RecordPhoto:
        """Find the regions that the photo shows, and wait up to `wait` seconds for the end; 0 does not wait.

        While its state is `waiting`, the matching is running. Another call does not start a second one.
        Raises NotFound, Conflict when the record is sealed.
        """
        return self._transport.call(
            "POST",
            f"{_path(inspection_id, photo_id)}/match",
            query={"wait": wait or None},
            seconds=wait + 30,
            repeatable=True,
        ).data(RecordPhoto)

    def assign(self, inspection_id: str, photo_id: str, items: Sequence[PhotoItemSet]) -> RecordPhoto:
        """Assign the photo to exactly these items. Existing results stay.

        Raises NotFound when the record has no such photo or item, Conflict when it is sealed.
        """
        body = PhotoItemsSet(items=list(items))
        answer = self._transport.call("PUT", f"{_path(inspection_id, photo_id)}/items", body=body)
        return answer.data(RecordPhoto)

    def delete(self, inspection_id: str, photo_id: str, *, confirmed: bool = False) -> None:
        """Remove the photo from the record and all of its items. The file and the results stay.

        Raises NotFound. Unless `confirmed`, raises Conflict with the code `photo_in_use` (details `count` and
        `items`, each with `item_id` and `item_name`) when results or verdicts of items are based on it.
        """
        query = {"confirmed": "true"} if confirmed else None
        self._transport.call("DELETE", _path(inspection_id, photo_id), query=query)


def _path(inspection_id: str, photo_id: str) -> str:
    return f"/inspection/{segment(inspection_id)}/record-photos/{segment(photo_id)}"


class Films(Calls):
    """Films that are kept with a record."""

    def add(self, inspection_id: str, file_id: str) -> RecordFilm:
        """Keep an uploaded film with the record. One that is kept already is returned unchanged.

        Raises NotFound, Conflict when the record is sealed or void, Unsupported when the service cannot open
        the film.
        """
        answer = self._transport.call(
            "POST",
            _films(inspection_id),
            body=RecordFilmAdd(file_id=file_id).model_dump(mode="json"),
            seconds=_OPEN_SECONDS,
            repeatable=True,
        )
        return answer.data(RecordFilm)

    def list(self, inspection_id: str) -> Sequence[RecordFilm]:
        """The films of the record, newest first. Raises NotFound."""
        return self._transport.call("GET", _films(inspection_id)).data(list[RecordFilm])

    def delete(self, inspection_id: str, film_id: str) -> None:
        """Remove a film from the record. Raises NotFound, Conflict when the record is sealed."""
        self._transport.call("DELETE", f"{_films(inspection_id)}/{segment(film_id)}")


def _films(inspection_id: str) -> str:
    return f"/inspection/{segment(inspection_id)}/films"


class Phones(Calls):
    """The codes with which phones add photos for the user."""

    def create(
        self, inspection_id: str, item_id: str | None = None, *, open_network: bool = False
    ) -> NewPhoneCode:
        """Create a code for a record or one of its items. Only this answer contains its token.

        Raises NotFound, Conflict when the record is sealed or there are too many codes.
        """
        body = PhoneCodeCreate(inspection_id=inspection_id, item_id=item_id, open_network=open_network)
        return self._transport.call("POST", "/phone/codes", body=body).data(NewPhoneCode)

    def get(self, code_id: str) -> PhoneCode:
        """The present state of a code. Raises NotFound."""
        return self._transport.get(f"/phone/codes/{segment(code_id)}", PhoneCode)

    def end(self, code_id: str) -> None:
        """End a code immediately. Raises NotFound."""
        self._transport.call("DELETE", f"/phone/codes/{segment(code_id)}")
