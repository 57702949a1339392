"""Compares photos for the memory of their region, in a separate process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from sqlmodel import Session

from service.detection.compute.compute_process import ComputeProcess
from service.detection.dispatch.work import with_backbone
from service.detection.failure import DetectionFailed
from service.detection.jobs import job_rows
from service.detection.messages import NEWEST, OLDEST, VERSION, Request, as_json
from service.detection.rules import BackboneFacts
from service.files.service import FilesService
from service.workers.child import ProcessDied
from service.workers.frames import Frame
from shared.record.geometry import Rect
from shared.wire.detection import ModelKind
from shared.wire.inspection import Place
from shared.wire.memory import MemoryKind

__all__ = ["NEWEST", "OLDEST", "VERSION", "Learned", "Variations", "Varied", "VaryingPhoto"]

_SECONDS: Final = 300.0


class VaryingPhoto(NamedTuple):
    """All inputs of the comparison of a photo with its region, except the findings that a person judged.

    point: the region as an item stores it. model_settings: of the model. settings: of the item for this photo
    (`DetectionSettings`). place, place_by_person: as in `Request`. backbone: that a user added.

    Stored comparisons have a hash of it: with other fields, or in another order, all are computed again.
    """

    photo_file_id: str
    photo_sha256: str
    reference_file_id: str
    reference_sha256: str
    point: tuple[float, float, float, float]
    mm_per_pixel: float | None
    model_settings: dict[str, Any]
    settings: dict[str, Any]
    place: list[list[float]] | None
    place_by_person: bool
    backbone: BackboneFacts | None = None


@dataclass(frozen=True, slots=True)
class Varied:
    """The memory of one photo, in the format of `variation.serial`.

    differences: the number of places where the photo differs from the reference image.
    """

    content: bytes
    differences: int


class Learned(NamedTuple):
    """What photos that passed say of their region.

    disagreements: the places where they disagree with the reference image, x, y, w, h in fractions of it.
    place: how photos are best compared; None if that is not known.
    """

    disagreements: list[list[float]]
    place: Place | None


class Variations:
    """One process that compares photos. It runs only while there are requests."""

    def __init__(self, files: FilesService, model_path: Callable[[str], Path]) -> None:
        self._files = files
        self._model_path = model_path
        self._compute = ComputeProcess("--variations")
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="variation")

    def is_busy(self, session: Session) -> bool:
        """Whether detections wait or run, which have priority."""
        state = job_rows.queue_state(session)
        return bool(state.queued or state.running or state.batch_items)

    async def vary(
        self,
        photo: VaryingPhoto,
        order: float,
        kind: MemoryKind,
        judged: Sequence[Rect],
        without: Sequence[Rect],
    ) -> Varied:
        """Compare the photo; arguments as in `Computer.photo_memory`.

        Raises DetectionFailed and StoreUnavailableError.
        """
        frame = await self._answer(
            photo,
            {
                "key": photo.photo_sha256,
                "order": order,
                "kind": str(kind),
                "judged": [_rect_values(rect) for rect in judged],
                "without": [_rect_values(rect) for rect in without],
            },
        )
        return Varied(frame.payload, int(frame.message["differences"]))

    async def learn(self, photo: VaryingPhoto, contents: Sequence[bytes]) -> Learned:
        """What these memories say of their region.

        photo: any of their photos. Raises DetectionFailed and StoreUnavailableError.
        """
        frame = await self._answer(photo, {}, contents)
        place = frame.message["place"]
        return Learned(frame.message["disagreements"], None if place is None else Place(place))

    async def rest(self) -> None:
        """End the process until the next request."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._compute.kill)

    def close(self) -> None:
        """End the process for good."""
        self._compute.close()
        self._thread.shutdown(wait=True)

    async def _answer(
        self, photo: VaryingPhoto, fields: dict[str, Any], contents: Sequence[bytes] = ()
    ) -> Frame:
        loop = asyncio.get_running_loop()

        def ask() -> Frame:
            question = {"request": as_json(self._request(photo)), **fields}
            return self._compute.ask_frame(question, _SECONDS, contents=contents)

        try:
            frame = await loop.run_in_executor(self._thread, ask)
        except FileNotFoundError as error:
            raise DetectionFailed("file_lost") from error
        except ProcessDied as died:
            raise DetectionFailed("timed_out" if died.timed_out else "worker_died") from died
        except asyncio.CancelledError:
            # The service ends while the thread waits for the answer.
            self._compute.close()
            raise
        if frame.message["event"] == "failed":
            raise DetectionFailed(frame.message["error"])
        return frame

    def _request(self, photo: VaryingPhoto) -> Request:
        request = Request(
            kind=ModelKind.REFERENCE_DIFFERENCE,
            photo=str(self._files.path(photo.photo_file_id)),
            reference=str(self._files.path(photo.reference_file_id)),
            point=photo.point,
            mm_per_pixel=photo.mm_per_pixel,
            settings=photo.model_settings,
            item=photo.settings,
            place=photo.place,
            place_by_person=photo.place_by_person,
        )
        return with_backbone(request, photo.backbone, self._model_path)


def _rect_values(rect: Rect) -> list[float]:
    return [rect.x, rect.y, rect.w, rect.h]
