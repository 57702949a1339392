"""Routes the catalogue: aircraft, flights, tasks and reference images in one style.

Every answer is an envelope. A read or written entry carries an ETag; a change or deletion with `If-Match` is
refused with 412 when another user changed the entry in between. A PUT changes only the fields sent.
"""

from typing import Annotated, TypeVar

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel

from service.catalogue.repository import ListQuery, VersionedEntry
from service.catalogue.service import CatalogueService
from service.web.envelope import failures
from service.web.etags import IfMatch
from service.web.routing import add_routes, api_router
from service.web.security import Caller, require
from shared.record.codes import Permission
from shared.wire.catalogue import (
    Aircraft,
    AircraftWrite,
    Flight,
    FlightWrite,
    ReferenceImage,
    ReferenceImageWrite,
    Task,
    TaskWrite,
    TemplateWrite,
)
from shared.wire.common import Done, Envelope, Id, OptionalId, Page

EntryBody = TypeVar("EntryBody", bound=BaseModel)

ListQueryParameters = Annotated[ListQuery, Query()]

_MAY_READ = require(Permission.CATALOGUE_READ)
_MAY_MANAGE = require(Permission.CATALOGUE_MANAGE)


def _answer(response: Response, result: VersionedEntry[EntryBody], msg: str) -> Envelope[EntryBody]:
    response.headers["ETag"] = result.etag
    return Envelope(data=result.entry, msg=msg)


def router(service: CatalogueService) -> APIRouter:
    """The routes below `/catalogue`."""
    catalogue = api_router()
    for part in (_aircraft, _flights, _tasks, _reference_images):
        add_routes(catalogue, part(service))
    return catalogue


def _aircraft(service: CatalogueService) -> APIRouter:
    routes = api_router("/catalogue/aircraft", tags=["catalogue"])

    @routes.get("", responses=failures(401, 403, 422))
    async def list_aircraft(
        query: ListQueryParameters, caller: Caller = _MAY_READ
    ) -> Envelope[Page[Aircraft]]:
        """Return a page of aircraft, newest first."""
        return Envelope(data=await service.aircraft.list(query), msg="飞机列表获取成功")

    @routes.post("", responses=failures(401, 403, 409, 422))
    async def create_aircraft(
        body: AircraftWrite, response: Response, caller: Caller = _MAY_MANAGE
    ) -> Envelope[Aircraft]:
        """Create an aircraft."""
        aircraft = await service.aircraft.create(body.model_dump(exclude_unset=True), caller)
        return _answer(response, aircraft, "飞机创建成功")

    @routes.get("/{aircraft_id}", responses=failures(401, 403, 404, 422))
    async def get_aircraft(
        aircraft_id: Id, response: Response, caller: Caller = _MAY_READ
    ) -> Envelope[Aircraft]:
        """Return an aircraft."""
        return _answer(response, await service.aircraft.get(aircraft_id), "飞机获取成功")

    @routes.put("/{aircraft_id}", responses=failures(401, 403, 404, 409, 412, 422))
    async def update_aircraft(
        aircraft_id: Id,
        body: AircraftWrite,
        response: Response,
        if_match: IfMatch = None,
        caller: Caller = _MAY_MANAGE,
    ) -> Envelope[Aircraft]:
        """Change an aircraft."""
        values = body.model_dump(exclude_unset=True)
        result = await service.aircraft.update(aircraft_id, values, if_match, caller)
        return _answer(response, result, "飞机更新成功")

    @routes.delete("/{aircraft_id}", responses=failures(401, 403, 404, 409, 412, 422))
    async def delete_aircraft(
        aircraft_id: Id, if_match: IfMatch = None, caller: Caller = _MAY_MANAGE
    ) -> Done:
        """Delete an aircraft that no other entry of the catalogue refers to."""
        await service.aircraft.delete(aircraft_id, if_match, caller)
        return Done(msg="飞机删除成功")

    return routes


def _flights(service: CatalogueService) -> APIRouter:
    routes = api_router("/catalogue/flights", tags=["catalogue"])

    @routes.get("", responses=failures(401, 403, 422))
    async def list_flights(
        query: ListQueryParameters, aircraft_id: OptionalId = None, caller: Caller = _MAY_READ
    ) -> Envelope[Page[Flight]]:
        """Return a page of flights, newest first, optionally of one aircraft."""
        return Envelope(data=await service.list_flights(query, aircraft_id), msg="航班列表获取成功")

    @routes.post("", responses=failures(401, 403, 409, 422))
    async def create_flight(
        body: FlightWrite, response: Response, caller: Caller = _MAY_MANAGE
    ) -> Envelope[Flight]:
        """Create a flight."""
        flight = await service.flights.create(body.model_dump(exclude_unset=True), caller)
        return _answer(response, flight, "航班创建成功")

    @routes.get("/{flight_id}", responses=failures(401, 403, 404, 422))
    async def get_flight(flight_id: Id, response: Response, caller: Caller = _MAY_READ) -> Envelope[Flight]:
        """Return a flight."""
        return _answer(response, await service.flights.get(flight_id), "航班获取成功")

    @routes.put("/{flight_id}", responses=failures(401, 403, 404, 409, 412, 422))
    async def update_flight(
        flight_id: Id,
        body: FlightWrite,
        response: Response,
        if_match: IfMatch = None,
        caller: Caller = _MAY_MANAGE,
    ) -> Envelope[Flight]:
        """Change a flight."""
        values = body.model_dump(exclude_unset=True)
        result = await service.flights.update(flight_id, values, if_match, caller)
        return _answer(response, result, "航班更新成功")

    @routes.delete("/{flight_id}", responses=failures(401, 403, 404, 409, 412, 422))
    async def delete_flight(flight_id: Id, if_match: IfMatch = None, caller: Caller = _MAY_MANAGE) -> Done:
        """Delete a flight that no other entry of the catalogue refers to."""
        await service.flights.delete(flight_id, if_match, caller)
        return Done(msg="航班删除成功")

    return routes


