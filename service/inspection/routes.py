"""Routes records, and what a shift does with them: work to be done, handovers, comments."""

from typing import Annotated

import orjson
from fastapi import APIRouter, Depends, Query, Response

from service.inspection.item_routes import IdempotencyKey, IdPath, add_item_routes
from service.inspection.photo_routes import add_film_routes, add_photo_routes
from service.inspection.records.records import RecordState
from service.inspection.records.search import RecordSearch
from service.inspection.seal_routes import add_seal_routes
from service.inspection.service import InspectionService
from service.web import etags
from service.web.envelope import failures
from service.web.routing import ReadQuery, api_router
from service.web.security import Caller, check_permissions, require
from shared.record.codes import Permission
from shared.wire.common import (
    CurrentPage,
    Done,
    Envelope,
    Page,
    PageSize,
)
from shared.wire.inspection import (
    Item,
    ItemOrderSet,
    Record,
    RecordCreate,
    RecordUpdate,
)
from shared.wire.seal import RecordFinish
from shared.wire.shift import (
    Comment,
    CommentUpdate,
    CommentWrite,
    Handover,
    HandoverWrite,
    Inspector,
    WorkCounts,
)

HANDED_OVER = "检查记录已交接"
CREATED = "检查记录创建成功"
READ = "检查记录获取成功"
UPDATED = "检查记录更新成功"
DELETED = "检查记录删除成功"
FINISHED = "检查记录已完成"


def router(service: InspectionService) -> APIRouter:
    """The routes of this domain."""
    routes = api_router(responses=failures(401, 403, 422))
    _records(routes, service)
    add_item_routes(routes, service)
    _sets(routes, service)
    add_photo_routes(routes, service)
    add_film_routes(routes, service)
    add_seal_routes(routes, service)
    _shift(routes, service)
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
        where: Annotated[RecordSearch, Depends(ReadQuery(RecordSearch))],
        current_page: Annotated[CurrentPage, Query()],
        page_size: Annotated[PageSize, Query()],
        caller: Caller = require(Permission.INSPECTION_READ),
    ) -> Response:
        """Return a page of the records that match every filter, newest first.

        With `work`, they are ordered by the time of their flight, then by aircraft.
        """
        of_work = await service.shift.filters(where.work, caller) if where.work is not None else {}
        rows, pagination = await service.search.find(where, current_page, page_size, of_work)
        page = f'{{"data":{orjson.dumps(rows).decode()},"pagination":{pagination.model_dump_json()}}}'
        return etags.json_envelope(page, READ)

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


def _sets(routes: APIRouter, service: InspectionService) -> None:
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
        items = await service.item_sets.from_template(inspection_id, caller)
        return etags.json_envelope(f"[{','.join(items)}]", None)

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
        items = await service.item_sets.from_record(inspection_id, other_id, caller)
        return etags.json_envelope(f"[{','.join(items)}]", None)

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


def _shift(routes: APIRouter, service: InspectionService) -> None:
    shift = service.shift

    @routes.get("/inspection/work", tags=["inspection"])
    async def work(caller: Caller = require(Permission.INSPECTION_READ)) -> Envelope[WorkCounts]:
        """Return how many records are open, undecided, waiting for review, failed, the user's own or new."""
        return Envelope(data=await shift.counts(caller))

    @routes.get("/inspection/inspectors", tags=["inspection"])
    async def inspectors(
        _caller: Caller = require(Permission.INSPECTION_UPDATE),
    ) -> Envelope[list[Inspector]]:
        """Return the users to whom a record can be handed over."""
        return Envelope(data=await shift.inspectors())

    @routes.post(
        "/inspection/{inspection_id}/handovers", tags=["inspection"], responses=failures(404, 409, 413)
    )
    async def hand_over(
        inspection_id: IdPath, body: HandoverWrite, caller: Caller = require(Permission.INSPECTION_UPDATE)
    ) -> Envelope[Handover]:
        """Hand the record over to another user, who becomes its executor and sees the note."""
        return Envelope(data=await shift.hand_over(inspection_id, body, caller), msg=HANDED_OVER)

    @routes.get("/inspection/{inspection_id}/handovers", tags=["inspection"], responses=failures(404))
    async def list_handovers(
        inspection_id: IdPath, _caller: Caller = require(Permission.INSPECTION_READ)
    ) -> Envelope[list[Handover]]:
        """Return the handovers of the record, newest first."""
        return Envelope(data=await shift.handovers(inspection_id))

    @routes.post(
        "/inspection/{inspection_id}/comments", tags=["inspection"], responses=failures(404, 409, 413)
    )
    async def comment(
        inspection_id: IdPath,
        body: CommentWrite,
        caller: Caller = require(Permission.INSPECTION_ITEM_UPDATE),
    ) -> Envelope[Comment]:
        """Write a comment on an item, or at a place on one of its photos. The next seal contains it."""
        return Envelope(data=await shift.comment(inspection_id, body, caller))

    @routes.get("/inspection/{inspection_id}/comments", tags=["inspection"], responses=failures(404))
    async def list_comments(
        inspection_id: IdPath, _caller: Caller = require(Permission.INSPECTION_ITEM_READ)
    ) -> Envelope[list[Comment]]:
        """Return the comments on the items of the record, oldest first."""
        return Envelope(data=await shift.comments(inspection_id))

    @routes.put(
        "/inspection/{inspection_id}/comments/{comment_id}",
        tags=["inspection"],
        responses=failures(404, 409, 413),
    )
    async def change_comment(
        inspection_id: IdPath,
        comment_id: IdPath,
        body: CommentUpdate,
        caller: Caller = require(Permission.INSPECTION_ITEM_UPDATE),
    ) -> Envelope[Comment]:
        """Change your own comment, until the record is sealed. The audit log keeps the old text."""
        return Envelope(data=await shift.change_comment(inspection_id, comment_id, body, caller))

    @routes.delete(
        "/inspection/{inspection_id}/comments/{comment_id}", tags=["inspection"], responses=failures(404, 409)
    )
    async def delete_comment(
        inspection_id: IdPath,
        comment_id: IdPath,
        caller: Caller = require(Permission.INSPECTION_ITEM_UPDATE),
    ) -> Done:
        """Delete your own comment, until the record is sealed. The audit log keeps its text."""
        await shift.delete_comment(inspection_id, comment_id, caller)
        return Done(msg="评论已删除")


def _record(state: RecordState, msg: str) -> Response:
    return etags.json_envelope(orjson.dumps(state.body).decode(), msg, state.revision, state.by)
