"""Calls the service for aircraft, flights, tasks and reference images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from pydantic import BaseModel

from desktop.client.http.answers import Versioned
from desktop.client.http.transport import Transport, segment
from shared.wire.catalogue import (
    Aircraft,
    AircraftWrite,
    Flight,
    FlightWrite,
    ReferenceImage,
    ReferenceImageWrite,
    Task,
    TaskWrite,
    TemplateRegion,
)
from shared.wire.common import Envelope, Page

Read = TypeVar("Read", bound=BaseModel)
Write = TypeVar("Write", bound=BaseModel)


class Entries(Generic[Read, Write]):
    """The entries of one kind in the catalogue. All kinds have the same operations."""

    def __init__(self, transport: Transport, kind: str, read: type[Read]) -> None:
        self._transport = transport
        self._path = f"/catalogue/{kind}"
        self._entry = Envelope[read]  # type: ignore[valid-type]
        self._page = Envelope[Page[read]]  # type: ignore[valid-type]

    def list(self, page: int = 1, page_size: int = 50, q: str | None = None, **of: str | None) -> Page[Read]:
        """One page of the entries, newest first.

        `q` is a part of the name, or of the name of the flight or aircraft that an entry belongs to. `of`
        filters by the owner, such as `aircraft_id="..."`.
        """
        query = {"current_page": page, "page_size": page_size, "q": q or None, **of}
        return self._transport.call("GET", self._path, query=query).read(self._page).data

    def get(self, entry_id: str) -> Read:
        """An entry. Raises NotFound."""
        return self.get_versioned(entry_id).value

    def get_versioned(self, entry_id: str) -> Versioned[Read]:
        """An entry with its version, which is needed to refuse stale changes. Raises NotFound."""
        answer = self._transport.call("GET", f"{self._path}/{segment(entry_id)}")
        return Versioned(answer.read(self._entry).data, answer.etag)

    def create(self, body: Write) -> Read:
        """Create an entry."""
        sent = body
        return self._transport.call("POST", self._path, body=sent).read(self._entry).data

    def update(self, entry_id: str, body: Write, etag: str | None = None) -> Read:
        """Update an entry. Only the fields that are set in `body` change.

        Raises Stale when `etag` is given and is not the newest. Its `details` contain `current`, the present
        entry, and its `etag`.
        """
        sent = body
        answer = self._transport.call("PUT", f"{self._path}/{segment(entry_id)}", body=sent, etag=etag)
        return answer.read(self._entry).data

    def delete(self, entry_id: str, etag: str | None = None) -> None:
        """Delete an entry. Raises Conflict while other objects refer to it, Stale as `update` does."""
        self._transport.call("DELETE", f"{self._path}/{segment(entry_id)}", etag=etag)


class ReferenceImages(Entries[ReferenceImage, ReferenceImageWrite]):
    """The reference images with their templates."""

    def __init__(self, transport: Transport) -> None:
        super().__init__(transport, "reference-images", ReferenceImage)

    def set_template(
        self, reference_image_id: str, regions: Sequence[TemplateRegion], etag: str | None = None
    ) -> ReferenceImage:
        """Save `regions` as the template of the reference image. Raises Stale as `update` does."""
        body = {"template": [region.model_dump(mode="json") for region in regions]}
        path = f"{self._path}/{segment(reference_image_id)}/template"
        return self._transport.call("POST", path, body=body, etag=etag).data(ReferenceImage)


class Catalogue:
    """The catalogue, which records refer to."""

    def __init__(self, transport: Transport) -> None:
        self.aircraft: Entries[Aircraft, AircraftWrite] = Entries(transport, "aircraft", Aircraft)
        self.flights: Entries[Flight, FlightWrite] = Entries(transport, "flights", Flight)
        self.tasks: Entries[Task, TaskWrite] = Entries(transport, "tasks", Task)
        self.reference_images = ReferenceImages(transport)
