"""Finds the regions that a photo of a record shows, in the compute process."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from service.detection.dispatch.dispatcher import Dispatcher
from service.detection.dispatch.store_waiting import retry_store
from service.detection.failure import DetectionFailed
from service.detection.messages import PlacesRequest
from service.files.service import FilesService
from service.inspection.records.matches import MatchRegion
from service.workers.child import ProcessDied
from shared.wire.photos import PhotoMatch


class PhotoMatching:
    """Matches photos; a matching takes turns with the detections."""

    def __init__(self, files: FilesService, dispatcher: Dispatcher) -> None:
        self._files = files
        self._dispatcher = dispatcher

    async def match(
        self, file_id: str, regions: Sequence[MatchRegion]
    ) -> tuple[str | None, list[PhotoMatch]]:
        """An error code, and the matches of the regions that were found in a photo, in their order.

        The code is one of `service.detection.failure.MESSAGES`, None if the matching succeeded.
        """
        try:
            readable, question = await retry_store(
                lambda: asyncio.to_thread(self._places_request, file_id, regions)
            )
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

    def _places_request(
        self, file_id: str, regions: Sequence[MatchRegion]
    ) -> tuple[list[MatchRegion], PlacesRequest]:
        """The regions whose reference file exists, and the request for their places."""
        photo = str(self._files.path(file_id))
        paths: dict[str, str | None] = {}
        for region in regions:
            if region.reference_file_id not in paths:
                paths[region.reference_file_id] = self._path(region.reference_file_id)
        readable = [region for region in regions if paths[region.reference_file_id] is not None]
        places = tuple((str(paths[region.reference_file_id]), region.point) for region in readable)
        fixed = tuple(number for number, region in enumerate(readable) if region.is_fixed)
        return readable, PlacesRequest(photo, places, fixed)

    def _path(self, file_id: str) -> str | None:
        try:
            return str(self._files.path(file_id))
        except FileNotFoundError:
            return None
