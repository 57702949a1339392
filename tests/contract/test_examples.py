"""The examples of the API's document: complete, valid by the schemas, and what the service answers."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from typing import Any

import jsonschema_rs
import pytest
from starlette.testclient import TestClient

from service.api_examples import EXAMPLES, ITEM_ID, RECORD_ID
from service.face.access.waiting_limit import WaitingLimit, unavailable
from service.face.engines.face_process import EngineUnavailableError
from service.web.envelope import Problem, failure_body
from shared.samples import faces
from tests.contract.running import Running
from tests.contract.test_account import new_account
from tests.contract.test_openapi import OPERATIONS, operation
from tests.service_app import Answer

# The document does not depend on the database.
pytestmark = pytest.mark.parametrize("running", ["sqlite"], indirect=True)

# What no operation of the application answers to a request that a client of the tests can send.
UNSENT = {"not HTTP"}


@pytest.fixture(scope="module")
def document(running: Running) -> dict[str, Any]:
    answer: dict[str, Any] = running.anonymous.get("/api/openapi.json").json()
    return answer


def valid(document: dict[str, Any], schema: dict[str, Any], value: Any) -> None:
    """Assert that `value` is what `schema` of the document says."""
    whole = {**schema, "components": document["components"]}
    jsonschema_rs.validator_for(whole).validate(value)


def test_every_operation_of_the_contract_has_examples(document: dict[str, Any]) -> None:
    assert set(EXAMPLES) == set(OPERATIONS)
    assert all(operation(document, name) for name in EXAMPLES)


@pytest.mark.parametrize("name", OPERATIONS)
def test_examples_are_complete_and_valid(document: dict[str, Any], name: str) -> None:
    described = operation(document, name)
    for status, answer in described["responses"].items():
        content = answer["content"]["application/json"]
        assert content["examples"], status
        for example in content["examples"].values():
            valid(document, content["schema"], example["value"])
    if "requestBody" in described:
        content = described["requestBody"]["content"]["application/json"]
        valid(document, content["schema"], content["example"])
    parameters = {parameter["name"]: parameter for parameter in described.get("parameters", ())}
    assert set(EXAMPLES[name].parameters) <= set(parameters)
    for parameter in parameters.values():
        assert "example" in parameter or not parameter["required"], parameter["name"]
        if "example" in parameter:
            valid(document, parameter["schema"], parameter["example"])


AS_SHOWN = object()
"""The body of the example."""

# Texts that are the same in every answer, wherever they stand.
EXACT = {"msg", "error", "message", "field", "type", "status_name", "inspection_status", "code", "token_type"}


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
    elif key in EXACT:
        assert example == answer, key


class Stage:
    """Sends requests like those of the examples and compares the answers with theirs."""

    def __init__(self, running: Running) -> None:
        self.running = running
        self.admin = running.admin
        self.shown: set[tuple[str, str]] = set()
        self.record = self.item = ""
        self.renew()

    def renew(self) -> None:
        """Another record with another item."""
        self.record = self.running.record()["inspection_id"]
        self.item = self.running.item(self.record)["item_id"]

    def send(
        self,
        name: str,
        client: TestClient,
        changes: Mapping[str, Any] | None = None,
        *,
        body: Any = AS_SHOWN,
        unknown: bool = False,
    ) -> Answer:
        """A request with the example's body and parameters; `changes` replace them, None leaves one out."""
        method, path = name.split(" ")
        example = EXAMPLES[name]
        body = example.body if body is AS_SHOWN else body
        parameters = {**example.parameters, **(changes or {})}
        parameters = {key: value for key, value in parameters.items() if value is not None}
        record, item = ("none", "none") if unknown else (self.record, self.item)
        body = dict(body) if isinstance(body, dict) else body
        for fields in (parameters, body):
            for key, shown, real in (("inspection_id", RECORD_ID, record), ("item_id", ITEM_ID, item)):
                if isinstance(fields, dict) and fields.get(key) == shown:
                    fields[key] = real
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

    def show(self, name: str, example: str, answer: Answer) -> None:
        """Assert that `answer` is what the example says."""
        answers = EXAMPLES[name].answers
        (status,) = (status for status, values in answers.items() if example in values)
        assert answer.status_code == status, (name, example, answer.text)
        assert_same_shape(answers[status][example], answer.json())
        self.shown.add((name, example))


