"""Routes items: their fields, results, photos and history."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Header, Path, Query, Response
from fastapi.responses import StreamingResponse

from service.inspection.records.item_rows import ItemState, item_json
from service.inspection.service import InspectionService
from service.web import etags
from service.web.envelope import failures
from service.web.security import Caller, require
from shared.record.codes import Permission
from shared.wire.common import (
    CurrentPage,
    Envelope,
    Id,
    LongText,
    Page,
    PageSize,
)
from shared.wire.history import MAX_TREND_ENTRIES, HistoryEntry, Trend
from shared.wire.inspection import (
    BoxesSet,
    Item,
    ItemCreate,
    ItemUpdate,
    Photo,
    PhotoAdd,
    VerdictSet,
)

IdPath = Annotated[Id, Path()]
IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=255,
        description="Key of this creation; a repeated request with it returns the created object",
    ),
]
PhotoKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=255,
        description="Key of this addition; a repeated request with it returns the added photo",
    ),
]

ITEMS_READ = "检查项列表获取成功"
ITEM_DELETED = "删除成功"


def add_item_routes(routes: APIRouter, service: InspectionService) -> None:
    """Add the operations to `routes`."""
    _items(routes, service)
    _verdicts(routes, service)
    _photos(routes, service)
    _history(routes, service)


def _items(routes: APIRouter, service: InspectionService) -> None:
    items = service.items

    @routes.post(
        "/inspection_item/create",
        tags=["inspection_item"],
        response_model=Item,
        responses=failures(404, 409, 413),
    )
    async def create(
        body: ItemCreate,
        key: IdempotencyKey = None,
        caller: Caller = require(Permission.INSPECTION_ITEM_ADD),
    ) -> Response:
        """Create an item. A request that is repeated with its Idempotency-Key creates no second one."""
        return _item(await items.create(body, key, caller))

    # Before the route of one item, which would take "list" for an id.
    @routes.get("/inspection_item/list", tags=["inspection_item"], response_model=Envelope[Page[Item]])
    async def list_items(
        inspection_id: Annotated[Id, Query()],
        current_page: Annotated[CurrentPage, Query()] = 1,
        page_size: Annotated[PageSize, Query()] = 10,
        _caller: Caller = require(Permission.INSPECTION_ITEM_READ),
    ) -> Response:
        """Return a page of the items of a record, in the order that was set, else oldest first.

        A page with an item whose region and result have more than 64 Ki characters is sent in pieces, without
        Content-Length.
        """
        rows, pagination = await items.page(inspection_id, current_page, page_size)
        end = f'],"pagination":{pagination.model_dump_json()}}}'
        if all(row.result is not None for row in rows):
            return etags.json_envelope(f'{{"data":[{",".join(map(item_json, rows))}{end}', ITEMS_READ)

        async def pieces() -> AsyncIterator[str]:
            yield '{"code":0,"data":{"data":['
            comma = ""
            async for text in items.texts(rows):
                yield comma + text
                comma = ","
            yield f'{end},"msg":"{ITEMS_READ}"}}'

        return StreamingResponse(pieces(), media_type="application/json")

    @routes.get(
        "/inspection_item/{item_id}", tags=["inspection_item"], response_model=Item, responses=failures(404)
    )
    async def get(item_id: IdPath, _caller: Caller = require(Permission.INSPECTION_ITEM_READ)) -> Response:
        """Return the item."""
        return _item(await items.get(item_id))

    @routes.put(
        "/inspection_item/{item_id}",
        tags=["inspection_item"],
        response_model=Item,
        responses=failures(404, 409, 412, 413),
    )
    async def update(
        item_id: IdPath,
        body: ItemUpdate,
        if_match: etags.DescribedIfMatch = None,
        caller: Caller = require(Permission.INSPECTION_ITEM_UPDATE),
    ) -> Response:
        """Change the fields that are sent; null clears a nullable one."""
        return _item(await items.update(item_id, body, if_match, caller))

    @routes.delete("/inspection_item/{item_id}", tags=["inspection_item"], responses=failures(404, 409, 412))
    async def remove(
        item_id: IdPath,
        reason: Annotated[LongText | None, Query(description="Reason, for the audit log")] = None,
        if_match: etags.DescribedIfMatch = None,
        caller: Caller = require(Permission.INSPECTION_ITEM_DELETE),
    ) -> Envelope[bool]:
        """Delete the item with its results and photos."""
        await items.delete(item_id, if_match, caller, reason)
        return Envelope(data=True, msg=ITEM_DELETED)

    @routes.post(
        "/inspection_item/{item_id}/restore",
        tags=["inspection_item"],
        response_model=Item,
        responses=failures(404, 409),
    )
    async def restore(item_id: IdPath, caller: Caller = require(Permission.INSPECTION_ITEM_ADD)) -> Response:
        """Restore a deleted item within 30 days, if its record still exists.

        It keeps its ID, place, results and photos. An item that was not deleted is returned unchanged.
        """
        return _item(await items.restore(item_id, caller))


def _verdicts(routes: APIRouter, service: InspectionService) -> None:
    items = service.items

    @routes.post(
        "/inspection_item/{item_id}/verdict",
        tags=["inspection_item"],
        response_model=Envelope[Item],
        responses=failures(404, 409, 412, 413),
    )
    async def set_verdict(
        item_id: IdPath,
        body: VerdictSet,
        if_match: etags.DescribedIfMatch = None,
        caller: Caller = require(Permission.INSPECTION_ITEM_UPDATE),
    ) -> Response:
        """Append the user's verdict as a result entry."""
        return _item_data(await items.set_verdict(item_id, body, if_match, caller))

    @routes.post(
        "/inspection_item/{item_id}/boxes",
        tags=["inspection_item"],
        response_model=Envelope[Item],
        responses=failures(404, 409, 412, 413),
    )
    async def correct(
        item_id: IdPath,
        body: BoxesSet,
        if_match: etags.DescribedIfMatch = None,
        caller: Caller = require(Permission.INSPECTION_ITEM_UPDATE),
    ) -> Response:
        """Append corrected findings of a version as a new version; 409 if that version does not exist."""
        return _item_data(await items.correct(item_id, body, if_match, caller))


