"""Routes what a shift does with records: work to be done, handovers, comments."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path

from service.inspection.service import InspectionService
from service.web.envelope import failures
from service.web.security import Caller, require
from shared.record.codes import Permission
from shared.wire.common import Envelope, Id
from shared.wire.shift import Comment, CommentWrite, Handover, HandoverWrite, Inspector, WorkCounts

_IdPath = Annotated[Id, Path()]

HANDED_OVER = "检查记录已交接"


def add_shift_routes(routes: APIRouter, service: InspectionService) -> None:
    """Add the operations to `routes`."""
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
        inspection_id: _IdPath, body: HandoverWrite, caller: Caller = require(Permission.INSPECTION_UPDATE)
    ) -> Envelope[Handover]:
        """Hand the record over to another user, who becomes its executor and sees the note."""
        return Envelope(data=await shift.hand_over(inspection_id, body, caller), msg=HANDED_OVER)

    @routes.get("/inspection/{inspection_id}/handovers", tags=["inspection"], responses=failures(404))
    async def list_handovers(
        inspection_id: _IdPath, _caller: Caller = require(Permission.INSPECTION_READ)
    ) -> Envelope[list[Handover]]:
        """Return the handovers of the record, newest first."""
        return Envelope(data=await shift.handovers(inspection_id))

    @routes.post(
        "/inspection/{inspection_id}/comments", tags=["inspection"], responses=failures(404, 409, 413)
    )
    async def comment(
        inspection_id: _IdPath,
        body: CommentWrite,
        caller: Caller = require(Permission.INSPECTION_ITEM_UPDATE),
    ) -> Envelope[Comment]:
        """Write a comment on an item, or at a place on one of its photos. The next seal contains it."""
        return Envelope(data=await shift.comment(inspection_id, body, caller))

    @routes.get("/inspection/{inspection_id}/comments", tags=["inspection"], responses=failures(404))
    async def list_comments(
        inspection_id: _IdPath, _caller: Caller = require(Permission.INSPECTION_ITEM_READ)
    ) -> Envelope[list[Comment]]:
        """Return the comments on the items of the record, oldest first."""
        return Envelope(data=await shift.comments(inspection_id))