def invalid_requests(stage: Stage, name: str) -> Iterator[tuple[str, Answer]]:
    """What every operation refuses in the same way."""
    answers = EXAMPLES[name].answers
    asks = 403 in answers and "permission missing" in answers[403]
    if 401 in answers:
        yield "no token", stage.send(name, stage.running.anonymous)
    if asks:
        permission = OPERATIONS[name]
        shown = answers[403]["permission missing"]
        assert shown["data"]["permissions"] == [permission]
        viewer = stage.send(name, stage.running.as_role("viewer"))
        if viewer.status_code == 403:
            yield "permission missing", viewer
        else:
            # Every role has this one: all but its name is as where a role lacks one.
            other = stage.send("POST /api/inspection/create", stage.running.as_role("viewer")).json()
            other["data"]["permissions"] = [permission]
            assert shown == other
            stage.shown.add((name, "permission missing"))
    if 415 in answers:
        yield "not JSON", stage.send(name, stage.admin, body=b"a=1")
    if 413 in answers:
        large = {"x": "x" * (16 * 2**20)}
        yield "too large", stage.send(name, stage.admin, body=large)


def answer_while_sealed(stage: Stage, name: str) -> Answer:
    """What an operation answers while the record is sealed."""
    stage.running.post(f"/api/inspection_item/{stage.item}/verdict", verdict="passed")
    stage.running.post(f"/api/inspection/{stage.record}/finish")
    answer = stage.send(name, stage.admin, {"Idempotency-Key": None, "if-match": None})
    stage.renew()
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


def show_records(stage: Stage) -> None:
    admin, send, show = stage.admin, stage.send, stage.show
    created = send(CREATE, admin)
    show(CREATE, "created", created)
    stage.record = created.json()["data"]["inspection_id"]
    show(CREATE, "task missing", send(CREATE, admin, body={}))
    early = {**EXAMPLES[CREATE].body, "end_time": "2026-02-01T08:00:00"}
    show(CREATE, "end before start", send(CREATE, admin, body=early))
    show(CREATE, "key used with another body", send(CREATE, admin, body={"task_id": "other"}))
    show(GET, "found", send(GET, admin))
    show(SEARCH, "found", send(SEARCH, admin))
    show(SEARCH, "page size missing", send(SEARCH, admin, {"page_size": None}))
    show(UPDATE, "updated", send(UPDATE, admin))
    show(UPDATE, "changed meanwhile", send(UPDATE, admin))
    show(UPDATE, "progress too high", send(UPDATE, admin, body={"progress": 101}))
    show(DELETE, "changed meanwhile", send(DELETE, admin, {"if-match": '"1"'}))
    show(DELETE, "deleted", send(DELETE, admin))
    stage.renew()
    for name in (GET, UPDATE, DELETE):
        show(name, "no such record", send(name, admin, unknown=True))
    for name in (GET, DELETE):
        show(name, "id too long", send(name, admin, {"inspection_id": "x" * 256}))
    for name in (UPDATE, DELETE):
        show(name, "record is sealed", answer_while_sealed(stage, name))


def show_items(stage: Stage) -> None:
    admin, send, show = stage.admin, stage.send, stage.show
    stage.record = send(CREATE, admin, {"Idempotency-Key": "items"}).json()["data"]["inspection_id"]
    created = send(CREATE_ITEM, admin)
    show(CREATE_ITEM, "created", created)
    stage.item = created.json()["item_id"]
    show(CREATE_ITEM, "name missing", send(CREATE_ITEM, admin, body={"inspection_id": stage.record}))
    show(CREATE_ITEM, "no such record", send(CREATE_ITEM, admin, {"Idempotency-Key": None}, unknown=True))
    show(GET_ITEM, "found", send(GET_ITEM, admin))
    show(UPDATE_ITEM, "updated", send(UPDATE_ITEM, admin))
    show(LIST, "found", send(LIST, admin))
    show(LIST, "record missing", send(LIST, admin, {"inspection_id": None}))
    show(UPDATE_ITEM, "changed meanwhile", send(UPDATE_ITEM, admin))
    show(UPDATE_ITEM, "name empty", send(UPDATE_ITEM, admin, body={"item_name": ""}))
    show(DELETE_ITEM, "changed meanwhile", send(DELETE_ITEM, admin, {"if-match": '"1"'}))
    show(DELETE_ITEM, "deleted", send(DELETE_ITEM, admin))
    stage.renew()
    for name in (GET_ITEM, UPDATE_ITEM, DELETE_ITEM):
        show(name, "no such item", send(name, admin, unknown=True))
    for name in (GET_ITEM, DELETE_ITEM):
        show(name, "id too long", send(name, admin, {"item_id": "x" * 256}))
    for name in (CREATE_ITEM, UPDATE_ITEM, DELETE_ITEM):
        show(name, "record is sealed", answer_while_sealed(stage, name))


