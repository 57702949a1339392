"""Creates the routers of the domains and adds their routes to the application."""

import warnings
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError
from pydantic.warnings import UnsupportedFieldAttributeWarning

from service.web.envelope import failures
from service.web.security import AuthorizedRoute

# FastAPI ignores this warning where it declares a route, but a body is built at its first request only.
warnings.simplefilter("ignore", UnsupportedFieldAttributeWarning)


def operation_id(route: APIRoute) -> str:
    """The ID of an operation in OpenAPI: its first tag and the name of its function."""
    return f"{route.tags[0]}_{route.name}" if route.tags else route.name


def api_router(
    prefix: str = "",
    *,
    tags: list[str] | None = None,
    responses: dict[int | str, dict[str, Any]] | None = None,
) -> APIRouter:
    """A router for paths below `/api` and `prefix`, whose routes `add_routes` adds to an application."""
    return APIRouter(
        route_class=AuthorizedRoute,
        prefix=f"/api{prefix}",
        tags=[*tags] if tags else None,
        responses={**failures(400), **(responses or {})},
        generate_unique_id_function=operation_id,
    )


class ReadQuery:
    """A dependency that gives the query of a request as a model. Raises RequestValidationError.

    FastAPI's own reading of a model with two dozen fields takes a quarter of the time of a page of records,
    as it looks at the annotation of each field in each request. `api_docs` describes the fields.
    """

    def __init__(self, model: type[BaseModel]) -> None:
        self.model = model

    async def __call__(self, request: Request) -> Any:
        """Read the query; of a parameter that is given several times, the last one counts."""
        try:
            return self.model.model_validate(dict(request.query_params))
        except ValidationError as problem:
            faults = [
                {**fault, "loc": ("query", *fault["loc"])} for fault in problem.errors(include_url=False)
            ]
        raise RequestValidationError(faults)


def add_routes(target: FastAPI | APIRouter, router: APIRouter) -> None:
    """Add the routes of `router`, which `api_router` created, to `target`.

    `include_router` would build each route a second time, which doubled the time to create the application,
    and would search the routes twice for each request.
    """
    target.routes.extend(router.routes)
