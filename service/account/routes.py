"""Routes `/auth`, except face login (`service.face.routes`), and `/users`."""

from typing import Annotated, Any

from fastapi import APIRouter, Body, Query, Request
from pydantic import SecretStr

from service.account.service import AccountService
from service.web.envelope import Problem, failures
from service.web.routing import add_routes, api_router
from service.web.security import (
    Caller,
    bearer_token,
    client_address,
    client_program,
    is_through_proxy,
    require,
    require_login,
)
from shared.record.codes import ErrorCode, Permission
from shared.wire.account import (
    FirstAdmin,
    FirstRun,
    Login,
    LoginSession,
    Payload,
    ProfileUpdate,
    Refresh,
    Tokens,
    UpdatePassword,
    User,
    UserCreate,
    UserUpdate,
    UserWithRoles,
)
from shared.wire.common import CurrentPage, Envelope, ErrorDetail, Id, Name, Page, PageSize

# The route reads any object: the contract answers a wrong value with code 1 and a sentence, not with 422.
_UPDATE_INFO = {
    "requestBody": {"content": {"application/json": {"schema": ProfileUpdate.model_json_schema()}}}
}


def router(service: AccountService) -> APIRouter:
    """The routes of `service`."""
    routes = api_router()
    add_routes(routes, _auth(service))
    add_routes(routes, _users(service))
    return routes


def _auth(service: AccountService) -> APIRouter:
    routes = api_router("/auth", tags=["auth"])

    @routes.post("/login", responses=failures(422, 429))
    async def login(request: Request, body: Login) -> Envelope[Tokens | None]:
        """Log in by password. A wrong name or password is code 1, as in the other logins."""
        client = client_address(request), client_program(request)
        tokens = await service.logins.log_in(body.username, body.password, *client)
        return Envelope(data=tokens, msg="登录成功")

    @routes.post("/refresh", responses=failures(401, 422))
    async def refresh(request: Request, body: Refresh | None = None) -> Envelope[Tokens]:
        """Exchange a refresh token, in the body or as Bearer without a body, for new tokens.

        The same client gets the same tokens for a repeated request within ten seconds. Later use ends the
        session.
        """
        agent = request.headers.get("user-agent", "")
        token = SecretStr(bearer_token(request)) if body is None else body.refresh_token
        tokens = await service.logins.refresh(token, client_address(request), agent)
        return Envelope(data=tokens, msg="刷新令牌成功")

    @routes.post("/logout", responses=failures(422))
    async def logout(request: Request, body: Refresh) -> Envelope[bool]:
        """End the session of a refresh token; its access tokens end at once."""
        await service.logins.log_out(body.refresh_token, client_address(request))
        return Envelope(data=True, msg="已退出登录")

    @routes.get("/me", responses=failures(401))
    async def me(caller: Caller = require_login()) -> Envelope[Payload]:
        """Return the current user and their permissions."""
        return Envelope(data=await service.me(caller))

    @routes.get("/first-run")
    async def first_run_needed() -> Envelope[FirstRun]:
        """Return whether the first administrator still has to be created."""
        return Envelope(data=FirstRun(needed=await service.needs_first_run()))

    @routes.post("/first-run", responses=failures(403, 409, 422))
    async def first_run(request: Request, body: FirstAdmin) -> Envelope[Tokens]:
        """Create the first administrator and log in, only while there is no user, and only from this
        computer.
        """
        if is_through_proxy(request):
            # Behind a proxy on this machine every client looks local.
            raise Problem(
                403,
                ErrorCode.PERMISSION_MISSING,
                "首个管理员不能通过代理创建，请在运行服务的计算机上直接创建",
            )
        client = client_address(request), client_program(request)
        tokens = await service.first_run(body.username, body.password, body.name, *client)
        return Envelope(data=tokens, msg="管理员创建成功")

    @routes.post("/updateInfo", responses=failures(401, 403, 422), openapi_extra=_UPDATE_INFO)
    async def update_info(
        body: Annotated[dict[str, Any], Body()], caller: Caller = require(Permission.USER_UPDATE)
    ) -> Envelope[User | str]:
        """Change the fields of the current user's profile that are sent."""
        return Envelope(data=await service.update_info(caller, body), msg="更新数据成功")

    @routes.post("/updatePassword", responses=failures(401, 422, 429))
    async def update_password(
        body: UpdatePassword, caller: Caller = require_login()
    ) -> Envelope[bool | ErrorDetail | None]:
        """Change the current user's password and end the user's other sessions.

        A new password that breaks the rules is answered with code 1 and the rule.
        """
        await service.update_password(caller, body.password, body.newPassword)
        return Envelope(data=True, msg="更新密码成功")

    @routes.get("/sessions", responses=failures(401, 422))
    async def list_sessions(
        current_page: Annotated[CurrentPage, Query()] = 1,
        page_size: Annotated[PageSize, Query()] = 50,
        caller: Caller = require_login(),
    ) -> Envelope[Page[LoginSession]]:
        """Return the current user's open sessions, the last used one first."""
        sessions = await service.sessions.find(caller, caller.user_id, current_page, page_size)
        return Envelope(data=sessions, msg="登录会话获取成功")

    @routes.delete("/sessions", responses=failures(401))
    async def end_other_sessions(caller: Caller = require_login()) -> Envelope[int]:
        """End all other sessions of the current user immediately, and return their number."""
        return Envelope(data=await service.sessions.end_others(caller, caller.user_id), msg="登录会话已结束")

    @routes.delete("/sessions/{session_id}", responses=failures(401, 404, 409, 422))
    async def end_session(session_id: Id, caller: Caller = require_login()) -> Envelope[bool]:
        """End another session of the current user immediately. Logout ends the current one."""
        await service.sessions.end(caller, caller.user_id, session_id)
        return Envelope(data=True, msg="登录会话已结束")

    return routes