def _tasks(service: CatalogueService) -> APIRouter:
    routes = api_router("/catalogue/tasks", tags=["catalogue"])

    @routes.get("", responses=failures(401, 403, 422))
    async def list_tasks(
        query: ListQueryParameters,
        flight_id: OptionalId = None,
        aircraft_id: OptionalId = None,
        caller: Caller = _MAY_READ,
    ) -> Envelope[Page[Task]]:
        """Return a page of tasks, newest first, optionally of one flight or aircraft."""
        return Envelope(data=await service.list_tasks(query, flight_id, aircraft_id), msg="任务列表获取成功")

    @routes.post("", responses=failures(401, 403, 409, 422))
    async def create_task(
        body: TaskWrite, response: Response, caller: Caller = _MAY_MANAGE
    ) -> Envelope[Task]:
        """Create a task."""
        task = await service.tasks.create(body.model_dump(exclude_unset=True), caller)
        return _answer(response, task, "任务创建成功")

    @routes.get("/{task_id}", responses=failures(401, 403, 404, 422))
    async def get_task(task_id: Id, response: Response, caller: Caller = _MAY_READ) -> Envelope[Task]:
        """Return a task."""
        return _answer(response, await service.tasks.get(task_id), "任务获取成功")

    @routes.put("/{task_id}", responses=failures(401, 403, 404, 409, 412, 422))
    async def update_task(
        task_id: Id,
        body: TaskWrite,
        response: Response,
        if_match: IfMatch = None,
        caller: Caller = _MAY_MANAGE,
    ) -> Envelope[Task]:
        """Change a task."""
        values = body.model_dump(exclude_unset=True)
        result = await service.tasks.update(task_id, values, if_match, caller)
        return _answer(response, result, "任务更新成功")

    @routes.delete("/{task_id}", responses=failures(401, 403, 404, 409, 412, 422))
    async def delete_task(task_id: Id, if_match: IfMatch = None, caller: Caller = _MAY_MANAGE) -> Done:
        """Delete a task that no record refers to."""
        await service.tasks.delete(task_id, if_match, caller)
        return Done(msg="任务删除成功")

    return routes


def _reference_images(service: CatalogueService) -> APIRouter:
    routes = api_router("/catalogue/reference-images", tags=["catalogue"])

    @routes.get("", responses=failures(401, 403, 422))
    async def list_reference_images(
        query: ListQueryParameters, aircraft_id: OptionalId = None, caller: Caller = _MAY_READ
    ) -> Envelope[Page[ReferenceImage]]:
        """Return a page of reference images, newest first, optionally of one aircraft."""
        return Envelope(
            data=await service.list_reference_images(query, aircraft_id), msg="参考图列表获取成功"
        )

    @routes.post("", responses=failures(401, 403, 409, 422))
    async def create_reference_image(
        body: ReferenceImageWrite, response: Response, caller: Caller = _MAY_MANAGE
    ) -> Envelope[ReferenceImage]:
        """Create a reference image."""
        image = await service.reference_images.create(body.model_dump(exclude_unset=True), caller)
        return _answer(response, image, "参考图创建成功")

    @routes.get("/{reference_image_id}", responses=failures(401, 403, 404, 422))
    async def get_reference_image(
        reference_image_id: Id, response: Response, caller: Caller = _MAY_READ
    ) -> Envelope[ReferenceImage]:
        """Return a reference image."""
        return _answer(response, await service.reference_images.get(reference_image_id), "参考图获取成功")

    @routes.put("/{reference_image_id}", responses=failures(401, 403, 404, 409, 412, 422))
    async def update_reference_image(
        reference_image_id: Id,
        body: ReferenceImageWrite,
        response: Response,
        if_match: IfMatch = None,
        caller: Caller = _MAY_MANAGE,
    ) -> Envelope[ReferenceImage]:
        """Change a reference image."""
        values = body.model_dump(exclude_unset=True)
        result = await service.reference_images.update(reference_image_id, values, if_match, caller)
        return _answer(response, result, "参考图更新成功")

    @routes.delete("/{reference_image_id}", responses=failures(401, 403, 404, 409, 412, 422))
    async def delete_reference_image(
        reference_image_id: Id, if_match: IfMatch = None, caller: Caller = _MAY_MANAGE
    ) -> Done:
        """Delete a reference image that no record refers to."""
        await service.reference_images.delete(reference_image_id, if_match, caller)
        return Done(msg="参考图删除成功")

    @routes.post("/{reference_image_id}/template", responses=failures(401, 403, 404, 409, 412, 422))
    async def replace_template(
        reference_image_id: Id,
        body: TemplateWrite,
        response: Response,
        if_match: IfMatch = None,
        caller: Caller = _MAY_MANAGE,
    ) -> Envelope[ReferenceImage]:
        """Replace the regions of a reference image's template."""
        result = await service.replace_template(reference_image_id, body.template, if_match, caller)
        return _answer(response, result, "参考图模板更新成功")

    return routes