def show_accounts(stage: Stage) -> None:
    send, show, anonymous = stage.send, stage.show, stage.running.anonymous
    account = new_account(stage.running, "viewer")
    stage.running.post("/api/users", username="unused", password="a-long-one-too", roles=["viewer"])
    picture = base64.b64encode(faces.encode_picture(faces.enrolment_picture(), ".png")).decode()
    show(FACE, "registered", send(FACE, account.client, body={"faceInfo": picture}))
    show(FACE, "no picture", send(FACE, account.client, body={}))
    show(FACE, "not a picture", send(FACE, account.client, body={"faceInfo": "AAAA"}))
    show(FACE, "not a text", send(FACE, account.client, body={"faceInfo": 5}))
    account.client.post(
        "/api/auth/updateInfo", json={"name": "李梅", "email": "a@example.com", "work_years": 3}
    )
    login = base64.b64encode(faces.encode_picture(faces.login_picture(), ".png")).decode()
    movements = {"login_enabled": True, "challenge_admins": "always", "challenge_others": "always"}
    assert stage.admin.put("/api/face/policy", json=movements).status_code == 200
    show(FACE_LOGIN, "movements wanted", send(FACE_LOGIN, anonymous, body={"faceInfo": login}))
    devices = {"challenge_admins": "off", "challenge_others": "off", "allowed_devices_only": True}
    assert stage.admin.put("/api/face/policy", json={**movements, **devices}).status_code == 200
    show(FACE_LOGIN, "device not allowed", send(FACE_LOGIN, anonymous, body={"faceInfo": login}))
    everywhere = {"login_enabled": True, "allowed_devices_only": False}
    assert stage.admin.put("/api/face/policy", json=everywhere).status_code == 200
    show(FACE_LOGIN, "logged in", send(FACE_LOGIN, anonymous, body={"faceInfo": login}))
    show(FACE_LOGIN, "no picture", send(FACE_LOGIN, anonymous, body={}))
    show(FACE_LOGIN, "not an object", send(FACE_LOGIN, anonymous, body=[]))
    stranger = base64.b64encode(faces.encode_picture(faces.stranger_picture(), ".png")).decode()
    for _ in range(5):
        show(FACE_LOGIN, "not verified", send(FACE_LOGIN, anonymous, body={"faceInfo": stranger}))
    show(FACE_LOGIN, "too many attempts", send(FACE_LOGIN, anonymous, body={"faceInfo": stranger}))
    assert stage.admin.put("/api/face/policy", json={"login_enabled": False}).status_code == 200
    show(FACE_LOGIN, "switched off", send(FACE_LOGIN, anonymous))
    show(PROFILE, "updated", send(PROFILE, account.client))
    show(PROFILE, "field out of its rules", send(PROFILE, account.client, body={"work_years": 99}))
    show(PROFILE, "not an object", send(PROFILE, account.client, body=[]))
    wanted = {"password": account.password, "newPassword": "short"}
    show(PASSWORD, "too short", send(PASSWORD, account.client, body=wanted))
    show(PASSWORD, "wrong current password", send(PASSWORD, account.client))
    show(
        PASSWORD,
        "changed",
        send(PASSWORD, account.client, body={**wanted, "newPassword": "another-long-one"}),
    )
    for _ in range(10):
        answer = send(PASSWORD, account.client)
    show(PASSWORD, "too many wrong passwords", answer)


def show_engine_failures(stage: Stage) -> None:
    """What the face engine's state makes an answer of, which no request brings about."""
    limit = WaitingLimit()
    limit._waiting = 1000
    with pytest.raises(Problem) as raised, limit.admit():
        pass
    for example, problem in (
        ("too many wait", raised.value),
        ("no engine", unavailable(EngineUnavailableError("none"))),
    ):
        shown = EXAMPLES[FACE].answers[problem.status][example]
        assert shown == failure_body(problem.error, problem.msg, problem.details)
        stage.shown.add((FACE, example))


@pytest.mark.slow(60)
def test_examples_equal_the_answers_of_the_service(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.face.service.FAILURE_SECONDS", 0.001)
    stage = Stage(running)
    for name in EXAMPLES:
        for example, answer in invalid_requests(stage, name):
            stage.show(name, example, answer)
    show_records(stage)
    show_items(stage)
    show_accounts(stage)
    show_engine_failures(stage)
    every = {
        (name, example)
        for name, examples in EXAMPLES.items()
        for shown in examples.answers.values()
        for example in shown
    }
    assert {entry for entry in every - stage.shown if entry[1] not in UNSENT} == set()
