"""Examples of the contract's operations in the API document: a request, its answer and each failure.

All examples are about one record with one item. Ids, times and tokens are invented. The service answers
exactly the rest: `tests/contract/test_examples.py` compares the examples with a running service.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

RECORD_ID: Final = "6f1c2a90-3b7e-4c55-9a0d-2f8e5b7c1d42"
ITEM_ID: Final = "b3d8e7f4-91a2-4e06-8c7b-5a4f3e2d1c0b"
_ETAG: Final = '"1482936051"'
USER_ID: Final = "0a9b8c7d-6e5f-4a3b-8c1d-0e9f8a7b6c5d"

_RECORD: Final[dict[str, Any]] = {
    "inspection_id": RECORD_ID,
    "inspection_name": "左翼前缘",
    "task_id": "TASK-2026-0301",
    "executor_id": None,
    "executor_name": None,
    "reference_image_id": None,
    "reference_image_name": None,
    "progress": 0,
    "start_time": "2026-03-01T08:00:00",
    "end_time": None,
    "inspection_status": "not_started",
    "status_name": "未开始",
    "flight_id": None,
    "aircraft_id": None,
    "aircraft_name": None,
    "created_at": "2026-03-01T07:55:12.483215",
    "updated_at": "2026-03-01T07:55:12.483215",
}
_RENAMED_RECORD: Final = {
    **_RECORD,
    "inspection_name": "左翼前缘（复检）",
    "updated_at": "2026-03-01T08:05:40.120934",
}
_ITEM: Final[dict[str, Any]] = {
    "item_id": ITEM_ID,
    "item_name": "蒙皮",
    "inspection_id": RECORD_ID,
    "description": "检查凹坑与划伤",
    "model_id": "reference-difference",
    "model_name": "参考图比对",
    "model_description": "将照片与参考图上的区域对齐后比对，无需训练",
    "item_point": {"point": {"x": 0.1, "y": 0.2, "w": 0.3, "h": 0.25}},
    "result": [],
    "created_at": "2026-03-01T08:10:03.771620Z",
    "updated_at": "2026-03-01T08:10:03.771620Z",
}
_RESULT: Final[list[dict[str, Any]]] = [
    {
        "inputImage": {"filename": "左翼.jpg"},
        "resultImage": {
            "boxes": [
                {
                    "label": "划伤",
                    "confidence": 0.93,
                    "points": {"x1": 120, "y1": 80, "x2": 180, "y2": 110},
                }
            ],
            "resultImage": {},
        },
        "isPassed": False,
        "progress": "done",
        "version": 1,
    }
]
_CHECKED_ITEM: Final = {**_ITEM, "result": _RESULT, "updated_at": "2026-03-01T08:21:57.305118Z"}
_USER: Final[dict[str, Any]] = {
    "user_id": USER_ID,
    "username": "li.mei",
    "name": "李梅",
    "email": "li.mei@example.com",
    "phone": None,
    "gender": None,
    "work_years": 8,
    "department": None,
    "has_face": True,
    "enabled": True,
    "status": "enabled",
    "last_login": "2026-03-01T07:40:19.662013Z",
    "created_at": "2026-01-05T02:30:00.104882Z",
    "updated_at": "2026-03-01T07:40:19.662013Z",
}
_FACE: Final = "iVBORw0KGgoAAAANSUhEUgAAAoAAAAHg..."
_TOKENS: Final[dict[str, Any]] = {
    "access_token": "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9...",
    "refresh_token": "ubzosOI8WJ6Q24dkcYIo95uklhVIxzUi0IS7LFTPOtk",
    "token_type": "Bearer",
    "expires_in": 900,
    "payload": {
        "user": _USER,
        "role": ["viewer"],
        "permissions": [
            "INSPECTION_READ",
            "INSPECTION_ITEM_READ",
            "USER.UPDATE",
            "CATALOGUE_READ",
            "FILE_READ",
        ],
    },
}


class Example(NamedTuple):
    """An operation: the body of a request, its parameters by name, and its answers by status and title."""

    answers: Mapping[int, Mapping[str, Any]]
    body: Any = None
    parameters: Mapping[str, Any] = {}


def _success(data: Any, msg: str | None) -> dict[str, Any]:
    return {"code": 0, "data": data, "msg": msg}


def _refusal(msg: str, data: Any = None) -> dict[str, Any]:
    return {"code": 1, "data": data, "msg": msg}


def _failure(error: str, msg: str, **details: Any) -> dict[str, Any]:
    return {"code": 1, "data": {"error": error, **details}, "msg": msg}


def _invalid_field(field: str, kind: str, message: str, msg: str | None = None) -> dict[str, Any]:
    fault = {"field": field, "type": kind, "message": message}
    return _failure("invalid_input", msg or f"{field}：{message}", fields=[fault])


def _page(entry: Any) -> dict[str, Any]:
    pagination = {"current_page": 1, "page_size": 10, "total": 1, "total_pages": 1}
    return {"data": [entry], "pagination": pagination}


def _stale_failure(current: Any) -> dict[str, Any]:
    changed_by = {"user_id": USER_ID, "name": "李梅"}
    msg = "内容已被其他用户修改，请查看最新内容后重新保存"
    return _failure("stale", msg, etag=_ETAG, current=current, updated_by=changed_by)


def _forbidden_failure(permission: str) -> dict[int, dict[str, Any]]:
    msg = "没有此操作的权限，请联系管理员"
    return {403: {"permission missing": _failure("permission_missing", msg, permissions=[permission])}}


_UNREADABLE_REQUEST: Final = {400: {"not HTTP": _failure("invalid_input", "请求无法解析，请检查请求的格式")}}
_NO_LOGIN: Final = {401: {"no token": _failure("not_logged_in", "请先登录")}}
_NO_JSON: Final = {
    415: {
        "not JSON": _failure(
            "unsupported_media", "不支持的内容类型，请以 Content-Type: application/json 发送 JSON"
        )
    }
}
_LARGE: Final = {413: {"too large": _failure("too_large", "请求内容过大，上限为 16 MB", limit=16 * 2**20)}}
_NO_RECORD: Final = {404: {"no such record": _failure("not_found", "检查记录不存在")}}
_NO_ITEM: Final = {404: {"no such item": _failure("not_found", "检查项不存在")}}
_SEALED: Final = _failure(
    "record_sealed", "检查记录已封存，无法修改；如需修改，请由有权限的用户填写原因后解除封存", edition=1
)
_IS_SEALED: Final = {409: {"record is sealed": _SEALED}}
_LONG_ID: Final = "最多 255 个字符"
_NOT_AN_OBJECT: Final = "请求内容应为 JSON 对象，并以 Content-Type: application/json 发送"


def _permission_failures(permission: str) -> dict[int, dict[str, Any]]:
    """The failures of every operation that requires this permission."""
    return {**_UNREADABLE_REQUEST, **_NO_LOGIN, **_forbidden_failure(permission)}


EXAMPLES: Final[Mapping[str, Example]] = {
    "POST /api/inspection/create": Example(
        body={
            "task_id": "TASK-2026-0301",
            "inspection_name": "左翼前缘",
            "start_time": "2026-03-01T08:00:00",
        },
        parameters={"Idempotency-Key": "2026-03-01-left-wing"},
        answers={
            200: {"created": _success(_RECORD, "检查记录创建成功")},
            **_permission_failures("INSPECTION_ADD"),
            **_LARGE,
            **_NO_JSON,
            422: {
                "task missing": _invalid_field("task_id", "missing", "必须填写"),
                "end before start": _invalid_field("end_time", "end_before_start", "不能早于开始时间"),
                "key used with another body": _invalid_field(
                    "Idempotency-Key", "key_reused", "此幂等键已用于内容不同的请求，请使用新的键"
                ),
            },
        },
    ),
    "GET /api/inspection/getInspectionById/{inspection_id}": Example(
        parameters={"inspection_id": RECORD_ID},
        answers={
            200: {"found": _success(_RECORD, "检查记录获取成功")},
            **_permission_failures("INSPECTION_READ"),
            **_NO_RECORD,
            422: {"id too long": _invalid_field("inspection_id", "string_too_long", _LONG_ID)},
        },
    ),
    "PUT /api/inspection/updateInspection/{inspection_id}": Example(
        body={"inspection_name": "左翼前缘（复检）"},
        parameters={"inspection_id": RECORD_ID, "if-match": '"1"'},
        answers={
            200: {"updated": _success(_RENAMED_RECORD, "检查记录更新成功")},
            **_permission_failures("INSPECTION_UPDATE"),
            **_NO_RECORD,
            **_IS_SEALED,
            412: {"changed meanwhile": _stale_failure(_RENAMED_RECORD)},
            **_LARGE,
            **_NO_JSON,
            422: {"progress too high": _invalid_field("progress", "less_than_equal", "不能大于 100")},
        },
    ),
    "DELETE /api/inspection/deleteInspection/{inspection_id}": Example(
        parameters={"inspection_id": RECORD_ID, "if-match": _ETAG},
        answers={
            200: {"deleted": {"code": 0, "msg": "检查记录删除成功"}},
            **_permission_failures("INSPECTION_DELETE"),
            **_NO_RECORD,
            **_IS_SEALED,
            412: {"changed meanwhile": _stale_failure(_RENAMED_RECORD)},
            422: {"id too long": _invalid_field("inspection_id", "string_too_long", _LONG_ID)},
        },
    ),
    "GET /api/inspection/search": Example(
        parameters={"task_id": "TASK-2026-0301", "current_page": 1, "page_size": 10},
        answers={
            200: {"found": _success(_page(_RECORD), "检查记录获取成功")},
            **_permission_failures("INSPECTION_READ"),
            422: {"page size missing": _invalid_field("page_size", "missing", "必须填写")},
        },
    ),
    "POST /api/inspection_item/create": Example(
        body={
            "item_name": "蒙皮",
            "inspection_id": RECORD_ID,
            "description": "检查凹坑与划伤",
            "model_id": "reference-difference",
            "item_point": {"point": {"x": 0.1, "y": 0.2, "w": 0.3, "h": 0.25}},
        },
        parameters={"Idempotency-Key": "2026-03-01-left-wing-skin"},
        answers={
            200: {"created": _ITEM},
            **_permission_failures("INSPECTION_ITEM_ADD"),
            **_NO_RECORD,
            **_IS_SEALED,
            **_LARGE,
            **_NO_JSON,
            422: {"name missing": _invalid_field("item_name", "missing", "必须填写")},
        },
    ),
    "GET /api/inspection_item/{item_id}": Example(
        parameters={"item_id": ITEM_ID},
        answers={
            200: {"found": _ITEM},
            **_permission_failures("INSPECTION_ITEM_READ"),
            **_NO_ITEM,
            422: {"id too long": _invalid_field("item_id", "string_too_long", _LONG_ID)},
        },
    ),
    "PUT /api/inspection_item/{item_id}": Example(
        body={"result": _RESULT},
        parameters={"item_id": ITEM_ID, "if-match": '"1"'},
        answers={
            200: {"updated": _CHECKED_ITEM},
            **_permission_failures("INSPECTION_ITEM_UPDATE"),
            **_NO_ITEM,
            **_IS_SEALED,
            412: {"changed meanwhile": _stale_failure(_CHECKED_ITEM)},
            **_LARGE,
            **_NO_JSON,
            422: {"name empty": _invalid_field("item_name", "string_too_short", "不能为空")},
        },
    ),
    "DELETE /api/inspection_item/{item_id}": Example(
        parameters={"item_id": ITEM_ID, "reason": "重复", "if-match": _ETAG},
        answers={
            200: {"deleted": _success(True, "删除成功")},
            **_permission_failures("INSPECTION_ITEM_DELETE"),
            **_NO_ITEM,
            **_IS_SEALED,
            412: {"changed meanwhile": _stale_failure(_CHECKED_ITEM)},
            422: {"id too long": _invalid_field("item_id", "string_too_long", _LONG_ID)},
        },
    ),
    "GET /api/inspection_item/list": Example(
        parameters={"inspection_id": RECORD_ID, "current_page": 1, "page_size": 10},
        answers={
            200: {"found": _success(_page(_CHECKED_ITEM), "检查项列表获取成功")},
            **_permission_failures("INSPECTION_ITEM_READ"),
            422: {"record missing": _invalid_field("inspection_id", "missing", "必须填写")},
        },
    ),
    "POST /api/auth/updateFaceInfo": Example(
        body={"faceInfo": _FACE},
        answers={
            200: {
                "registered": _success(_FACE, None),
                "no picture": _refusal("人脸信息缺失"),
                "not a picture": _refusal("不支持此文件类型，请选择 JPEG、PNG 或 WebP 照片"),
            },
            **_UNREADABLE_REQUEST,
            **_NO_LOGIN,
            **_NO_JSON,
            422: {"not a text": _invalid_field("faceInfo", "string_type", "应为文本")},
            429: {
                "too many wait": _failure(
                    "too_many_requests",
                    "人脸登录尝试次数过多，请在 5 秒后重试，或使用密码登录",
                    retry_after=5,
                )
            },
            503: {"no engine": _failure("unavailable", "人脸识别暂时不可用，请稍后重试，或使用密码登录")},
        },
    ),
    "POST /api/auth/loginByFaceInfo": Example(
        body={"faceInfo": _FACE},
        answers={
            200: {
                "logged in": _success(_TOKENS, "登录成功"),
                "no picture": _refusal("人脸信息缺失"),
                "not verified": _refusal("无法校验人脸"),
                "movements wanted": _refusal("此账号的人脸登录需按提示转动头部，请重试，或使用密码登录"),
            },
            **_UNREADABLE_REQUEST,
            403: {
                "switched off": _failure("face_login_off", "管理员已关闭人脸登录，请使用密码登录"),
                "device not allowed": _failure(
                    "device_not_allowed", "管理员未允许在此设备上使用人脸登录，请使用密码登录，或联系管理员"
                ),
            },
            **_NO_JSON,
            422: {
                "not an object": _invalid_field("", "model_attributes_type", "应为 JSON 对象", _NOT_AN_OBJECT)
            },
            429: {
                "too many attempts": _failure(
                    "too_many_requests",
                    "人脸登录尝试次数过多，请在 30 秒后重试，或使用密码登录",
                    retry_after=30,
                )
            },
        },
    ),
    "POST /api/auth/updateInfo": Example(
        body={"email": "li.mei@example.com", "work_years": 8},
        answers={
            200: {
                "updated": _success(_USER, "更新数据成功"),
                "field out of its rules": _refusal("更新数据失败", "work_years：应为 0 到 80 的整数"),
            },
            **_permission_failures("USER.UPDATE"),
            **_NO_JSON,
            422: {"not an object": _invalid_field("", "dict_type", "应为 JSON 对象", _NOT_AN_OBJECT)},
        },
    ),
    "POST /api/auth/updatePassword": Example(
        body={"password": "the-old-passphrase", "newPassword": "a-longer-passphrase"},
        answers={
            200: {
                "changed": _success(True, "更新密码成功"),
                "wrong current password": _refusal("原密码错误"),
                "too short": _invalid_field(
                    "newPassword",
                    "password_length",
                    "密码长度应为 8 到 128 个字符",
                    "密码长度应为 8 到 128 个字符",
                ),
            },
            **_UNREADABLE_REQUEST,
            **_NO_LOGIN,
            **_NO_JSON,
            422: {"new password missing": _invalid_field("newPassword", "missing", "必须填写")},
            429: {
                "too many wrong passwords": _failure(
                    "too_many_requests", "密码错误次数过多，请在 30 秒后重试", retry_after=30
                )
            },
        },
    ),
}
"""The example of each operation, by "METHOD /path"."""


def add_examples(document: dict[str, Any]) -> None:
    """Add the examples to the API document."""
    for operation, example in EXAMPLES.items():
        method, path = operation.split(" ")
        entry = document["paths"][path][method.lower()]
        for parameter in entry.get("parameters", ()):
            if parameter["name"] in example.parameters:
                parameter["example"] = example.parameters[parameter["name"]]
        if example.body is not None:
            entry["requestBody"]["content"]["application/json"]["example"] = example.body
        for status, answers in example.answers.items():
            # All operations share the content of a failure: the examples go into a copy.
            content = {**entry["responses"][str(status)]["content"]["application/json"]}
            content["examples"] = {name: {"value": value} for name, value in answers.items()}
            entry["responses"][str(status)] = {
                **entry["responses"][str(status)],
                "content": {"application/json": content},
            }
