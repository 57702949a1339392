"""Routes the charts."""

from typing import Annotated

from fastapi import APIRouter, Query

from service.statistics.service import ChartQuery, StatisticsService
from service.web.envelope import failures
from service.web.routing import api_router
from service.web.security import Caller, require
from shared.record.codes import Permission
from shared.wire.common import Envelope
from shared.wire.statistics import Chart, Durations, FindingsBy, ModelAgreement

READ = "统计数据获取成功"


def router(service: StatisticsService) -> APIRouter:
    """The routes below `/statistics`, one for each chart."""
    routes = api_router(tags=["statistics"], responses=failures(401, 403, 422, 503))

    @routes.get("/statistics/records")
    async def records(
        query: Annotated[ChartQuery, Query()], _caller: Caller = require(Permission.INSPECTION_READ)
    ) -> Envelope[Chart]:
        """Count the records in each state over time."""
        return Envelope(data=await service.records(query), msg=READ)

    @routes.get("/statistics/findings/{by}")
    async def findings(
        by: FindingsBy,
        query: Annotated[ChartQuery, Query()],
        _caller: Caller = require(Permission.INSPECTION_READ),
    ) -> Envelope[Chart]:
        """Count the current findings by label, by aircraft of the record or by region, over time.

        Items of the same name count as one region in all records.
        """
        return Envelope(data=await service.findings(query, by), msg=READ)

    @routes.get("/statistics/durations")
    async def durations(
        query: Annotated[ChartQuery, Query()], _caller: Caller = require(Permission.INSPECTION_READ)
    ) -> Envelope[Durations]:
        """Return how long records took from start to end, over time, without cancelled records."""
        return Envelope(data=await service.durations(query), msg=READ)

    @routes.get("/statistics/agreement")
    async def agreement(
        query: Annotated[ChartQuery, Query()], _caller: Caller = require(Permission.INSPECTION_READ)
    ) -> Envelope[list[ModelAgreement]]:
        """Return how people judged the findings of the eight model versions with the most findings."""
        return Envelope(data=await service.agreement(query), msg=READ)

    return routes
