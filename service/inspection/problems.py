"""Defines the failures of this domain, in words that a user can act on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from service.web.envelope import Problem, invalid
from service.web.etags import Updater
from shared.record.codes import ErrorCode
from shared.wire.inspection import PhotoUse
from shared.wire.text import fill


def no_record() -> Problem:
    """404: there is no such record."""
    return Problem(404, ErrorCode.NOT_FOUND, "检查记录不存在")


def no_item() -> Problem:
    """404: there is no such item."""
    return Problem(404, ErrorCode.NOT_FOUND, "检查项不存在")


def no_user() -> Problem:
    """404: there is no such user who can log in."""
    return Problem(404, ErrorCode.NOT_FOUND, "用户不存在或已停用")


def no_comment() -> Problem:
    """404: there is no such comment."""
    return Problem(404, ErrorCode.NOT_FOUND, "评论不存在")


def comment_of_another() -> Problem:
    """403: another user wrote the comment."""
    return Problem(403, ErrorCode.PERMISSION_MISSING, "只能修改或删除自己的评论")


def no_photo() -> Problem:
    """404: there is no such photo."""
    return Problem(404, ErrorCode.NOT_FOUND, "照片不存在")


def no_film() -> Problem:
    """404: there is no such film."""
    return Problem(404, ErrorCode.NOT_FOUND, "视频不存在")


def key_reused() -> Problem:
    """422: an Idempotency-Key came again, with another body."""
    return invalid("Idempotency-Key", "key_reused", "此幂等键已用于内容不同的请求，请使用新的键")


def end_before_start(field: str) -> Problem:
    """422: the times of a record are the wrong way round; `field` is the one to correct."""
    rule = "不能晚于结束时间" if field == "start_time" else "不能早于开始时间"
    return invalid(field, "end_before_start", rule)


def current_state(current: Any, by: Updater | None) -> Mapping[str, Any]:
    """What 412 shows of a record or item: how it is now, and who last changed it by hand."""
    return {
        "current": current,
        "updated_by": None if by is None else {"user_id": by.user_id, "name": by.name},
    }


def conflict(msg: str, **details: Any) -> Problem:
    """409 with `msg`."""
    return Problem(409, ErrorCode.CONFLICT, msg, **details)


_MAX_NAMES = 3
_MAX_ITEMS = 50


def _names(items: Sequence[Mapping[str, Any]]) -> str:
    text = "、".join(str(item["item_name"]) for item in items[:_MAX_NAMES])
    return fill("{names} 等", names=text) if len(items) > _MAX_NAMES else text


def record_sealed(edition: int) -> Problem:
    """409: the record is finished and sealed, nothing of it changes."""
    return Problem(
        409,
        ErrorCode.RECORD_SEALED,
        "检查记录已封存，无法修改；如需修改，请由有权限的用户填写原因后解除封存",
        edition=edition,
    )


def not_sealed() -> Problem:
    """409: the record was not finished, or it was reopened."""
    return Problem(409, ErrorCode.RECORD_NOT_SEALED, "检查记录未封存，请先完成记录")


def items_undecided(items: Sequence[Mapping[str, Any]], acceptable: int) -> Problem:
    """409: these items have no verdict of a person; `acceptable` of them have a model's opinion to sign."""
    return Problem(
        409,
        ErrorCode.UNDECIDED_ITEMS,
        fill("{count} 个检查项待判定：{names}", count=len(items), names=_names(items)),
        count=len(items),
        acceptable=acceptable,
        items=list(items[:_MAX_ITEMS]),
    )


def detections_running(items: Sequence[Mapping[str, Any]]) -> Problem:
    """409: detections of these items have not ended."""
    return Problem(
        409,
        ErrorCode.DETECTIONS_RUNNING,
        fill(
            "{count} 个检查项正在检测：{names}；请等待检测完成或取消检测",
            count=len(items),
            names=_names(items),
        ),
        count=len(items),
        items=list(items[:_MAX_ITEMS]),
    )


def photo_in_use(items: Sequence[Mapping[str, Any]]) -> Problem:
    """409: results or verdicts of these items rest on the photo."""
    return Problem(
        409,
        ErrorCode.PHOTO_IN_USE,
        fill(
            "{count} 个检查项的检测结果或判定依据此照片：{names}；如仍要删除照片，请确认",
            count=len(items),
            names=_names(items),
        ),
        count=len(items),
        items=list(items[:_MAX_ITEMS]),
    )


def photo_is_reference() -> Problem:
    """409: the photo has the content of the reference file."""
    return Problem(
        409,
        ErrorCode.PHOTO_IS_REFERENCE,
        "照片与参考图是同一张图片，不能作为检查照片，请添加本次拍摄的照片",
    )


def photo_used(use: PhotoUse) -> Problem:
    """409: another record has a photo with this content."""
    name = use.inspection_name or use.inspection_id
    return Problem(
        409,
        ErrorCode.PHOTO_USED,
        fill("照片已用于检查记录“{name}”；如确需使用，请确认后添加", name=name),
        inspection_id=use.inspection_id,
        inspection_name=use.inspection_name,
    )


def not_inspected(items: Sequence[Mapping[str, Any]]) -> Problem:
    """409: these items passed without a complete inspection; `gap` says what each lacks."""
    return Problem(
        409,
        ErrorCode.NOT_INSPECTED,
        fill(
            "{count} 个通过的检查项未经完整检查：{names}；请补拍照片并检测，或改判为未通过",
            count=len(items),
            names=_names(items),
        ),
        count=len(items),
        items=list(items[:_MAX_ITEMS]),
    )


def implausible_times(msg: str, **times: Any) -> Problem:
    """409: the record cannot have been finished at these times."""
    return Problem(409, ErrorCode.TIMES_IMPLAUSIBLE, msg, **times)


def service_written(version: int, field: str) -> Problem:
    """409: a client changes what the service wrote in the entry with this version."""
    return Problem(
        409,
        ErrorCode.SERVICE_WRITTEN,
        fill(
            "结果版本 {version} 由系统写入，不能修改其中的 {field}；判定请使用判定操作",
            version=version,
            field=field,
        ),
        version=version,
        field=field,
    )


def not_awaiting_release() -> Problem:
    """409: the newest edition asks for no release, or has been released or reopened."""
    return Problem(409, ErrorCode.NOT_AWAITING_RELEASE, "检查记录不在待复核状态，请刷新")


def other_edition(edition: int) -> Problem:
    """409: the newest edition is another one than the person has looked at."""
    return Problem(
        409,
        ErrorCode.OTHER_EDITION,
        fill("检查记录已有新版次 {edition}，请核对后再复核", edition=edition),
        edition=edition,
    )


def same_person() -> Problem:
    """403: a user who finished a record, or gave a verdict or a correction in it, does not release it."""
    return Problem(
        403, ErrorCode.SAME_PERSON, "不能复核本人完成、判定或修正过的检查记录，请由未参与此记录的用户复核"
    )


def no_edition() -> Problem:
    """404: the record has no such edition."""
    return Problem(404, ErrorCode.NOT_FOUND, "检查记录没有此版次，请刷新")
