"""Runs an operation without FastAPI's steps between the validated parameters and the answer.

FastAPI prepares every request for dependencies that open and close resources, for background tasks and for
answers that it creates itself. That takes half of the processor time of a request that reads one record. An
operation that returns a Response and depends only on the caller needs none of it. FastAPI finds its
parameters in its signature and validates them.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, get_args, get_origin, get_type_hints

from fastapi import Request, Response
from fastapi._compat import ModelField
from fastapi.dependencies.utils import request_body_to_args, request_params_to_args
from fastapi.exceptions import RequestValidationError
from fastapi.params import Form
from fastapi.routing import APIRoute
from pydantic import BaseModel
from pydantic_core import PydanticUndefined
from starlette.types import ASGIApp, Receive, Scope, Send

Authorize = Callable[[Request], Awaitable[Any]]


def returns_response(route: APIRoute) -> bool:
    """Whether the operation of `route` is a coroutine function that returns a Response and reads no form."""
    dependant = route.dependant
    is_form = route.body_field is not None and isinstance(route.body_field.field_info, Form)
    return (
        inspect.iscoroutinefunction(route.endpoint)
        and get_type_hints(route.endpoint).get("return") is Response
        and not is_form
        and not dependant.cookie_params
        and dependant.response_param_name is None
        and dependant.background_tasks_param_name is None
        and dependant.http_connection_param_name is None
    )


class _Parameters:
    """Reads the parameters of one kind: path, query or header.

    Reads valid parameters with FastAPI's validators. FastAPI's own function takes ten times as long. It reads
    lists, models whose fields have aliases, and invalid parameters, because it describes their faults.
    """

    def __init__(self, fields: Sequence[ModelField]) -> None:
        self._fields = fields
        self._plain = all(_is_plain(field) for field in fields)
        self._models = {field.name: _model(field) for field in fields}

    def read(self, received: Mapping[str, Any]) -> tuple[dict[str, Any], list[Any]]:
        """The values by the names that the operation uses, and the faults."""
        values = self._valid_values(received) if self._plain else None
        return (values, []) if values is not None else request_params_to_args(self._fields, received)

    def _valid_values(self, received: Mapping[str, Any]) -> dict[str, Any] | None:
        values: dict[str, Any] = {}
        for field in self._fields:
            model = self._models[field.name]
            value: Any
            if model is not None:
                value = {name: received[name] for name in model.model_fields if name in received}
            elif (value := received.get(field.alias)) is None:
                if field.field_info.is_required():
                    return None
                values[field.name] = field.get_default()
                continue
            values[field.name], faults = field.validate(value)
            if faults:
                return None
        return values


def _model(field: ModelField) -> type[BaseModel] | None:
    annotation = field.field_info.annotation
    return annotation if isinstance(annotation, type) and issubclass(annotation, BaseModel) else None


def _is_plain(field: ModelField) -> bool:
    """Whether the parameter is one value, or a model of single values without aliases."""
    model = _model(field)
    infos = [field.field_info] if model is None else list(model.model_fields.values())
    has_special_names = model is not None and (
        model.model_config.get("extra", "ignore") != "ignore"
        or any(info.alias is not None or info.validation_alias is not None for info in infos)
    )
    return not has_special_names and not any(_accepts_several_values(info.annotation) for info in infos)


def _accepts_several_values(annotation: Any) -> bool:
    kinds = (
        annotation,
        get_origin(annotation),
        *map(get_origin, get_args(annotation)),
        *get_args(annotation),
    )
    return any(kind in (list, set, frozenset, tuple, dict) for kind in kinds)


def direct_app(route: APIRoute, authorize: Authorize, caller_names: Sequence[str]) -> ASGIApp:
    """An ASGI application that runs the operation of `route`.

    `authorize` checks the login and the permissions and returns the Caller, which the operation receives as
    its parameters `caller_names`. The application handles exceptions. Raises RequestValidationError for
    invalid parameters.
    """
    dependant, call = route.dependant, route.endpoint
    embed = route._embed_body_fields
    path, query = _Parameters(dependant.path_params), _Parameters(dependant.query_params)
    header = _Parameters(dependant.header_params)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive, send)
        caller = await authorize(request)
        values, errors = path.read(request.path_params)
        if dependant.query_params:
            parameters, faults = query.read(request.query_params)
            values.update(parameters)
            errors += faults
        if dependant.header_params:
            parameters, faults = header.read(request.headers)
            values.update(parameters)
            errors += faults
        body: Any = PydanticUndefined
        if dependant.body_params:
            body = await request.json() if await request.body() else PydanticUndefined
            parameters, faults = await request_body_to_args(
                body_fields=dependant.body_params, received_body=body, embed_body_fields=embed
            )
            values.update(parameters)
            errors += faults
        if errors:
            raise RequestValidationError(errors, body=body)
        if dependant.request_param_name is not None:
            values[dependant.request_param_name] = request
        for name in caller_names:
            values[name] = caller
        response: Response = await call(**values)
        await response(scope, receive, send)

    return app
