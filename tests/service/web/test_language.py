"""Texts of the service follow Accept-Language; the messages of the contract do not."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, SecretStr, ValidationError
from starlette.testclient import TestClient

from service.face.enrolment import CONSENT_TEXT
from service.web.envelope import describe_faults, field_faults
from service.web.language import english_texts, in_english, prefers_english
from shared.wire.common import ERROR_HEADER
from shared.wire.text import fill
from tests.service_app import ADMIN

ENGLISH = {"Accept-Language": "en-GB,en;q=0.9,zh;q=0.1"}

CONTRACT = {"用户名或密码错误", "原密码错误", "无法校验人脸", "人脸信息缺失", "更新数据失败"}
"""Failures whose Chinese messages the contract or the design fixes."""

_SERVICE = Path(__file__).parents[3] / "service"
# They speak to who reads the API document or the seal in the desktop, or are data of a fresh database.
_OTHER_TEXTS = {"api_examples.py", "seal_check.py", "0006_detection.py", "0045_built_in_model_name.py"}


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("", False),
        ("zh-CN", False),
        ("en", True),
        ("en-US,en;q=0.9", True),
        ("zh-CN,zh;q=0.9,en;q=0.8", False),
        ("en;q=0.5, zh;q=0.4", True),
        ("EN", True),
        ("de, en;q=0.7", True),
        ("*", False),
        ("en;q=0", False),
        ("english", False),
    ],
)
def test_language_of_a_header(header: str, expected: bool) -> None:
    assert prefers_english(header) is expected


@given(st.text())
def test_any_header_has_a_language(header: str) -> None:
    assert prefers_english(header) in (True, False)


def _strings(tree: ast.AST) -> list[str]:
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings
    ]


def _messages() -> set[str]:
    """The Chinese texts of failures in the code of the service."""
    found = set()
    for path in _SERVICE.rglob("*.py"):
        if path.name in _OTHER_TEXTS:
            continue
        tree: ast.AST = ast.parse(path.read_text("utf-8"))
        if path.stem == "cli" or path.stem.endswith("routes"):
            # These have texts of success, or for the terminal, as well.
            tree = ast.List([*_failures(tree)], ast.Load())
        # Also the punctuation between two texts.
        found |= {text for text in _strings(tree) if not text.isascii()}
    return found - {CONSENT_TEXT}


def _failures(tree: ast.AST) -> list[ast.Call]:
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in {"Problem", "Refusal", "invalid"}
    ]


def test_every_failure_has_an_english_text() -> None:
    chinese = {text for text in _messages() if any("\u4e00" <= letter <= "\u9fff" for letter in text)}
    assert chinese - CONTRACT - english_texts().keys() == set()


def test_no_english_text_is_left_over() -> None:
    assert english_texts().keys() - _messages() - _route_messages() - _shared_messages() == set()


def _route_messages() -> set[str]:
    trees = [ast.parse(path.read_text("utf-8")) for path in _SERVICE.rglob("*routes.py")]
    return {text for tree in trees for text in _strings(tree)}


def _shared_messages() -> set[str]:
    shared = Path(__file__).parents[3] / "shared"
    trees = [ast.parse(path.read_text("utf-8")) for path in (shared / "wire").rglob("*.py")]
    return {text for tree in trees for text in _strings(tree)}


def test_messages_of_the_contract_stay_chinese() -> None:
    assert english_texts().keys() & CONTRACT == set()


def test_english_texts_have_no_chinese_and_the_same_names() -> None:
    for chinese, english in english_texts().items():
        assert english.isascii() or set(english) - set(map(chr, range(128))) <= {"…"}
        names = {part.partition("}")[0] for part in chinese.split("{")[1:]}
        assert names == {part.partition("}")[0] for part in english.split("{")[1:]}


def test_length_of_a_secret_text_is_in_characters_and_of_a_list_in_entries() -> None:
    class Body(BaseModel):
        password: SecretStr = Field(max_length=8)
        names: list[str] = Field(max_length=1)

    with pytest.raises(ValidationError) as failure:
        Body.model_validate({"password": "x" * 9, "names": ["a", "b"]})

    faults = field_faults(failure.value.errors())
    assert [fault["message"] for fault in faults] == ["最多 8 个字符", "最多 1 项"]


def test_values_of_a_template_are_translated() -> None:
    faults = [
        {"field": "username", "message": "必须填写"},
        {"field": "name", "message": fill("最多 {most} 个字符", most=255)},
    ]
    text = describe_faults(faults)
    assert text == "username：必须填写；name：最多 255 个字符"
    assert in_english(text) == "username: Required. name: Must have at most 255 characters."


def test_failures_follow_the_request(client: TestClient) -> None:
    assert client.get("/nowhere").json()["msg"] == "请求的地址不存在"
    answer = client.get("/nowhere", headers=ENGLISH)
    assert answer.json() == {"code": 1, "data": {"error": "not_found"}, "msg": "This address does not exist."}
    # The next request of the connection names no language.
    assert client.get("/nowhere").json()["msg"] == "请求的地址不存在"


def test_faults_of_fields_follow_the_request(client: TestClient) -> None:
    answer = client.post("/auth/login", json={"username": "x"}, headers=ENGLISH).json()
    assert answer["msg"] == "password: Required."
    assert answer["data"]["fields"][0]["message"] == "Required."


def test_refusal_of_the_contract_has_its_words_and_a_code(client: TestClient) -> None:
    body = {"username": ADMIN[0], "password": "wrong-password"}
    answer = client.post("/auth/login", json=body, headers=ENGLISH)
    assert answer.json() == {"code": 1, "data": None, "msg": "用户名或密码错误"}
    assert answer.headers[ERROR_HEADER] == "wrong_login"
