"""Runs an operation with nothing between its checked parameters and its answer.

FastAPI prepares every request for dependencies that open and close things, for background tasks and for
answers that it has to make itself. That takes half of the processor time of a request that reads one record.
An operation that gives its own Response and depends on nothing but the caller needs none of it. Its
parameters are those that FastAPI found in its signature, and FastAPI validates them.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, get_type_hints

from fastapi import Request, Response
from fastapi.dependencies.utils import request_body_to_args, request_params_to_args
from fastapi.exceptions import RequestValidationError
from fastapi.params import Form
from fastapi.routing import APIRoute
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


def direct_app(route: APIRoute, prepare: Prepare, caller_names: Sequence[str]) -> ASGIApp:
    """An application that answers for `route`.

    `prepare` checks the login and the rights and gives the Caller, which the operation takes by
    `caller_names`. Exceptions pass to the application's handlers; RequestValidationError for parameters.
    """
    depends, call = route.dependant, route.endpoint
    embed = route._embed_body_fields

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive, send)
        caller = await prepare(request)
        values, errors = request_params_to_args(depends.path_params, request.path_params)
        if depends.query_params:
            found, wrong = request_params_to_args(depends.query_params, request.query_params)
            values.update(found)
            errors += wrong
        if depends.header_params:
            found, wrong = request_params_to_args(depends.header_params, request.headers)
            values.update(found)
            errors += wrong
        body: Any = PydanticUndefined
        if depends.body_params:
            body = await request.json() if await request.body() else PydanticUndefined
            found, wrong = await request_body_to_args(
                body_fields=depends.body_params, received_body=body, embed_body_fields=embed
            )
            values.update(found)
            errors += wrong
        if errors:
            raise RequestValidationError(errors, body=body)
        if depends.request_param_name is not None:
            values[depends.request_param_name] = request
        for name in caller_names:
            values[name] = caller
        response: Response = await call(**values)
        await response(scope, receive, send)

    return app
