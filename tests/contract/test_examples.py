"""Tests the examples of the API document: complete, valid by the schemas, equal to the service's answers."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from typing import Any

import jsonschema_rs
import pytest
from starlette.testclient import TestClient

from service.face.engines.face_process import EngineUnavailableError
from service.face.recognition import WaitingLimit, needing_engine
from service.web.api_examples import EXAMPLES, ITEM_ID, RECORD_ID
from service.web.envelope import Problem, failure_body
from shared.samples import faces
from tests.contract.application import ContractApp
from tests.contract.test_account import new_account
from tests.contract.test_openapi import OPERATIONS, find_operation
from tests.service_app import Answer

# The document does not depend on the database.
pytestmark = pytest.mark.parametrize("service", ["sqlite"], indirect=True)

# Answers that no request of a test client can cause.
UNTESTABLE = {"not HTTP"}


def assert_valid(document: dict[str, Any], schema: dict[str, Any], value: Any) -> None:
    """Assert that `value` matches `schema` of the document."""
    complete_schema = {**schema, "components": document["components"]}
    jsonschema_rs.validator_for(complete_schema).validate(value)


def test_every_operation_of_the_contract_has_examples(document: dict[str, Any]) -> None:
    assert set(EXAMPLES) == set(OPERATIONS)
    assert all(find_operation(document, name) for name in EXAMPLES)


@pytest.mark.parametrize("name", OPERATIONS)
def test_examples_are_complete_and_valid(document: dict[str, Any], name: str) -> None:
    described_operation = find_operation(document, name)
    for status, answer in described_operation["responses"].items():
        content = answer["content"]["application/json"]
        assert content["examples"], status
        for example in content["examples"].values():
            assert_valid(document, content["schema"], example["value"])
    if "requestBody" in described_operation:
        content = described_operation["requestBody"]["content"]["application/json"]
        assert_valid(document, content["schema"], content["example"])
    parameters = {parameter["name"]: parameter for parameter in described_operation.get("parameters", ())}
    assert set(EXAMPLES[name].parameters) <= set(parameters)
    for parameter in parameters.values():
        assert "example" in parameter or not parameter["required"], parameter["name"]
        if "example" in parameter:
            assert_valid(document, parameter["schema"], parameter["example"])


EXAMPLE_BODY = object()
"""The body of the example."""

# Fields whose text is the same in every answer.
FIXED_TEXTS = {
    "msg",
    "error",
    "message",
    "field",
    "type",
    "status_name",
    "inspection_status",
    "code",
    "token_type",
}


def assert_same_shape(example: Any, answer: Any, key: str = "") -> None:
    """Assert that both have the same fields with values of the same types, and the same fixed texts."""
    assert type(example) is type(answer), key
    if isinstance(example, dict):
        assert list(example) == list(answer), key
        for name in example:
            assert_same_shape(example[name], answer[name], name)
    elif isinstance(example, list):
        assert bool(example) == bool(answer), key
        if key in {"permissions", "role"}:
            assert example == answer
        for element, other in zip(example, answer, strict=False):
            assert_same_shape(element, other, key)
    elif key in FIXED_TEXTS:
        assert example == answer, key


class ExampleChecker:
    """Sends the requests of the examples and compares the answers."""

    def __init__(self, service: ContractApp) -> None:
        self.service = service
        self.admin = service.admin
        self.checked: set[tuple[str, str]] = set()
        self.record = self.item = ""
        self.create_record_and_item()

    def create_record_and_item(self) -> None:
        """Create the record and the item of the next requests."""
        self.record = self.service.create_record()["inspection_id"]
        self.item = self.service.create_item(self.record)["item_id"]

    def send(
        self,
        name: str,
        client: TestClient,
        changes: Mapping[str, Any] | None = None,
        *,
        body: Any = EXAMPLE_BODY,
        unknown: bool = False,
    ) -> Answer:
        """Send the example's request. `changes` replace parameters; None leaves a parameter out."""
        method, path = name.split(" ")
        example = EXAMPLES[name]
        body = example.body if body is EXAMPLE_BODY else body
        parameters = {**example.parameters, **(changes or {})}
        parameters = {key: value for key, value in parameters.items() if value is not None}
        record, item = ("none", "none") if unknown else (self.record, self.item)
        body = dict(body) if isinstance(body, dict) else body
        for fields in (parameters, body):
            for key, example_id, real_id in (
                ("inspection_id", RECORD_ID, record),
                ("item_id", ITEM_ID, item),
            ):
                if isinstance(fields, dict) and fields.get(key) == example_id:
                    fields[key] = real_id
        headers: dict[str, str] = {
            key: parameters.pop(key) for key in ("Idempotency-Key", "if-match") if key in parameters
        }
        in_path = {key: parameters.pop(key) for key in ("inspection_id", "item_id") if f"{{{key}}}" in path}
        if isinstance(body, bytes):
            headers["content-type"] = "text/plain"
            return client.request(
                method, path.format(**in_path), params=parameters, headers=headers, content=body
            )
        content = {} if body is None else {"json": body}
        return client.request(method, path.format(**in_path), params=parameters, headers=headers, **content)

    def check(self, name: str, example: str, answer: Answer) -> None:
        """Assert that `answer` has the status and the form of the example."""
        answers = EXAMPLES[name].answers
        (status,) = (status for status, values in answers.items() if example in values)
        assert answer.status_code == status, (name, example, answer.text)
        assert_same_shape(answers[status][example], answer.json())
        self.checked.add((name, example))


