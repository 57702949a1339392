"""Routes the memory of an item's region."""

from typing import Annotated

from fastapi import APIRouter, Body, Path

from service.memory.service import MemoryService
from service.web.envelope import failures
from service.web.routing import api_router
from service.web.security import Caller, require
from shared.record.codes import Permission
from shared.wire.common import Envelope, Id
from shared.wire.memory import MemoryChange, MemoryState

IdPath = Annotated[Id, Path()]


def router(service: MemoryService) -> APIRouter:
    """The routes of `service`."""
    routes = api_router(tags=["inspection_item"], responses=failures(401, 403, 404, 422))

    @routes.get("/inspection_item/{item_id}/memory")
    async def get_memory(
        item_id: IdPath, caller: Caller = require(Permission.INSPECTION_ITEM_READ)
    ) -> Envelope[MemoryState]:
        """Return what varies normally in the item's region: the photos that people passed there.

        All records on the same reference image share it; a region is the same as in the history of an item.
        """
        return Envelope(data=await service.state(item_id, caller), msg="区域记忆获取成功")

    @routes.put("/inspection_item/{item_id}/memory", responses=failures(409, 413))
    async def change_memory(
        item_id: IdPath,
        body: Annotated[
            MemoryChange,
            Body(
                openapi_examples={
                    "leave a photo out": {"value": {"left_out": {"5d0c": True}}},
                    "freeze": {"value": {"frozen": True}},
                    "ask for five photos": {"value": {"required": 5}},
                    "start over": {"value": {"start_over": True}},
                }
            ),
        ],
        caller: Caller = require(Permission.INSPECTION_ITEM_UPDATE),
    ) -> Envelope[MemoryState]:
        """Exclude photos from the memory, or include them again.

        Freezing and clearing it and setting its minimum of photos also require CATALOGUE_MANAGE.
        """
        return Envelope(data=await service.change(item_id, body, caller), msg="区域记忆更新成功")

    return routes
