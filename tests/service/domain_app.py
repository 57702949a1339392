"""Provides an application with only some domains, in which a token is the name of a role."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from fastapi import APIRouter, FastAPI
from starlette.testclient import TestClient

from service.web.envelope import Problem, install_handlers
from service.web.routing import add_routes
from service.web.security import Caller
from shared.record.codes import ROLE_PERMISSIONS, ErrorCode, Role


def create_caller(role: Role) -> Caller:
    """A caller whose user ID is the name of the role."""
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


async def authenticate_by_role(token: str, address: str) -> Caller:
    """Authenticate a token that is the name of a role."""
    if token not in set(Role):
        raise Problem(401, ErrorCode.NOT_LOGGED_IN, "请先登录")
    return create_caller(Role(token))


@contextmanager
def create_client(
    *routers: APIRouter, role: Role = Role.PLANNER, middleware: Sequence[Any] = ()
) -> Iterator[TestClient]:
    """A client, logged in with `role`, of an application with only `routers` and `middleware`."""
    app = FastAPI()
    for item in middleware:
        app.add_middleware(item)
    install_handlers(app)
    app.state.authenticate = authenticate_by_role
    for router in routers:
        add_routes(app, router)
    headers = {"Authorization": f"Bearer {role.value}"}
    with TestClient(app, raise_server_exceptions=False, headers=headers) as client:
        yield client


def role_headers(role: Role | None) -> dict[str, str]:
    """The headers of a request as `role`; None for a request without a login."""
    return {"Authorization": f"Bearer {role.value}" if role else ""}
