"""Routes of phone codes, and of the phones that use them."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Final

from fastapi import APIRouter, Body, Depends, Path, Query, Request, Response
from fastapi.security import APIKeyHeader
from starlette.requests import ClientDisconnect

from service.phone.codes import PhoneConnection
from service.phone.service import PhoneService
from service.web.envelope import Problem, failures
from service.web.routing import api_router
from service.web.security import Caller, client_address, client_program, require
from shared.record.codes import ErrorCode, Permission
from shared.system.paths import resource_path
from shared.wire.common import Done, Envelope, Id
from shared.wire.phone import (
    MAX_PART_BYTES,
    MAX_PHOTO_BYTES,
    NewPhoneCode,
    PhoneClaim,
    PhoneCode,
    PhoneCodeCreate,
    PhoneUpload,
    PhoneUploadCreate,
    PhoneView,
)

FILES: Final = {
    "phone.css": "text/css; charset=utf-8",
    "app.js": "text/javascript; charset=utf-8",
    "view.js": "text/javascript; charset=utf-8",
    "sending.js": "text/javascript; charset=utf-8",
    "service.js": "text/javascript; charset=utf-8",
    "store.js": "text/javascript; charset=utf-8",
    "texts.js": "text/javascript; charset=utf-8",
}
"""The files of the page and their types."""

# Nothing from other hosts and no inline code; `blob:` shows the waiting photos.
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def add_page(routes: APIRouter) -> None:
    """Add the page and its files below the prefix of `routes`."""

    @routes.get("", include_in_schema=False)
    async def phone_page() -> Response:
        return _file_response("index.html", "text/html; charset=utf-8")

    # One route for each file: a route with a path parameter would also match other operations.
    for name, media_type in FILES.items():
        routes.add_api_route(f"/{name}", _endpoint(name, media_type), include_in_schema=False, name=name)


def _endpoint(name: str, media_type: str) -> Callable[[], Awaitable[Response]]:
    async def phone_file() -> Response:
        return _file_response(name, media_type)

    return phone_file


def _file_response(name: str, media_type: str) -> Response:
    headers = {"Content-Security-Policy": POLICY, "Permissions-Policy": "geolocation=(), microphone=()"}
    return Response(resource_path("phone", name).read_bytes(), media_type=media_type, headers=headers)


_IdPath = Annotated[Id, Path()]
_PART: dict[str, Any] = {
    "requestBody": {
        "required": False,
        "description": f"The next bytes, at most {MAX_PART_BYTES // 2**20} MiB; none: store it again.",
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
_JPEG: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The region and its surroundings",
        "content": {"image/jpeg": {"schema": {"type": "string", "format": "binary"}}},
    }
}
# For OpenAPI only: `PhoneCodes.authenticate` reads the header.
_PHONE = APIKeyHeader(
    name="Authorization",
    scheme_name="phone",
    description="`Phone CODE_ID.KEY`: the code that a phone claimed, and the key that it claimed it with.",
    auto_error=False,
)


def router(service: PhoneService) -> APIRouter:
    """The routes below `/phone`."""
    routes = api_router("/phone", tags=["phone"], responses=failures(503))
    may_add = require(Permission.INSPECTION_ITEM_UPDATE, Permission.FILE_ADD)

    async def phone_connection(request: Request, _scheme: object = Depends(_PHONE)) -> PhoneConnection:
        authorization = request.headers.get("authorization", "")
        return await service.codes.authenticate(authorization, client_address(request))

    phone_asks = failures(401, 410, 422)
    phone_code: Any = Depends(phone_connection)

    @routes.post("/codes", responses=failures(401, 403, 404, 409, 413, 422, 429))
    async def create_phone_code(
        request: Request,
        body: Annotated[
            PhoneCodeCreate,
            Body(
                openapi_examples={
                    "for the record": {"value": {"inspection_id": "9c1e"}},
                    "for one item": {"value": {"inspection_id": "9c1e", "item_id": "b2f6"}},
                    "a service on this machine": {"value": {"inspection_id": "9c1e", "open_network": True}},
                }
            ),
        ],
        caller: Caller = may_add,
    ) -> Envelope[NewPhoneCode]:
        """Create a code that connects one phone to a record. Only this answer contains its token.

        It ends with the login that created it, with the permission to add photos, and when the record is
        finished.
        """
        data = await service.create(body, caller, request.scope.get("server"))
        return Envelope(data=data, msg="连接码已生成")

    @routes.get("/codes", responses=failures(401, 403))
    async def list_phone_codes(caller: Caller = may_add) -> Envelope[list[PhoneCode]]:
        """Return the current user's valid codes, newest first, or all of them if the user manages users."""
        return Envelope(data=await service.codes.list_valid(caller), msg="连接码列表获取成功")

    @routes.get("/codes/{code_id}", responses=failures(401, 403, 404, 422))
    async def get_phone_code(code_id: _IdPath, caller: Caller = may_add) -> Envelope[PhoneCode]:
        """Return a code: whether it is valid, whether a phone uses it, and what has arrived."""
        return Envelope(data=await service.codes.get(code_id, caller), msg="连接码获取成功")

    @routes.delete("/codes/{code_id}", responses=failures(401, 403, 404, 422))
    async def end_phone_code(code_id: _IdPath, caller: Caller = may_add) -> Done:
        """End a code immediately: your own or, if you manage users, any. Photos that arrived stay."""
        await service.codes.end(code_id, caller)
        return Done(msg="连接码已结束")

    @routes.post("/claim", responses=failures(404, 409, 410, 413, 422, 429))
    async def claim_phone_code(
        request: Request,
        body: Annotated[
            PhoneClaim,
            Body(
                openapi_examples={
                    "a phone": {
                        "value": {
                            "token": "mJ4q0mW3X1cPZ2yXk0n7Qw",
                            "key": "tQ0w8YxU3vZ5n1kR7mB2cD4eF6gH8jL0",
                        }
                    }
                }
            ),
        ],
    ) -> Envelope[PhoneView]:
        """Connect a phone. The first phone that sends a token gets the code and may repeat the request."""
        view = await service.claim(body, client_address(request), client_program(request))
        return Envelope(data=view, msg="手机已连接")

    @routes.get("/view", responses=phone_asks)
    async def get_phone_view(phone: PhoneConnection = phone_code) -> Envelope[PhoneView]:
        """Return what a phone shows: the record, its items, and the progress of its photos."""
        return Envelope(data=await service.view(phone))

    @routes.get(
        "/items/{item_id}/picture",
        response_class=Response,
        responses={**phone_asks, **failures(404, 415), **_JPEG},
    )
    async def get_phone_picture(item_id: _IdPath, phone: PhoneConnection = phone_code) -> Response:
        """Return a small image of an item's region."""
        return Response(await service.picture(phone, item_id), media_type="image/jpeg")

    @routes.post("/uploads", responses={**phone_asks, **failures(404, 409, 413, 429, 507)})
    async def begin_phone_upload(
        body: Annotated[
            PhoneUploadCreate,
            Body(
                openapi_examples={
                    "a photo": {
                        "value": {
                            "upload_id": "2f7c1c1e-6d0b-4a55-9a3e-52b1b9b0a1f4",
                            "name": "photo-20260301-081500.jpg",
                            "size": 3145728,
                            "item_id": "b2f6",
                        }
                    }
                }
            ),
        ],
        phone: PhoneConnection = phone_code,
    ) -> Envelope[PhoneUpload]:
        """Start the upload of a photo, or return how much of it has arrived."""
        return Envelope(data=await service.uploads.begin(phone, body))

    @routes.put(
        "/uploads/{upload_id}",
        responses={**phone_asks, **failures(404, 413, 507)},
        openapi_extra=_PART,
    )
    async def send_phone_part(
        request: Request,
        upload_id: _IdPath,
        start: Annotated[int, Query(ge=0, le=MAX_PHOTO_BYTES, description="Position of the first byte")],
        phone: PhoneConnection = phone_code,
    ) -> Envelope[PhoneUpload]:
        """Send the next bytes of a photo. The answer contains how many have arrived.

        The last bytes complete the photo: detection runs on its item, or it is matched with the items of the
        record. Bytes that do not follow the received ones are ignored.
        """
        try:
            content = await request.body()
        except ClientDisconnect as error:
            raise Problem(400, ErrorCode.INVALID_INPUT, "上传不完整，请重新上传") from error
        return Envelope(data=await service.uploads.add_part(phone, upload_id, start, content))

    add_page(routes)
    return routes
