"""Every failure has a sentence in the language of the desktop."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from desktop.client.http.errors import (
    ClientError,
    Conflict,
    Forbidden,
    Invalid,
    NotLoggedIn,
    Refused,
    ServerFault,
    Stale,
    TooLarge,
    TooMany,
    Unreachable,
    Unsupported,
)
from desktop.localization.detection_terms import failure_sentence
from desktop.messages.error_messages import field_sentence, sentence
from service.account.rules import FAULT_SENTENCES
from service.catalogue.repository import COUNT_TEMPLATES
from service.detection.failure import MESSAGES
from shared.record.codes import ErrorCode
from shared.system import paths


@pytest.mark.parametrize(
    "error",
    [
        Unreachable(),
        NotLoggedIn(),
        Forbidden(code="permission_missing"),
        Forbidden(code="password_login_needed"),
        Forbidden(code="face_login_off"),
        Stale("他人修改"),
        TooLarge(),
        Unsupported(),
        TooMany(retry_after=12),
        ServerFault(),
        ServerFault(request_id="abc123"),
        ServerFault(code="unavailable"),
        ServerFault(code="not_walkaround"),
        Refused("用户名或密码错误", code=ErrorCode.WRONG_LOGIN),
        Refused("原密码错误", code=ErrorCode.WRONG_PASSWORD),
        Refused("无法校验人脸", code=ErrorCode.FACE_UNKNOWN),
        Refused("人脸信息缺失", code=ErrorCode.FACE_MISSING),
        ClientError(),
        OSError("no such file"),
        ValueError("bug"),
    ],
    ids=repr,
)
def test_it_is_a_sentence_without_chinese(error: Exception) -> None:
    message = sentence(error)
    assert message.isascii()
    assert message.endswith(".")


def test_unknown_message_is_shown_as_the_service_sent_it() -> None:
    assert sentence(Refused("新的说明")) == "新的说明"


@pytest.mark.parametrize("code", ["unavailable", "storage_full"])
def test_sentence_of_the_service_says_why_it_cannot_store(code: str) -> None:
    assert sentence(ServerFault("磁盘空间不足", request_id="abc123", code=code)) == "磁盘空间不足"


def test_message_contains_the_request_id() -> None:
    assert "abc123" in sentence(ServerFault(request_id="abc123"))


@pytest.mark.parametrize("text", ["email：请输入有效的邮箱地址", "email: 请输入有效的邮箱地址"])
def test_rule_of_the_profile_is_shown_without_the_name_of_the_field(text: str) -> None:
    error = Refused("更新数据失败", data=text, code=ErrorCode.INVALID_INPUT)
    assert sentence(error) == "请输入有效的邮箱地址"


@pytest.mark.parametrize(("fault", "message"), FAULT_SENTENCES.items())
def test_every_fault_of_a_name_or_password_is_known(fault: str, message: str) -> None:
    error = Invalid(message, fields={"password": message}, faults={"password": str(fault)})
    assert field_sentence(error, "password").isascii()
    assert sentence(error) == field_sentence(error, "password")
    assert field_sentence(error, "username") == ""


@pytest.mark.parametrize(("code", "message"), MESSAGES.items())
def test_every_failure_of_a_detection_is_known(code: str, message: str) -> None:
    assert failure_sentence(code, message).isascii()
    # The service refuses to start a detection.
    assert sentence(Conflict(message, code=code)) == failure_sentence(code, message)


@pytest.mark.parametrize("kind", COUNT_TEMPLATES)
def test_what_still_refers_to_an_entry_is_named(kind: str) -> None:
    word = kind.replace("_", " ")
    expected = f"Still in use by 2 {word}(s). Change or delete these first."
    assert sentence(Conflict("…", details={"references": {kind: 2}})) == expected


def test_message_of_the_service_is_more_exact_than_the_kind_of_file() -> None:
    assert sentence(Unsupported("The file is empty.")) == "The file is empty."


def test_message_names_the_items_that_prevent_finishing() -> None:
    items = [{"item_id": str(n), "item_name": f"R{n}"} for n in range(5)]
    details = {"count": 5, "items": items}
    text = sentence(Conflict("5 个检查项待判定：R0、R1、R2 等", details=details))
    assert text == "5 item(s) have no verdict yet: R0, R1, R2, …"
    running = sentence(Conflict("…", code="detections_running", details={"count": 1, "items": items[:1]}))
    assert running == "Detection is running on 1 item(s): R0. Wait for it to finish or cancel it."


def test_error_after_an_update_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "walkaround"
    program.touch()
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(program))
    monkeypatch.setattr(paths, "_PROGRAM_AT_START", paths._identify_program())
    errors = (ImportError("no module"), FileNotFoundError("model"))
    assert not any("updated while it was open" in sentence(error) for error in errors)
    program.unlink()
    assert all("updated while it was open" in sentence(error) for error in errors)
    assert "updated" not in sentence(Refused("busy"))
