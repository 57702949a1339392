"""Routes records, items and photos."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated
from urllib.parse import quote

import orjson
from fastapi import APIRouter, Header, Path, Query, Response

from service.inspection.photo_routes import add_photo_routes
from service.inspection.problems import Updater
from service.inspection.records.item_rows import ItemState
from service.inspection.records.records import RecordState
from service.inspection.records.search import RecordSearch
from service.inspection.seal_routes import add_seal_routes
from service.inspection.service import InspectionService
from service.inspection.shift_routes import add_shift_routes
from service.web import etags
from service.web.envelope import failures
from service.web.routing import api_router
from service.web.security import Caller, check_permissions, require
from shared.record.codes import Permission
from shared.wire.common import (
    UPDATED_BY,
    CurrentPage,
    Done,
    Envelope,
    Id,
    LongText,
    Page,
    PageSize,
    Pagination,
)
from shared.wire.history import MAX_TREND_ENTRIES, HistoryEntry, Trend
from shared.wire.inspection import (
    BoxesSet,
    Item,
    ItemCreate,
    ItemOrderSet,
    ItemUpdate,
    Photo,
    PhotoAdd,
    Record,
    RecordCreate,
    RecordUpdate,
    VerdictSet,
)
from shared.wire.seal import RecordFinish

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

CREATED = "检查记录创建成功"
READ = "检查记录获取成功"
UPDATED = "检查记录更新成功"
DELETED = "检查记录删除成功"
FINISHED = "检查记录已完成"
ITEMS_READ = "检查项列表获取成功"
ITEM_DELETED = "删除成功"


def router(service: InspectionService) -> APIRouter:
    """The routes of this domain."""
    routes = api_router(responses=failures(401, 403, 422))
    _records(routes, service)
    _items(routes, service)
    _extras(routes, service)
    _photos(routes, service)
    add_photo_routes(routes, service)
    _history(routes, service)
    add_seal_routes(routes, service)
    add_shift_routes(routes, service)
    return routes


def _records(routes: APIRouter, service: InspectionService) -> None:
    records = service.records

    @routes.post(
        "/inspection/create", tags=["inspection"], response_model=Envelope[Record], responses=failures(413)
    )
    async def create(
        body: RecordCreate,
        key: IdempotencyKey = None,
        caller: Caller = require(Permission.INSPECTION_ADD),
    ) -> Response:
        """Create a record. A request that is repeated with its Idempotency-Key creates no second one."""
        return _record(await records.create(body, key, caller), CREATED)

    @routes.get("/inspection/search", tags=["inspection"], response_model=Envelope[Page[Record]])
    async def search(
        where: Annotated[RecordSearch, Query()],
        current_page: Annotated[CurrentPage, Query()],
        page_size: Annotated[PageSize, Query()],
        caller: Caller = require(Permission.INSPECTION_READ),
    ) -> Response:
        """Return a page of the records that match every filter, newest first.

        With `work`, they are ordered by the time of their flight, then by aircraft.
        """
        of_work = await service.shift.filters(where.work, caller) if where.work is not None else {}
        rows, pagination = await service.search.find(where, current_page, page_size, of_work)
        return _page(orjson.dumps(rows).decode(), pagination, READ)

    @routes.get(
        "/inspection/getInspectionById/{inspection_id}",
        tags=["inspection"],
        response_model=Envelope[Record],
        responses=failures(404),
    )
    async def get(inspection_id: IdPath, _caller: Caller = require(Permission.INSPECTION_READ)) -> Response:
        """Return the record with all its fields."""
        return _record(await records.get(inspection_id), READ)

    @routes.put(
        "/inspection/updateInspection/{inspection_id}",
        tags=["inspection"],
        response_model=Envelope[Record],
        responses=failures(404, 409, 412, 413),
    )
    async def update(
        inspection_id: IdPath,
        body: RecordUpdate,
        if_match: etags.DescribedIfMatch = None,
        caller: Caller = require(Permission.INSPECTION_UPDATE),
    ) -> Response:
        """Change the fields that are sent; null clears a nullable one."""
        return _record(await records.update(inspection_id, body, if_match, caller), UPDATED)

    @routes.delete(
        "/inspection/deleteInspection/{inspection_id}", tags=["inspection"], responses=failures(404, 409, 412)
    )
    async def remove(
        inspection_id: IdPath,
        if_match: etags.DescribedIfMatch = None,
        caller: Caller = require(Permission.INSPECTION_DELETE),
    ) -> Done:
        """Delete the record with its items."""
        await records.delete(inspection_id, if_match, caller)
        return Done(msg=DELETED)


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

        A page of more than 20 items is refused with 413 if their regions and results have more than 32 Mi
        characters; a smaller page is not.
        """
        rows, pagination = await items.page(inspection_id, current_page, page_size)
        return _page(_array(rows), pagination, ITEMS_READ)

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