def _users(service: AccountService) -> APIRouter:
    routes = api_router("/users", tags=["users"])
    manage = require(Permission.USER_MANAGE)
    manage_now = require(Permission.USER_MANAGE, recent_password=True)

    @routes.get("", responses=failures(401, 403, 422))
    async def list_users(
        q: Annotated[Name | None, Query()] = None,
        current_page: Annotated[CurrentPage, Query()] = 1,
        page_size: Annotated[PageSize, Query()] = 50,
        _caller: Caller = manage,
    ) -> Envelope[Page[UserWithRoles]]:
        """Return a page of the users whose name or username contains `q`, oldest first."""
        return Envelope(data=await service.list_users(q, current_page, page_size), msg="用户列表获取成功")

    @routes.post("", responses=failures(401, 403, 409, 422))
    async def create_user(body: UserCreate, caller: Caller = manage_now) -> Envelope[UserWithRoles]:
        """Create a user. Requires a password login of the last ten minutes, as all changes of users do."""
        return Envelope(data=await service.create_user(caller, body), msg="用户创建成功")

    @routes.get("/{user_id}", responses=failures(401, 403, 404, 422))
    async def get_user(user_id: Id, _caller: Caller = manage) -> Envelope[UserWithRoles]:
        """Return a user with their roles."""
        return Envelope(data=await service.get_user(user_id), msg="用户获取成功")

    @routes.put("/{user_id}", responses=failures(401, 403, 404, 409, 422))
    async def update_user(
        user_id: Id, body: UserUpdate, caller: Caller = manage_now
    ) -> Envelope[UserWithRoles]:
        """Change the fields of a user that are sent. Withdrawn permissions and disabling take effect
        immediately.
        """
        return Envelope(data=await service.update_user(caller, user_id, body), msg="用户更新成功")

    @routes.get("/{user_id}/sessions", responses=failures(401, 403, 404, 422))
    async def list_sessions(
        user_id: Id,
        current_page: Annotated[CurrentPage, Query()] = 1,
        page_size: Annotated[PageSize, Query()] = 50,
        caller: Caller = manage,
    ) -> Envelope[Page[LoginSession]]:
        """Return a user's open sessions, the last used one first."""
        sessions = await service.sessions.find(caller, user_id, current_page, page_size)
        return Envelope(data=sessions, msg="登录会话获取成功")

    @routes.delete("/{user_id}/sessions", responses=failures(401, 403, 404, 422))
    async def end_sessions(user_id: Id, caller: Caller = manage_now) -> Envelope[int]:
        """End all sessions of a user immediately, except the current one, and return their number."""
        return Envelope(data=await service.sessions.end_others(caller, user_id), msg="登录会话已结束")

    @routes.delete("/{user_id}/sessions/{session_id}", responses=failures(401, 403, 404, 409, 422))
    async def end_session(user_id: Id, session_id: Id, caller: Caller = manage_now) -> Envelope[bool]:
        """End a session of a user immediately."""
        await service.sessions.end(caller, user_id, session_id)
        return Envelope(data=True, msg="登录会话已结束")

    return routes
