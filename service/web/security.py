"""Identifies the caller of a request and checks permissions."""

from collections.abc import Callable, Collection, Coroutine
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, Protocol

from fastapi import Depends, Request, Response, Security
from fastapi.params import Form
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer

from service.db.database import now
from service.web.addresses import is_loopback
from service.web.bodies import read_json
from service.web.envelope import Problem
from shared.names import user_label
from shared.record.codes import ErrorCode, Permission

# The User-Agent of a browser is shorter.
_MAX_AGENT_LENGTH = 512

_PROXY_HEADERS = frozenset({b"forwarded", b"x-forwarded-for", b"x-real-ip"})

# How recent a password login must be for operations that a face login does not allow (managing users, roles,
# models and settings).
RECENT_PASSWORD = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Caller:
    """The user of a request, by its access token and the current state of the database.

    `methods` is the claim `amr` of the JWT ("pwd", "face"). `password_at` is when the user last entered the
    password in this session.
    """

    user_id: str
    username: str
    name: str | None
    session_id: str
    permissions: frozenset[Permission]
    methods: tuple[str, ...]
    password_at: datetime | None
    address: str
    is_through_proxy: bool = False

    @property
    def is_local(self) -> bool:
        """Whether the request comes from this machine. Behind a proxy on it every client looks local."""
        return is_loopback(self.address) and not self.is_through_proxy

    @property
    def has_recent_password(self) -> bool:
        """Whether the user entered the password in this session within `RECENT_PASSWORD`."""
        # The absolute difference: a clock that was set back must not extend the ten minutes.
        return self.password_at is not None and abs(now() - self.password_at) <= RECENT_PASSWORD

    @property
    def is_by_face_only(self) -> bool:
        """Whether a face alone began this session and no password was entered in it recently.

        Such a session may belong to a person who held a picture of the user before a camera.
        """
        return self.methods == ("face",) and not self.has_recent_password

    @property
    def display_name(self) -> str:
        """The name that signs what the caller does: the full name with the username."""
        return user_label(self.name, self.username)


class Authenticator(Protocol):
    """Returns the caller of an access token. Raises Problem 401."""

    async def __call__(self, token: str, address: str) -> Caller: ...


def client_address(request: Request) -> str:
    """The address of the client. The server reads it from forwarded headers only behind trusted proxies."""
    return request.client.host if request.client else "unknown"


def client_program(request: Request) -> str:
    """The start of the client's User-Agent; empty if it sends none."""
    return request.headers.get("user-agent", "")[:_MAX_AGENT_LENGTH]


def is_through_proxy(request: Request) -> bool:
    """Whether a proxy sent the request, as far as its headers show."""
    return any(name in _PROXY_HEADERS for name, _ in request.scope["headers"])


def bearer_token(request: Request) -> str:
    """The token of the Authorization header. Raises Problem 401 without one."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Problem(401, ErrorCode.NOT_LOGGED_IN, "请先登录", headers={"WWW-Authenticate": "Bearer"})
    return token.strip()


async def authenticate_request(request: Request) -> Caller:
    """The caller of the request by its Authorization header, in the current state of the database.

    Raises Problem 401.
    """
    authenticate: Authenticator = request.app.state.authenticate
    caller = await authenticate(bearer_token(request), client_address(request))
    return replace(caller, is_through_proxy=True) if is_through_proxy(request) else caller


def require_login() -> Any:
    """A dependency for an operation that requires a login and no permission; its value is the Caller."""
    return Depends(_AuthorizedCaller())


def require(*permissions: Permission, recent_password: bool = False) -> Any:
    """A dependency for an operation that requires all of `permissions`; its value is the Caller.

    With `recent_password` the user must have entered the password in this session within `RECENT_PASSWORD`.
    Raises Problem 401 without a valid token, and 403 without a permission or a recent password.
    """

    scopes = [str(permission) for permission in permissions]
    return Security(_AuthorizedCaller(permissions, recent_password=recent_password), scopes=scopes)


def password_needed() -> Problem:
    """The failure of an operation for which the user must have entered the password recently."""
    return Problem(
        403, ErrorCode.PASSWORD_LOGIN_NEEDED, "此操作需要近期使用密码登录，请使用密码重新登录后重试"
    )


def check_permissions(caller: Caller, *permissions: Permission) -> None:
    """Raise Problem 403 if the caller lacks one of `permissions`; for permissions that depend on the body."""
    _AuthorizedCaller(permissions).check(caller)


class _AuthorizedCaller(HTTPBearer):
    """The dependency that gives the Caller of a request, and documents what it needs.

    `AuthorizedRoute` has authenticated the caller and called `check` before.
    """

    def __init__(self, needed: Collection[Permission] = (), *, recent_password: bool = False) -> None:
        super().__init__(
            scheme_name="token",
            bearerFormat="JWT",
            description="`access_token` of a login. An operation lists the permission that it asks for.",
        )
        self.needed = frozenset(needed)
        self.recent_password = recent_password

    async def __call__(self, request: Request) -> Caller:  # type: ignore[override]
        caller: Caller = request.state.caller
        return caller

    def check(self, caller: Caller) -> None:
        missing = sorted(self.needed - caller.permissions)
        if missing:
            raise Problem(
                403, ErrorCode.PERMISSION_MISSING, "没有此操作的权限，请联系管理员", permissions=missing
            )
        if self.recent_password and not caller.has_recent_password:
            raise password_needed()


class AuthorizedRoute(APIRoute):
    """A route that checks the login and the permissions before it reads the body, which must be JSON.

    FastAPI reads the body before it calls the dependencies. So a client without a login could make the
    service read megabytes, and fill the disk with a form.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handle_authorized(request: Request) -> Response:
            request.state.caller = await self._authorize(request)
            return await handle(request)

        return handle_authorized

    @cached_property
    def _callers(self) -> list[_AuthorizedCaller]:
        calls = (dependency.call for dependency in self.dependant.dependencies)
        return [call for call in calls if isinstance(call, _AuthorizedCaller)]

    async def _authorize(self, request: Request) -> Caller | None:
        """Check the login and the permissions, then read the body. Raises Problem."""
        caller = None
        if self._callers:
            caller = await authenticate_request(request)
            for needed in self._callers:
                needed.check(caller)
        if self.body_field is not None and not isinstance(self.body_field.field_info, Form):
            await read_json(request)
        return caller
