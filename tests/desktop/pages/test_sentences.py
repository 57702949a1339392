"""Every failure has a sentence in the language of the desktop."""

from __future__ import annotations

import pytest

from desktop.client.errors import (
    ClientError,
    Forbidden,
    Invalid,
    NotFound,
    NotLoggedIn,
    Refused,
    ServerFault,
    Stale,
    TooLarge,
    TooMany,
    Unreachable,
    Unsupported,
)
from desktop.detection_words import failure_sentence
from desktop.pages.sentences import field_sentence, sentence
from service.account.rules import FAULT_SENTENCES
from service.detection.failure import MESSAGES, MODEL_MESSAGES
from service.face.rules import SENTENCES


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
        Refused("用户名或密码错误"),
        Refused("更新数据失败", data="email：需要有效的邮箱地址，最多 254 个字符"),
        ClientError(),
        OSError("no such file"),
        ValueError("bug"),
    ],
    ids=repr,
)
def test_it_is_a_sentence_without_chinese(error: Exception) -> None:
    said = sentence(error)
    assert said.isascii()
    assert said.endswith(".")


def test_what_is_not_known_is_said_as_the_service_says_it() -> None:
    assert sentence(NotFound("检查记录不存在")) == "检查记录不存在"
    assert sentence(Refused("新的说明")) == "新的说明"


def test_the_number_to_tell_an_administrator_is_named() -> None:
    assert "abc123" in sentence(ServerFault(request_id="abc123"))


@pytest.mark.parametrize("message", SENTENCES.values())
def test_every_refusal_of_an_enrolment_is_known(message: str) -> None:
    said = sentence(Refused(message))
    if message.startswith("人脸图像不是有效的 Base64"):
        # The desktop encodes by itself: this one cannot happen to it.
        return
    assert said.isascii()
    assert sentence(Refused(f"第 2 张照片：{message}")) == f"Picture 2: {said}"


@pytest.mark.parametrize(("fault", "message"), FAULT_SENTENCES.items())
def test_every_fault_of_a_name_or_password_is_known(fault: str, message: str) -> None:
    error = Invalid(message, fields={"password": message}, faults={"password": str(fault)})
    assert field_sentence(error, "password").isascii()
    assert sentence(error) == field_sentence(error, "password")
    assert field_sentence(error, "username") == ""


@pytest.mark.parametrize("message", MODEL_MESSAGES.values())
def test_every_refusal_of_a_model_is_known(message: str) -> None:
    assert sentence(Invalid(message)).isascii()


@pytest.mark.parametrize(("code", "message"), MESSAGES.items())
def test_every_failure_of_a_detection_is_known(code: str, message: str) -> None:
    assert failure_sentence(code, message).isascii()