def _photos(routes: APIRouter, service: InspectionService) -> None:
    photos = service.photos

    @routes.post(
        "/inspection_item/{item_id}/photos", tags=["inspection_item"], responses=failures(404, 409, 413, 415)
    )
    async def add_photo(
        item_id: IdPath,
        body: PhotoAdd,
        key: PhotoKey = None,
        caller: Caller = require(Permission.INSPECTION_ITEM_UPDATE),
    ) -> Envelope[Photo]:
        """Add an uploaded image as the newest photo. A request that is repeated with its Idempotency-Key adds
        no second one.
        """
        return Envelope(
            data=await photos.add(item_id, body.file_id, key, caller, refuse_used=body.refuse_used)
        )

    @routes.get("/inspection_item/{item_id}/photos", tags=["inspection_item"], responses=failures(404))
    async def list_photos(
        item_id: IdPath, _caller: Caller = require(Permission.INSPECTION_ITEM_READ)
    ) -> Envelope[list[Photo]]:
        """Return the photos of the item, newest first."""
        return Envelope(data=await photos.of_item(item_id))

    @routes.get("/inspection/{inspection_id}/photos", tags=["inspection"], responses=failures(404))
    async def list_record_photos(
        inspection_id: IdPath, _caller: Caller = require(Permission.INSPECTION_ITEM_READ)
    ) -> Envelope[list[Photo]]:
        """Return the photos of all items of the record, newest first."""
        return Envelope(data=await photos.of_record(inspection_id))

    @routes.delete(
        "/inspection_item/{item_id}/photos/{photo_id}", tags=["inspection_item"], responses=failures(404, 409)
    )
    async def delete_photo(
        item_id: IdPath, photo_id: IdPath, caller: Caller = require(Permission.INSPECTION_ITEM_UPDATE)
    ) -> Envelope[bool]:
        """Remove a photo from the item. The file is not deleted."""
        await photos.delete(item_id, photo_id, caller)
        return Envelope(data=True)


def _history(routes: APIRouter, service: InspectionService) -> None:
    @routes.get("/inspection_item/{item_id}/history", tags=["inspection_item"], responses=failures(404))
    async def history(
        item_id: IdPath,
        limit: Annotated[int, Query(ge=1, le=100)] = 20,
        _caller: Caller = require(Permission.INSPECTION_ITEM_READ),
    ) -> Envelope[list[HistoryEntry]]:
        """Return what earlier inspections found in this region of the reference image, newest first.

        Regions are the same if they overlap by half (intersection over union). Findings are compared with the
        current ones on the reference image if both detections know their alignment.
        """
        return Envelope(data=await service.history.of_item(item_id, limit))

    @routes.get("/inspection_item/{item_id}/trend", tags=["inspection_item"], responses=failures(404))
    async def trend(
        item_id: IdPath,
        limit: Annotated[int, Query(ge=1, le=MAX_TREND_ENTRIES)] = 50,
        _caller: Caller = require(Permission.INSPECTION_ITEM_READ),
    ) -> Envelope[Trend]:
        """Return the inspections of this region of the reference image, oldest first, up to the item's own.

        The answer has the newest `limit` inspections, each with its photo and its alignment with the
        reference image. Findings that overlap on the reference image have the same `chain`.
        """
        return Envelope(data=await service.trends.of_item(item_id, limit))


def _item(state: ItemState) -> Response:
    return etags.json_answer(state.text, state.revision, state.by)


def _item_data(state: ItemState) -> Response:
    return etags.json_envelope(state.text, None, state.revision, state.by)