def invalid_requests(checker: ExampleChecker, name: str) -> Iterator[tuple[str, Answer]]:
    """Send the requests that every operation refuses, and yield the example's title with the answer."""
    answers = EXAMPLES[name].answers
    needs_permission = 403 in answers and "permission missing" in answers[403]
    if 401 in answers:
        yield "no token", checker.send(name, checker.service.anonymous)
    if needs_permission:
        permission = OPERATIONS[name]
        example_body = answers[403]["permission missing"]
        assert example_body["data"]["permissions"] == [permission]
        viewer = checker.send(name, checker.service.as_role("viewer"))
        if viewer.status_code == 403:
            yield "permission missing", viewer
        else:
            # Every role has this permission. The answer differs only in its name from that of another
            # operation.
            other = checker.send("POST /api/inspection/create", checker.service.as_role("viewer")).json()
            other["data"]["permissions"] = [permission]
            assert example_body == other
            checker.checked.add((name, "permission missing"))
    if 415 in answers:
        yield "not JSON", checker.send(name, checker.admin, body=b"a=1")
    if 413 in answers:
        large = {"x": "x" * (16 * 2**20)}
        yield "too large", checker.send(name, checker.admin, body=large)


def answer_while_sealed(checker: ExampleChecker, name: str) -> Answer:
    """The answer of an operation on a sealed record."""
    checker.service.post(f"/api/inspection_item/{checker.item}/verdict", verdict="passed")
    checker.service.post(f"/api/inspection/{checker.record}/finish")
    answer = checker.send(name, checker.admin, {"Idempotency-Key": None, "if-match": None})
    checker.create_record_and_item()
    return answer


CREATE = "POST /api/inspection/create"
GET = "GET /api/inspection/getInspectionById/{inspection_id}"
UPDATE = "PUT /api/inspection/updateInspection/{inspection_id}"
DELETE = "DELETE /api/inspection/deleteInspection/{inspection_id}"
SEARCH = "GET /api/inspection/search"
CREATE_ITEM = "POST /api/inspection_item/create"
GET_ITEM = "GET /api/inspection_item/{item_id}"
UPDATE_ITEM = "PUT /api/inspection_item/{item_id}"
DELETE_ITEM = "DELETE /api/inspection_item/{item_id}"
LIST = "GET /api/inspection_item/list"
FACE = "POST /api/auth/updateFaceInfo"
FACE_LOGIN = "POST /api/auth/loginByFaceInfo"
PROFILE = "POST /api/auth/updateInfo"
PASSWORD = "POST /api/auth/updatePassword"


