"""Runs an operation without FastAPI's work between its validated parameters and its answer.

FastAPI prepares every request for dependencies that open and close things, for background tasks and for
answers that it has to make itself. That takes half of the processor time of a request that reads one record.
An operation that gives its own Response and depends on nothing but the caller needs none of it. Its
parameters are those that FastAPI found in its signature, and FastAPI validates them.
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

Prepare = Callable[[Request], Awaitable[Any]]


def gives_response(route: APIRoute) -> bool:
    """Whether the operation of `route` is a coroutine function that makes its own answer from JSON."""
    depends = route.dependant
    form = route.body_field is not None and isinstance(route.body_field.field_info, Form)
    return (
        inspect.iscoroutinefunction(route.endpoint)
        and get_type_hints(route.endpoint).get("return") is Response
        and not form
        and not depends.cookie_params
        and depends.response_param_name is None
        and depends.background_tasks_param_name is None
        and depends.http_connection_param_name is None
    )


class _Parameters:
    """Reads the parameters of one kind: path, query or header.

    Valid ones are read here with FastAPI's validators. FastAPI's own function, which takes ten times as long,
    reads lists, models whose fields have other names, and invalid ones, whose faults it describes.
    """

    def __init__(self, fields: Sequence[ModelField]) -> None:
        self._fields = fields
        self._plain = all(_is_plain(field) for field in fields)
        self._models = {field.name: _model(field) for field in fields}

    def read(self, received: Mapping[str, Any]) -> tuple[dict[str, Any], list[Any]]:
        """The values by the operation's names, and the faults."""
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
    model = _model(field)
    infos = [field.field_info] if model is None else list(model.model_fields.values())
    renamed = model is not None and (
        model.model_config.get("extra", "ignore") != "ignore"
        or any(info.alias is not None or info.validation_alias is not None for info in infos)
    )
    return not renamed and not any(_holds_several(info.annotation) for info in infos)


def _holds_several(annotation: Any) -> bool:
    kinds = (
        annotation,
        get_origin(annotation),
        *map(get_origin, get_args(annotation)),
        *get_args(annotation),
    )
    return any(kind in (list, set, frozenset, tuple, dict) for kind in kinds)


def direct_app(route: APIRoute, prepare: Prepare, caller_names: Sequence[str]) -> ASGIApp:
    """An application that answers for `route`.

    `prepare` checks the login and the rights and gives the Caller, which the operation takes by
    `caller_names`. Exceptions pass to the application's handlers; RequestValidationError for parameters.
    """
    depends, call = route.dependant, route.endpoint
    embed = route._embed_body_fields
    path, query = _Parameters(depends.path_params), _Parameters(depends.query_params)
    header = _Parameters(depends.header_params)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive, send)
        caller = await prepare(request)
        values, errors = path.read(request.path_params)
        if depends.query_params:
            parameters, faults = query.read(request.query_params)
            values.update(parameters)
            errors += faults
        if depends.header_params:
            parameters, faults = header.read(request.headers)
            values.update(parameters)
            errors += faults
        body: Any = PydanticUndefined
        if depends.body_params:
            body = await request.json() if await request.body() else PydanticUndefined
            parameters, faults = await request_body_to_args(
                body_fields=depends.body_params, received_body=body, embed_body_fields=embed
            )
            values.update(parameters)
            errors += faults
        if errors:
            raise RequestValidationError(errors, body=body)
        if depends.request_param_name is not None:
            values[depends.request_param_name] = request
        for name in caller_names:
            values[name] = caller
        response: Response = await call(**values)
        await response(scope, receive, send)

    return app
