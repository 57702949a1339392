"""Calls the service for aircraft, flights, tasks and reference images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from pydantic import BaseModel

from desktop.client.http.transport import Transport, Versioned, segment
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
    """One kind of thing in the catalogue; all kinds have the same operations."""

    def __init__(self, transport: Transport, kind: str, read: type[Read]) -> None:
        self._transport = transport
        self._path = f"/catalogue/{kind}"
        self._entry = Envelope[read]  # type: ignore[valid-type]
        self._page = Envelope[Page[read]]  # type: ignore[valid-type]

    def list(self, page: int = 1, page_size: int = 50, q: str | None = None, **of: str | None) -> Page[Read]:
        """One page, newest first.

        `q` is a part of the name, or of the name of the flight or aircraft they belong to; `of` filters by
        what they belong to (`aircraft_id="..."`).
        """
        query = {"current_page": page, "page_size": page_size, "q": q or None, **of}
        return self._transport.call("GET", self._path, query=query).read(self._page).data

    def get(self, entry_id: str) -> Read:
        """One of them. Raises NotFound."""
        return self.tagged(entry_id).value

    def tagged(self, entry_id: str) -> Versioned[Read]:
        """One of them with its version, so that a change can be refused when it is stale. Raises NotFound."""
        answer = self._transport.call("GET", f"{self._path}/{segment(entry_id)}")
        return Versioned(answer.read(self._entry).data, answer.etag)

    def create(self, body: Write) -> Read:
        """Make one."""
        sent = body.model_dump(mode="json", exclude_unset=True)
        return self._transport.call("POST", self._path, body=sent).read(self._entry).data

    def update(self, entry_id: str, body: Write, etag: str | None = None) -> Read:
        """Update an entry; only the fields set in `body` change.

        Raises Stale when `etag` is given and is not the newest: its `details` hold `current`, the entry as it
        is now, and its `etag`.
        """
        sent = body.model_dump(mode="json", exclude_unset=True)
        answer = self._transport.call("PUT", f"{self._path}/{segment(entry_id)}", body=sent, etag=etag)
        return answer.read(self._entry).data

    def delete(self, entry_id: str, etag: str | None = None) -> None:
        """Delete one. Raises Conflict while others refer to it, Stale as `update` does."""
        self._transport.call("DELETE", f"{self._path}/{segment(entry_id)}", etag=etag)


class ReferenceImages(Entries[ReferenceImage, ReferenceImageWrite]):
    """Reference images, with the template that a new record starts from."""

    def __init__(self, transport: Transport) -> None:
        super().__init__(transport, "reference-images", ReferenceImage)

    def set_template(
        self, reference_image_id: str, regions: Sequence[TemplateRegion], etag: str | None = None
    ) -> ReferenceImage:
        """Keep `regions` as the template of the reference image. Raises Stale as `update` does."""
        body = {"template": [region.model_dump(mode="json") for region in regions]}
        path = f"{self._path}/{segment(reference_image_id)}/template"
        answer = self._transport.call("POST", path, body=body, etag=etag)
        return answer.read(Envelope[ReferenceImage]).data


class Catalogue:
    """What records refer to."""

    def __init__(self, transport: Transport) -> None:
        self.aircraft: Entries[Aircraft, AircraftWrite] = Entries(transport, "aircraft", Aircraft)
        self.flights: Entries[Flight, FlightWrite] = Entries(transport, "flights", Flight)
        self.tasks: Entries[Task, TaskWrite] = Entries(transport, "tasks", Task)
        self.reference_images = ReferenceImages(transport)
