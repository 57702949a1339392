"""Lists every operation of the API with the roles that may call it, written by hand.

Not derived from the code, so that a right that moves by accident is seen.
"""

from __future__ import annotations

from typing import Any, NamedTuple

ROLES = ("viewer", "inspector", "planner", "admin")
EVERYBODY = frozenset(ROLES)
WORKERS = EVERYBODY - {"viewer"}
PLANNERS = frozenset({"planner", "admin"})
ADMINS = frozenset({"admin"})


class Rule(NamedTuple):
    """Roles that may, what they get for an empty body and unknown ids, and what else is asked for."""

    roles: frozenset[str]
    status: int
    login: bool = True
    recent_password: bool = False


def _open(status: int) -> Rule:
    return Rule(EVERYBODY, status, login=False)


def _catalogue_rules(path: str, key: str) -> dict[str, Rule]:
    return {
        f"GET {path}": Rule(EVERYBODY, 200),
        f"POST {path}": Rule(PLANNERS, 422),
        f"GET {path}/{{{key}}}": Rule(EVERYBODY, 404),
        f"PUT {path}/{{{key}}}": Rule(PLANNERS, 422),
        f"DELETE {path}/{{{key}}}": Rule(PLANNERS, 404),
    }


RULES: dict[str, Rule] = {
    "GET /healthz": _open(200),
    "GET /readyz": _open(200),
    "POST /api/auth/login": _open(422),
    "POST /api/auth/refresh": _open(422),
    "POST /api/auth/logout": _open(422),
    "GET /api/auth/first-run": _open(200),
    "POST /api/auth/first-run": _open(422),
    "POST /api/auth/loginByFaceInfo": _open(200),
    "POST /api/auth/faceChallenge": _open(422),
    "POST /api/auth/loginByFaceChallenge": _open(422),
    "GET /api/auth/faceRequirements": _open(200),
    "GET /api/auth/me": Rule(EVERYBODY, 200),
    "POST /api/auth/updateInfo": Rule(EVERYBODY, 200),
    "POST /api/auth/updatePassword": Rule(EVERYBODY, 422),
    "GET /api/auth/sessions": Rule(EVERYBODY, 200),
    "DELETE /api/auth/sessions": Rule(EVERYBODY, 200),
    "DELETE /api/auth/sessions/{session_id}": Rule(EVERYBODY, 404),
    "POST /api/auth/updateFaceInfo": Rule(EVERYBODY, 200),
    "GET /api/auth/face": Rule(EVERYBODY, 200),
    "POST /api/auth/face": Rule(EVERYBODY, 422),
    "DELETE /api/auth/face": Rule(EVERYBODY, 200),
    "POST /api/auth/face/practice": Rule(EVERYBODY, 422),
    "GET /api/users": Rule(ADMINS, 200),
    "POST /api/users": Rule(ADMINS, 422, recent_password=True),
    "GET /api/users/{user_id}": Rule(ADMINS, 404),
    "PUT /api/users/{user_id}": Rule(ADMINS, 404, recent_password=True),
    "GET /api/users/{user_id}/sessions": Rule(ADMINS, 404),
    "DELETE /api/users/{user_id}/sessions": Rule(ADMINS, 404, recent_password=True),
    "DELETE /api/users/{user_id}/sessions/{session_id}": Rule(ADMINS, 404, recent_password=True),
    "DELETE /api/face/enrolments/{user_id}": Rule(ADMINS, 200, recent_password=True),
    "GET /api/face/policy": Rule(ADMINS, 200),
    "PUT /api/face/policy": Rule(ADMINS, 422, recent_password=True),
    "GET /api/face/devices": Rule(ADMINS, 200),
    "POST /api/face/devices": Rule(ADMINS, 422, recent_password=True),
    "PUT /api/face/devices/{device_id}": Rule(ADMINS, 422, recent_password=True),
    "DELETE /api/face/devices/{device_id}": Rule(ADMINS, 404, recent_password=True),
    "GET /api/face/models": Rule(ADMINS, 200),
    "GET /api/face/calibration": Rule(ADMINS, 200),
    "POST /api/face/calibration/strangers": Rule(ADMINS, 422, recent_password=True),
    "POST /api/inspection/create": Rule(WORKERS, 422),
    "GET /api/inspection/search": Rule(EVERYBODY, 422),
    "GET /api/inspection/getInspectionById/{inspection_id}": Rule(EVERYBODY, 404),
    "PUT /api/inspection/updateInspection/{inspection_id}": Rule(WORKERS, 404),
    "DELETE /api/inspection/deleteInspection/{inspection_id}": Rule(PLANNERS, 404),
    "POST /api/inspection/{inspection_id}/finish": Rule(WORKERS, 404),
    "POST /api/inspection/{inspection_id}/reopen": Rule(PLANNERS, 422),
    "POST /api/inspection/{inspection_id}/release": Rule(PLANNERS, 422),
    "GET /api/inspection/{inspection_id}/seal": Rule(EVERYBODY, 404),
    "GET /api/inspection/{inspection_id}/users": Rule(EVERYBODY, 404),
    "GET /api/inspection/{inspection_id}/seal/verify": Rule(EVERYBODY, 404),
    "GET /api/inspection/{inspection_id}/editions": Rule(EVERYBODY, 404),
    "GET /api/inspection/{inspection_id}/editions/{edition}": Rule(EVERYBODY, 422),
    "GET /api/inspection/summaries": Rule(EVERYBODY, 422),
    "GET /api/inspection/policy": Rule(EVERYBODY, 200),
    "PUT /api/inspection/policy": Rule(ADMINS, 200, recent_password=True),
    "POST /api/inspection/{inspection_id}/items-from-template": Rule(WORKERS, 404),
    "POST /api/inspection/{inspection_id}/items-from/{other_id}": Rule(WORKERS, 404),
    "GET /api/inspection/work": Rule(EVERYBODY, 200),
    "GET /api/inspection/inspectors": Rule(WORKERS, 200),
    "POST /api/inspection/{inspection_id}/handovers": Rule(WORKERS, 422),
    "GET /api/inspection/{inspection_id}/handovers": Rule(EVERYBODY, 404),
    "POST /api/inspection/{inspection_id}/comments": Rule(WORKERS, 422),
    "GET /api/inspection/{inspection_id}/comments": Rule(EVERYBODY, 404),
    "PUT /api/inspection/{inspection_id}/comments/{comment_id}": Rule(WORKERS, 422),
    "DELETE /api/inspection/{inspection_id}/comments/{comment_id}": Rule(WORKERS, 404),
    "PUT /api/inspection/{inspection_id}/item-order": Rule(WORKERS, 422),
    "POST /api/inspection/{inspection_id}/detect": Rule(WORKERS, 404),
    "POST /api/inspection_item/create": Rule(WORKERS, 422),
    "GET /api/inspection_item/list": Rule(EVERYBODY, 422),
    "GET /api/inspection_item/{item_id}": Rule(EVERYBODY, 404),
    "PUT /api/inspection_item/{item_id}": Rule(WORKERS, 404),
    "DELETE /api/inspection_item/{item_id}": Rule(WORKERS, 404),
    "POST /api/inspection_item/{item_id}/restore": Rule(WORKERS, 404),
    "POST /api/inspection_item/{item_id}/verdict": Rule(WORKERS, 422),
    "POST /api/inspection_item/{item_id}/boxes": Rule(WORKERS, 422),
    "POST /api/inspection_item/{item_id}/photos": Rule(WORKERS, 422),
    "GET /api/inspection_item/{item_id}/photos": Rule(EVERYBODY, 404),
    "GET /api/inspection/{inspection_id}/photos": Rule(EVERYBODY, 404),
    "POST /api/inspection/{inspection_id}/record-photos": Rule(WORKERS, 422),
    "GET /api/inspection/{inspection_id}/record-photos": Rule(EVERYBODY, 404),
    "POST /api/inspection/{inspection_id}/record-photos/{photo_id}/match": Rule(WORKERS, 404),
    "PUT /api/inspection/{inspection_id}/record-photos/{photo_id}/items": Rule(WORKERS, 422),
    "DELETE /api/inspection/{inspection_id}/record-photos/{photo_id}": Rule(WORKERS, 404),
    "POST /api/inspection/{inspection_id}/films": Rule(WORKERS, 422),
    "GET /api/inspection/{inspection_id}/films": Rule(EVERYBODY, 404),
    "DELETE /api/inspection/{inspection_id}/films/{film_id}": Rule(WORKERS, 404),
    "GET /api/inspection_item/{item_id}/history": Rule(EVERYBODY, 404),
    "GET /api/inspection_item/{item_id}/trend": Rule(EVERYBODY, 404),
    "GET /api/inspection_item/{item_id}/memory": Rule(EVERYBODY, 404),
    "PUT /api/inspection_item/{item_id}/memory": Rule(WORKERS, 404),
    "DELETE /api/inspection_item/{item_id}/photos/{photo_id}": Rule(WORKERS, 404),
    "POST /api/inspection_item/{item_id}/detect": Rule(WORKERS, 404),
    **_catalogue_rules("/api/catalogue/aircraft", "aircraft_id"),
    **_catalogue_rules("/api/catalogue/flights", "flight_id"),
    **_catalogue_rules("/api/catalogue/tasks", "task_id"),
    **_catalogue_rules("/api/catalogue/reference-images", "reference_image_id"),
    "POST /api/catalogue/reference-images/{reference_image_id}/template": Rule(PLANNERS, 422),
    "POST /api/files": Rule(WORKERS, 415),
    "GET /api/files/{file_id}": Rule(EVERYBODY, 404),
    "GET /api/files/{file_id}/content": Rule(EVERYBODY, 404),
    "GET /api/files/{file_id}/thumbnail": Rule(EVERYBODY, 404),
    "GET /api/files/{file_id}/tiles": Rule(EVERYBODY, 404),
    "GET /api/files/{file_id}/tiles/{level}/{column}/{row}": Rule(EVERYBODY, 422),
    "GET /api/files/{file_id}/crop": Rule(EVERYBODY, 422),
    "GET /api/detection/jobs": Rule(EVERYBODY, 200),
    "GET /api/detection/jobs/{job_id}": Rule(EVERYBODY, 404),
    "POST /api/detection/jobs/{job_id}/cancel": Rule(WORKERS, 404),
    "POST /api/detection/batches": Rule(WORKERS, 422),
    "GET /api/detection/batches/{batch_id}": Rule(EVERYBODY, 404),
    "POST /api/detection/batches/{batch_id}/cancel": Rule(WORKERS, 404),
    "POST /api/detection/batches/{batch_id}/retry": Rule(WORKERS, 404),
    "GET /api/detection/labels": Rule(EVERYBODY, 200),
    "PUT /api/detection/labels": Rule(ADMINS, 422, recent_password=True),
    "GET /api/detection/models": Rule(EVERYBODY, 200),
    "POST /api/detection/models": Rule(ADMINS, 422, recent_password=True),
    "GET /api/detection/models/{model_id}": Rule(EVERYBODY, 404),
    "PUT /api/detection/models/{model_id}": Rule(ADMINS, 404, recent_password=True),
    "POST /api/detection/models/{model_id}/trial": Rule(ADMINS, 422),
    "POST /api/detection/models/{model_id}/versions": Rule(ADMINS, 404, recent_password=True),
    "GET /api/webhooks": Rule(ADMINS, 200),
    "POST /api/webhooks": Rule(ADMINS, 422, recent_password=True),
    "PUT /api/webhooks/{webhook_id}": Rule(ADMINS, 404, recent_password=True),
    "DELETE /api/webhooks/{webhook_id}": Rule(ADMINS, 404, recent_password=True),
    "POST /api/webhooks/{webhook_id}/test": Rule(ADMINS, 404, recent_password=True),
    "GET /api/webhooks/{webhook_id}/deliveries": Rule(ADMINS, 404),
    "GET /api/audit": Rule(ADMINS, 200),
    "GET /api/backups": Rule(ADMINS, 200),
    "PUT /api/backups": Rule(ADMINS, 422, recent_password=True),
    "POST /api/backups": Rule(ADMINS, 409),
    "GET /api/statistics/records": Rule(EVERYBODY, 200),
    "GET /api/statistics/findings/{by}": Rule(EVERYBODY, 422),
    "GET /api/statistics/durations": Rule(EVERYBODY, 200),
    "GET /api/statistics/agreement": Rule(EVERYBODY, 200),
    "GET /api/events": Rule(EVERYBODY, 503),
    "POST /api/phone/codes": Rule(WORKERS, 422),
    "GET /api/phone/codes": Rule(WORKERS, 200),
    "GET /api/phone/codes/{code_id}": Rule(WORKERS, 404),
    "DELETE /api/phone/codes/{code_id}": Rule(WORKERS, 404),
    "POST /api/phone/claim": _open(422),
    # A phone has no login, and a login is no phone.
    "GET /api/phone/view": _open(401),
    "GET /api/phone/items/{item_id}/picture": _open(401),
    "POST /api/phone/uploads": _open(401),
    "PUT /api/phone/uploads/{upload_id}": _open(401),
}


def parts(operation: str) -> tuple[str, str]:
    """Method and path of "METHOD /path"."""
    method, path = operation.split(" ", 1)
    return method, path


def fill_path(path: str, ids: dict[str, str]) -> str:
    """`path` with the ids in their places; an id that is not there is "no-such-thing"."""
    return path.format_map(_Ids(ids))


class _Ids(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "no-such-thing"


def empty_body(operation: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a request with an empty body, where the operation takes one."""
    content = operation.get("requestBody", {}).get("content", {})
    return {"json": {}} if "application/json" in content else {}