def check_record_examples(checker: ExampleChecker) -> None:
    admin, send, check = checker.admin, checker.send, checker.check
    created = send(CREATE, admin)
    check(CREATE, "created", created)
    checker.record = created.json()["data"]["inspection_id"]
    check(CREATE, "task missing", send(CREATE, admin, body={}))
    early = {**EXAMPLES[CREATE].body, "end_time": "2026-02-01T08:00:00"}
    check(CREATE, "end before start", send(CREATE, admin, body=early))
    check(CREATE, "key used with another body", send(CREATE, admin, body={"task_id": "other"}))
    check(GET, "found", send(GET, admin))
    check(SEARCH, "found", send(SEARCH, admin))
    check(SEARCH, "page size missing", send(SEARCH, admin, {"page_size": None}))
    check(UPDATE, "updated", send(UPDATE, admin))
    check(UPDATE, "changed meanwhile", send(UPDATE, admin))
    check(UPDATE, "progress too high", send(UPDATE, admin, body={"progress": 101}))
    check(DELETE, "changed meanwhile", send(DELETE, admin, {"if-match": '"1"'}))
    check(DELETE, "deleted", send(DELETE, admin, {"if-match": send(GET, admin).headers["etag"]}))
    checker.create_record_and_item()
    for name in (GET, UPDATE, DELETE):
        check(name, "no such record", send(name, admin, unknown=True))
    for name in (GET, DELETE):
        check(name, "id too long", send(name, admin, {"inspection_id": "x" * 256}))
    for name in (UPDATE, DELETE):
        check(name, "record is sealed", answer_while_sealed(checker, name))


def check_item_examples(checker: ExampleChecker) -> None:
    admin, send, check = checker.admin, checker.send, checker.check
    checker.record = send(CREATE, admin, {"Idempotency-Key": "items"}).json()["data"]["inspection_id"]
    created = send(CREATE_ITEM, admin)
    check(CREATE_ITEM, "created", created)
    checker.item = created.json()["item_id"]
    check(CREATE_ITEM, "name missing", send(CREATE_ITEM, admin, body={"inspection_id": checker.record}))
    check(CREATE_ITEM, "no such record", send(CREATE_ITEM, admin, {"Idempotency-Key": None}, unknown=True))
    check(GET_ITEM, "found", send(GET_ITEM, admin))
    check(UPDATE_ITEM, "updated", send(UPDATE_ITEM, admin))
    check(LIST, "found", send(LIST, admin))
    check(LIST, "record missing", send(LIST, admin, {"inspection_id": None}))
    check(UPDATE_ITEM, "changed meanwhile", send(UPDATE_ITEM, admin))
    check(UPDATE_ITEM, "name empty", send(UPDATE_ITEM, admin, body={"item_name": ""}))
    check(DELETE_ITEM, "changed meanwhile", send(DELETE_ITEM, admin, {"if-match": '"1"'}))
    check(
        DELETE_ITEM, "deleted", send(DELETE_ITEM, admin, {"if-match": send(GET_ITEM, admin).headers["etag"]})
    )
    checker.create_record_and_item()
    for name in (GET_ITEM, UPDATE_ITEM, DELETE_ITEM):
        check(name, "no such item", send(name, admin, unknown=True))
    for name in (GET_ITEM, DELETE_ITEM):
        check(name, "id too long", send(name, admin, {"item_id": "x" * 256}))
    for name in (CREATE_ITEM, UPDATE_ITEM, DELETE_ITEM):
        check(name, "record is sealed", answer_while_sealed(checker, name))


