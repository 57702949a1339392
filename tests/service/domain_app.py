"""Provides a small application around single domains, with callers that a token names by role."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from fastapi import APIRouter, FastAPI
from starlette.testclient import TestClient

from service.routing import add_routes
from service.web.envelope import Problem, install_handlers
from service.web.security import Caller
from shared.codes import ROLE_PERMISSIONS, ErrorCode, Role


def caller_of(role: Role) -> Caller:
    """A caller whose user id is the name of its role."""
    return Caller(
        user_id=role.value,
        username=role.value,
        name=None,
        session_id=f"session-{role.value}",
        permissions=ROLE_PERMISSIONS[role],
        methods=("pwd",),
        password_at=None,
        address="127.0.0.1",
    )


async def by_role(token: str, address: str) -> Caller:
    """An Authenticator for which the token is the name of a role."""
    if token not in set(Role):
        raise Problem(401, ErrorCode.NOT_LOGGED_IN, "请先登录")
    return caller_of(Role(token))


@contextmanager
def client_of(
    *routers: APIRouter, role: Role = Role.PLANNER, middleware: Sequence[Any] = ()
) -> Iterator[TestClient]:
    """A client of an application that has only `routers` and `middleware`, logged in with `role`."""
    app = FastAPI()
    for each in middleware:
        app.add_middleware(each)
    install_handlers(app)
    app.state.authenticate = by_role
    for router in routers:
        add_routes(app, router)
    headers = {"Authorization": f"Bearer {role.value}"}
    with TestClient(app, raise_server_exceptions=False, headers=headers) as client:
        yield client


def as_role(role: Role | None) -> dict[str, str]:
    """Headers that ask as `role`; None asks without a login."""
    return {"Authorization": f"Bearer {role.value}" if role else ""}
