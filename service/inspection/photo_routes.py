"""Routes the photos and the films of a record."""

from typing import Annotated

from fastapi import APIRouter, Body, Path, Query

from service.inspection.service import InspectionService
from service.web.envelope import failures
from service.web.security import Caller, require
from shared.record.codes import Permission
from shared.wire.common import Envelope, Id
from shared.wire.photos import PhotoItemsSet, RecordFilm, RecordFilmAdd, RecordPhoto, RecordPhotoAdd

_IdPath = Annotated[Id, Path()]
_Wait = Annotated[float, Query(ge=0, le=60, description="Seconds to wait for the end of the matching")]
_PHOTOS = "/inspection/{inspection_id}/record-photos"
_ONE = _PHOTOS + "/{photo_id}"
_FILMS = "/inspection/{inspection_id}/films"

ADDED = "照片已添加到检查记录"
MATCHED = "照片匹配已提交"
ASSIGNED = "照片的检查项已更新"
DELETED = "照片已删除"
FILM_ADDED = "视频已保存到检查记录"
FILM_DELETED = "视频已移除"


def add_photo_routes(routes: APIRouter, service: InspectionService) -> None:
    """Add the routes of the photos of records, without the prefix `/api`."""
    photos, matching = service.record_photos, service.matching

    @routes.post(_PHOTOS, tags=["inspection"], responses=failures(404, 409, 413, 415))
    async def add_record_photo(
        inspection_id: _IdPath,
        body: Annotated[
            RecordPhotoAdd, Body(openapi_examples={"an uploaded file": {"value": {"file_id": "4f1c"}}})
        ],
        caller: Caller = require(Permission.INSPECTION_ITEM_UPDATE),
    ) -> Envelope[RecordPhoto]:
        """Add an uploaded image to the photos of the record. A photo that the record already has is returned
        unchanged.

        409 `photo_is_reference` if it is the reference image, and with `refuse_used` 409 `photo_used` if
        another record has a photo with this content.
        """
        photo = await photos.add(inspection_id, body.file_id, caller, refuse_used=body.refuse_used)
        return Envelope(data=photo, msg=ADDED)

    @routes.get(_PHOTOS, tags=["inspection"], responses=failures(404))
    async def list_photos_of_record(
        inspection_id: _IdPath, _caller: Caller = require(Permission.INSPECTION_ITEM_READ)
    ) -> Envelope[list[RecordPhoto]]:
        """Return the photos of the record, newest first, with the regions that they show and their items."""
        return Envelope(data=await photos.of_record(inspection_id))

    @routes.post(_ONE + "/match", tags=["inspection"], responses=failures(404, 409))
    async def match_record_photo(
        inspection_id: _IdPath,
        photo_id: _IdPath,
        wait: _Wait = 0,
        caller: Caller = require(Permission.INSPECTION_ITEM_UPDATE),
    ) -> Envelope[RecordPhoto]:
        """Find the regions that the photo shows, without assigning the photo.

        The state is `waiting` until the search ends. A request during the search joins it.
        """
        return Envelope(data=await matching.match(inspection_id, photo_id, wait, caller), msg=MATCHED)

    @routes.put(_ONE + "/items", tags=["inspection"], responses=failures(404, 409, 413))
    async def assign_record_photo(
        inspection_id: _IdPath,
        photo_id: _IdPath,
        body: Annotated[
            PhotoItemsSet,
            Body(
                openapi_examples={
                    "as proposed": {"value": {"items": [{"item_id": "b2f6"}, {"item_id": "c90d"}]}},
                    "by hand": {
                        "value": {
                            "items": [
                                {"item_id": "b2f6", "homography": [[0.5, 0, 12], [0, 0.5, 40], [0, 0, 1]]}
                            ]
                        }
                    },
                    "to no item": {"value": {"items": []}},
                }
            ),
        ],
        caller: Caller = require(Permission.INSPECTION_ITEM_UPDATE),
    ) -> Envelope[RecordPhoto]:
        """Assign the photo to exactly these items as their newest photo. Earlier results stay.

        Without `homography`, an existing assignment keeps its alignment, and a new one uses the proposed
        alignment.
        """
        return Envelope(data=await photos.assign(inspection_id, photo_id, body.items, caller), msg=ASSIGNED)

    @routes.delete(_ONE, tags=["inspection"], responses=failures(404, 409))
    async def delete_record_photo(
        inspection_id: _IdPath,
        photo_id: _IdPath,
        confirmed: Annotated[bool, Query(description="Also if results or verdicts depend on it")] = False,
        caller: Caller = require(Permission.INSPECTION_ITEM_UPDATE),
    ) -> Envelope[bool]:
        """Remove the photo from the record and its items. The file is not deleted.

        409 `photo_in_use` names the items whose results or verdicts depend on it, unless `confirmed` is true.
        """
        await photos.delete(inspection_id, photo_id, confirmed, caller)
        return Envelope(data=True, msg=DELETED)


def add_film_routes(routes: APIRouter, service: InspectionService) -> None:
    """Add the routes of the films of records, without the prefix `/api`."""
    films = service.films

    @routes.post(_FILMS, tags=["inspection"], responses=failures(404, 409, 413, 415))
    async def add_record_film(
        inspection_id: _IdPath,
        body: Annotated[
            RecordFilmAdd, Body(openapi_examples={"an uploaded film": {"value": {"file_id": "4f1c"}}})
        ],
        caller: Caller = require(Permission.INSPECTION_ITEM_UPDATE),
    ) -> Envelope[RecordFilm]:
        """Keep an uploaded film (MP4, MOV or AVI) with the record as a file, not as a photo.

        A film that the record already has is returned unchanged. 415 if the service cannot open it.
        """
        return Envelope(data=await films.add(inspection_id, body.file_id, caller), msg=FILM_ADDED)

    @routes.get(_FILMS, tags=["inspection"], responses=failures(404))
    async def list_films_of_record(
        inspection_id: _IdPath, _caller: Caller = require(Permission.INSPECTION_ITEM_READ)
    ) -> Envelope[list[RecordFilm]]:
        """Return the films of the record, newest first. `file.download_url` answers the content."""
        return Envelope(data=await films.of_record(inspection_id))

    @routes.delete(_FILMS + "/{film_id}", tags=["inspection"], responses=failures(404, 409))
    async def delete_record_film(
        inspection_id: _IdPath,
        film_id: _IdPath,
        caller: Caller = require(Permission.INSPECTION_ITEM_UPDATE),
    ) -> Envelope[bool]:
        """Remove the film from the record. Photos that are frames of it stay, and so does the file."""
        await films.delete(inspection_id, film_id, caller)
        return Envelope(data=True, msg=FILM_DELETED)