def check_account_examples(checker: ExampleChecker) -> None:
    send, check, anonymous = checker.send, checker.check, checker.service.anonymous
    account = new_account(checker.service, "viewer")
    checker.service.post("/api/users", username="unused", password="a-long-one-too", roles=["viewer"])
    picture = base64.b64encode(faces.encode_picture(faces.enrolment_picture(), ".png")).decode()
    check(FACE, "registered", send(FACE, account.client, body={"faceInfo": picture}))
    check(FACE, "no picture", send(FACE, account.client, body={}))
    check(FACE, "not a picture", send(FACE, account.client, body={"faceInfo": "AAAA"}))
    check(FACE, "not a text", send(FACE, account.client, body={"faceInfo": 5}))
    account.client.post(
        "/api/auth/updateInfo", json={"name": "李梅", "email": "a@example.com", "work_years": 3}
    )
    login = base64.b64encode(faces.encode_picture(faces.login_picture(), ".png")).decode()
    movements = {"login_enabled": True, "challenge_admins": "always", "challenge_others": "always"}
    assert checker.admin.put("/api/face/policy", json=movements).status_code == 200
    check(FACE_LOGIN, "movements wanted", send(FACE_LOGIN, anonymous, body={"faceInfo": login}))
    devices = {"challenge_admins": "off", "challenge_others": "off", "allowed_devices_only": True}
    assert checker.admin.put("/api/face/policy", json={**movements, **devices}).status_code == 200
    check(FACE_LOGIN, "device not allowed", send(FACE_LOGIN, anonymous, body={"faceInfo": login}))
    everywhere = {"login_enabled": True, "allowed_devices_only": False}
    assert checker.admin.put("/api/face/policy", json=everywhere).status_code == 200
    check(FACE_LOGIN, "logged in", send(FACE_LOGIN, anonymous, body={"faceInfo": login}))
    check(FACE_LOGIN, "no picture", send(FACE_LOGIN, anonymous, body={}))
    check(FACE_LOGIN, "not an object", send(FACE_LOGIN, anonymous, body=[]))
    stranger = base64.b64encode(faces.encode_picture(faces.stranger_picture(), ".png")).decode()
    for _ in range(5):
        check(FACE_LOGIN, "not verified", send(FACE_LOGIN, anonymous, body={"faceInfo": stranger}))
    check(FACE_LOGIN, "too many attempts", send(FACE_LOGIN, anonymous, body={"faceInfo": stranger}))
    assert checker.admin.put("/api/face/policy", json={"login_enabled": False}).status_code == 200
    check(FACE_LOGIN, "switched off", send(FACE_LOGIN, anonymous))
    check(PROFILE, "updated", send(PROFILE, account.client))
    check(PROFILE, "field out of its rules", send(PROFILE, account.client, body={"work_years": 99}))
    check(PROFILE, "not an object", send(PROFILE, account.client, body=[]))
    change = {"password": account.password, "newPassword": "short"}
    missing = {"password": account.password}
    check(PASSWORD, "new password missing", send(PASSWORD, account.client, body=missing))
    check(PASSWORD, "too short", send(PASSWORD, account.client, body=change))
    check(PASSWORD, "wrong current password", send(PASSWORD, account.client))
    check(
        PASSWORD,
        "changed",
        send(PASSWORD, account.client, body={**change, "newPassword": "another-long-one"}),
    )
    for _ in range(10):
        answer = send(PASSWORD, account.client)
    check(PASSWORD, "too many wrong passwords", answer)


def check_engine_failures(checker: ExampleChecker) -> None:
    """Check the examples of failures of the face engine, which no request can cause."""
    limit = WaitingLimit()
    limit._waiting = 1000
    with pytest.raises(Problem) as too_many, limit.admit():
        pass
    with pytest.raises(Problem) as broken, needing_engine():
        raise EngineUnavailableError("none")
    for example, problem in (
        ("too many wait", too_many.value),
        ("no engine", broken.value),
    ):
        example_body = EXAMPLES[FACE].answers[problem.status][example]
        assert example_body == failure_body(problem.error, problem.msg, problem.details)
        checker.checked.add((FACE, example))


@pytest.mark.slow(60)
def test_examples_equal_the_answers_of_the_service(
    service: ContractApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.face.logins.FAILURE_SECONDS", 0.001)
    checker = ExampleChecker(service)
    for name in EXAMPLES:
        for example, answer in invalid_requests(checker, name):
            checker.check(name, example, answer)
    check_record_examples(checker)
    check_item_examples(checker)
    check_account_examples(checker)
    check_engine_failures(checker)
    all_examples = {
        (name, example)
        for name, examples in EXAMPLES.items()
        for answers in examples.answers.values()
        for example in answers
    }
    assert {entry for entry in all_examples - checker.checked if entry[1] not in UNTESTABLE} == set()
