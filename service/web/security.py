"""Identifies the caller of a request and checks permissions."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, Protocol

from fastapi import Depends, Request, Response, Security
from fastapi.params import Form
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer
from starlette.routing import compile_path, get_name

from service.db.database import now
from service.web.direct import direct_app, gives_response
from service.web.envelope import Problem
from service.web.json_body import read_json
from shared.codes import ErrorCode, Permission

# The User-Agent of a browser is shorter.
_LONGEST_AGENT = 512

# A password login this recent opens what a face login does not (managing users, roles, models, settings).
RECENT_PASSWORD = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Caller:
    """The user behind a request, as the access token and the database say at this moment.

    `methods` are the JWT's `amr` ("pwd", "face"); `password_at` is when this session last gave a password.
    """

    user_id: str
    username: str
    name: str | None
    session_id: str
    permissions: frozenset[Permission]
    methods: tuple[str, ...]
    password_at: datetime | None
    address: str

    @property
    def display_name(self) -> str:
        """The name to show: the full name, else the user name."""
        return self.name or self.username


class Authenticator(Protocol):
    """Gives the caller of an access token, or raises Problem 401."""

    async def __call__(self, token: str, address: str) -> Caller: ...


def client_address(request: Request) -> str:
    """The address of the client; forwarded headers are read by the server only behind trusted proxies."""
    return request.client.host if request.client else "unknown"


def client_program(request: Request) -> str:
    """The start of the User-Agent of the client; empty if it sends none."""
    return request.headers.get("user-agent", "")[:_LONGEST_AGENT]


async def authenticated(request: Request) -> Caller:
    """The caller of the request by its Authorization header, at this moment. Raises Problem 401."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Problem(401, ErrorCode.NOT_LOGGED_IN, "请先登录", headers={"WWW-Authenticate": "Bearer"})
    authenticate: Authenticator = request.app.state.authenticate
    return await authenticate(token.strip(), client_address(request))


# For OpenAPI only: `authenticated` reads the header.
_BEARER = HTTPBearer(
    scheme_name="token",
    bearerFormat="JWT",
    description="`access_token` of a login. An operation lists the permission that it asks for.",
    auto_error=False,
)


async def current_caller(request: Request, _scheme: object = Depends(_BEARER)) -> Caller:
    """The caller of the request, whom `AuthorizedRoute` has asked for. Raises Problem 401."""
    caller: Caller | None = getattr(request.state, "caller", None)
    return await authenticated(request) if caller is None else caller


def logged_in() -> Any:
    """Dependency for an operation that asks for a login and no permission."""
    return Depends(current_caller)


def require(*needed: Permission, recent_password: bool = False) -> Any:
    """Dependency for an operation that asks for every permission of `needed`: gives the Caller.

    With `recent_password` the session must have given its password within `RECENT_PASSWORD`.
    Raises Problem 401 without a valid token, 403 without the right.
    """

    return Security(_Permitted(needed, recent_password), scopes=[str(permission) for permission in needed])


def ask_right(caller: Caller, *needed: Permission) -> None:
    """Raises Problem 403 unless the caller has every permission of `needed`, where the body decides on it."""
    _Permitted(needed, False).check(caller)


@dataclass(frozen=True)
class _Permitted:
    needed: tuple[Permission, ...]
    recent_password: bool

    async def __call__(self, caller: Caller = Depends(current_caller)) -> Caller:
        self.check(caller)
        return caller

    def check(self, caller: Caller) -> None:
        missing = sorted(set(self.needed) - caller.permissions)
        if missing:
            raise Problem(
                403, ErrorCode.PERMISSION_MISSING, "没有此操作的权限，请联系管理员", permissions=missing
            )
        # Without a sign: a clock that was set back must not make ten minutes longer.
        if self.recent_password and (
            caller.password_at is None or abs(now() - caller.password_at) > RECENT_PASSWORD
        ):
            raise Problem(
                403, ErrorCode.PASSWORD_LOGIN_NEEDED, "此操作需要近期使用密码登录，请使用密码重新登录后重试"
            )


class AuthorizedRoute(APIRoute):
    """A route that asks for the login and the rights before it reads the body, and reads no other than JSON.

    FastAPI reads a body first and asks the dependencies then: a stranger could make the service read
    megabytes, and fill the disk with a form.

    FastAPI analyses the signature of the operation and prepares validators for it, which takes some
    milliseconds, and a third of the start of the service for all routes. So a route does that when it is
    prepared or first used.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        # What finds the route of a request.
        self.path, self.endpoint = path, endpoint
        self.path_regex, self.path_format, self.param_convertors = compile_path(path)
        self.methods = {method.upper() for method in options.get("methods") or ("GET",)}
        self.name = options.get("name") or get_name(endpoint)
        self._options: dict[str, Any] | None = options

    def __getattr__(self, name: str) -> Any:
        # Python calls this for an attribute that the route does not have.
        if "_options" not in vars(self) or not self.prepare():
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self, name)

    def prepare(self) -> bool:
        """Analyse the operation; False if that was done, or is being done."""
        options, self._options = self._options, None
        if options is None:
            return False
        super().__init__(self.path, self.endpoint, **options)
        dependencies = self.dependant.dependencies
        of_caller = [dependency for dependency in dependencies if self._is_caller(dependency.call)]
        if len(of_caller) == len(dependencies) and gives_response(self):
            self.app = direct_app(
                self, self._admit, [dependency.name for dependency in of_caller if dependency.name]
            )
        return True

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handle_authorized(request: Request) -> Response:
            request.state.caller = await self._admit(request)
            return await handle(request)

        return handle_authorized

    @staticmethod
    def _is_caller(call: object) -> bool:
        return isinstance(call, _Permitted) or call is current_caller

    @cached_property
    def _rights(self) -> list[_Permitted]:
        calls = (dependency.call for dependency in self.dependant.dependencies)
        return [call for call in calls if isinstance(call, _Permitted)]

    @cached_property
    def _asks_login(self) -> bool:
        return any(self._is_caller(dependency.call) for dependency in self.dependant.dependencies)

    async def _admit(self, request: Request) -> Caller | None:
        """Check the login and the rights, then read the body. Raises Problem."""
        caller = None
        if self._asks_login:
            caller = await authenticated(request)
            for right in self._rights:
                right.check(caller)
        if self.body_field is not None and not isinstance(self.body_field.field_info, Form):
            await read_json(request)
        return caller