def _extras(routes: APIRouter, service: InspectionService) -> None:
    @routes.post(
        "/inspection/{inspection_id}/finish",
        tags=["inspection"],
        response_model=Envelope[Record],
        responses=failures(404, 409, 412, 413),
    )
    async def finish(
        inspection_id: IdPath,
        body: RecordFinish | None = None,
        if_match: etags.DescribedIfMatch = None,
        caller: Caller = require(Permission.INSPECTION_UPDATE),
    ) -> Response:
        """Finish the record: its outcome follows from the verdicts, and an edition seals it.

        409 `undecided_items` names the items without a person's verdict. `accept_model_opinion` signs the
        model's opinion on them in the caller's name and also requires INSPECTION_ITEM_UPDATE. 409
        `detections_running` names items whose detection has not ended.
        """
        request_body = body or RecordFinish()
        if request_body.accept_model_opinion:
            check_permissions(caller, Permission.INSPECTION_ITEM_UPDATE)
        return _record(
            await service.finishing.finish(inspection_id, request_body, if_match, caller), FINISHED
        )

    @routes.post(
        "/inspection/{inspection_id}/items-from-template",
        tags=["inspection"],
        response_model=Envelope[list[Item]],
        responses=failures(404, 409),
    )
    async def items_from_template(
        inspection_id: IdPath, caller: Caller = require(Permission.INSPECTION_ITEM_ADD)
    ) -> Response:
        """Create the items of the reference image's template in a record that has none."""
        return _envelope(_array(await service.item_sets.from_template(inspection_id, caller)), None)

    @routes.post(
        "/inspection/{inspection_id}/items-from/{other_id}",
        tags=["inspection"],
        response_model=Envelope[list[Item]],
        responses=failures(404, 409),
    )
    async def items_from_record(
        inspection_id: IdPath, other_id: IdPath, caller: Caller = require(Permission.INSPECTION_ITEM_ADD)
    ) -> Response:
        """Copy the items of another record, such as the last inspection, into a record that has none."""
        return _envelope(_array(await service.item_sets.from_record(inspection_id, other_id, caller)), None)

    @routes.put(
        "/inspection/{inspection_id}/item-order", tags=["inspection"], responses=failures(404, 409, 413)
    )
    async def arrange(
        inspection_id: IdPath,
        body: ItemOrderSet,
        caller: Caller = require(Permission.INSPECTION_ITEM_UPDATE),
    ) -> Envelope[list[str]]:
        """Put these items first, in this order. Items that are not named follow as they are.

        IDs that the record does not have are ignored. Returns the IDs of all items in their order, which is
        the order of every list of the record's items. New items come last.
        """
        return Envelope(data=await service.item_sets.arrange(inspection_id, body.item_ids, caller))

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
        item = await service.items.set_verdict(item_id, body, if_match, caller)
        return _envelope(item.text, None, item.revision, item.by)

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
        item = await service.items.correct(item_id, body, if_match, caller)
        return _envelope(item.text, None, item.revision, item.by)


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


# The answers below are written as JSON once, from rows, instead of being validated and encoded again.


def _json(text: str, revision: int | None = None, by: Updater | None = None) -> Response:
    headers = {} if revision is None else {"ETag": etags.revision_etag(revision)}
    if by is not None:
        # A header: the bodies are as the contract says.
        headers[UPDATED_BY] = quote(by.name or by.user_id)
    return Response(text, media_type="application/json", headers=headers)


def _envelope(data: str, msg: str | None, revision: int | None = None, by: Updater | None = None) -> Response:
    return _json(f'{{"code":0,"data":{data},"msg":{orjson.dumps(msg).decode()}}}', revision, by)


def _record(state: RecordState, msg: str) -> Response:
    return _envelope(orjson.dumps(state.body).decode(), msg, state.revision, state.by)


def _item(state: ItemState) -> Response:
    return _json(state.text, state.revision, state.by)


def _array(texts: Iterable[str]) -> str:
    return f"[{','.join(texts)}]"


def _page(array: str, pagination: Pagination, msg: str) -> Response:
    return _envelope(f'{{"data":{array},"pagination":{pagination.model_dump_json()}}}', msg)
