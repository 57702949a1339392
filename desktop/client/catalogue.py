"""Aircraft, flights, tasks and reference images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from pydantic import BaseModel

from desktop.client.transport import Transport, segment
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
        self._one = Envelope[read]  # type: ignore[valid-type]
        self._page = Envelope[Page[read]]  # type: ignore[valid-type]

    def list(self, page: int = 1, page_size: int = 50, q: str | None = None, **of: str | None) -> Page[Read]:
        """One page, newest first; `q` filters by name, `of` by what they belong to (`aircraft_id="..."`)."""
        query = {"current_page": page, "page_size": page_size, "q": q or None, **of}
        return self._transport.call("GET", self._path, query=query).read(self._page).data

    def get(self, entry_id: str) -> Read:
        """One of them. Raises NotFound."""
        return self._transport.call("GET", f"{self._path}/{segment(entry_id)}").read(self._one).data

    def create(self, body: Write) -> Read:
        """Make one."""
        sent = body.model_dump(mode="json", exclude_unset=True)
        return self._transport.call("POST", self._path, body=sent).read(self._one).data

    def update(self, entry_id: str, body: Write) -> Read:
        """Write one anew; only the fields set in `body` change."""
        sent = body.model_dump(mode="json", exclude_unset=True)
        answer = self._transport.call("PUT", f"{self._path}/{segment(entry_id)}", body=sent)
        return answer.read(self._one).data

    def delete(self, entry_id: str) -> None:
        """Delete one. Raises Conflict while others refer to it."""
        self._transport.call("DELETE", f"{self._path}/{segment(entry_id)}")


class ReferenceImages(Entries[ReferenceImage, ReferenceImageWrite]):
    """Reference images, with the template that a new record starts from."""

    def __init__(self, transport: Transport) -> None:
        super().__init__(transport, "reference-images", ReferenceImage)

    def set_template(self, reference_image_id: str, regions: Sequence[TemplateRegion]) -> ReferenceImage:
        """Keep `regions` as the template of the reference image."""
        body = {"template": [region.model_dump(mode="json") for region in regions]}
        path = f"{self._path}/{segment(reference_image_id)}/template"
        return self._transport.call("POST", path, body=body).read(Envelope[ReferenceImage]).data


class Catalogue:
    """What records refer to."""

    def __init__(self, transport: Transport) -> None:
        self.aircraft: Entries[Aircraft, AircraftWrite] = Entries(transport, "aircraft", Aircraft)
        self.flights: Entries[Flight, FlightWrite] = Entries(transport, "flights", Flight)
        self.tasks: Entries[Task, TaskWrite] = Entries(transport, "tasks", Task)
        self.reference_images = ReferenceImages(transport)
