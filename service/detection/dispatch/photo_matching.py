"""Has the compute process find the regions that a photo of a record shows."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from service.detection.compute.place_search import PlacesRequest
from service.detection.dispatch.dispatcher import Dispatcher
from service.detection.dispatch.store_waiting import with_store
from service.detection.failure import DetectionFailed
from service.detection.ports import MatchRegion, Ports
from service.workers.child import ProcessDied
from shared.wire.photos import PhotoMatch


class PhotoMatching:
    """Matches photos in turn with the detections."""

    def __init__(self, ports: Ports, dispatcher: Dispatcher) -> None:
        self._ports = ports
        self._dispatcher = dispatcher

    async def match(
        self, file_id: str, regions: Sequence[MatchRegion]
    ) -> tuple[str | None, list[PhotoMatch]]:
        """The matches of those of the regions that were found in a photo, in their order.

        With the code of what was in the way (`service.detection.failure.MESSAGES`), or None.
        """
        try:
            readable, question = await with_store(lambda: asyncio.to_thread(self._question, file_id, regions))
        except FileNotFoundError:
            return "file_lost", []
        except DetectionFailed as failed:
            return failed.code, []
        try:
            answer = await self._dispatcher.match(question)
        except ProcessDied as died:
            return ("timed_out" if died.timed_out else "worker_died"), []
        if answer["event"] != "matched":
            return (answer["error"] if answer["event"] == "failed" else "internal"), []
        pairs = zip(readable, answer["places"], strict=True)
        return None, [
            PhotoMatch(item_id=region.item_id, **place) for region, place in pairs if place is not None
        ]

    def _question(
        self, file_id: str, regions: Sequence[MatchRegion]
    ) -> tuple[list[MatchRegion], PlacesRequest]:
        """The regions whose reference file is there, and the request for their places."""
        photo = str(self._ports.path(file_id))
        paths: dict[str, str | None] = {}
        for region in regions:
            if region.reference_file_id not in paths:
                paths[region.reference_file_id] = self._path(region.reference_file_id)
        pairs = [(region, paths[region.reference_file_id]) for region in regions]
        readable = tuple((path, region.point) for region, path in pairs if path is not None)
        return [region for region, path in pairs if path is not None], PlacesRequest(photo, readable)

    def _path(self, file_id: str) -> str | None:
        try:
            return str(self._ports.path(file_id))
        except FileNotFoundError:
            return None
