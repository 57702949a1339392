"""The calls on the memory of a region, with a fake service."""

from __future__ import annotations

import json

import httpx
import pytest

from desktop.client import Session
from desktop.client.http.errors import Forbidden, NotFound
from shared.wire.memory import MemoryChange, MemoryKind, MemoryStatus
from tests.desktop.client.fake_service import SECRET, Service, failure_answer, success_answer

PATH = "/api/inspection_item/i%201/memory"
PHOTO = {
    "file_id": "f1",
    "inspection_id": "r1",
    "item_id": "i0",
    "record_name": "walk",
    "taken_at": None,
    "decided_at": "2026-03-01T08:00:00Z",
    "decided_by": "张三",
    "kind": "rejected",
    "differences": None,
    "left_out": False,
    "left_out_by": None,
    "left_out_at": None,
}
STATE = {
    "item_id": "i 1",
    "reference_file_id": "f0",
    "state": "too_few",
    "photos": [PHOTO],
    "required": 3,
    "frozen_at": None,
    "frozen_by": None,
    "begins_at": None,
    "disagreements": [[0.1, 0.2, 0.3, 0.4]],
    "proposed_place": "fixed",
    "version": 1,
    "can_change": True,
    "can_require": False,
}


def answer(service: Service, response: httpx.Response) -> None:
    service.answers["/api/inspection_item/i 1/memory"] = lambda _request: response


def test_a_memory_is_read(service: Service, session: Session) -> None:
    session.account.login("zhang", SECRET)
    answer(service, success_answer(STATE))
    state = session.items.memory("i 1")
    assert service.requests[-1].url.raw_path.decode() == PATH
    assert state.state is MemoryStatus.TOO_FEW
    assert state.photos[0].kind is MemoryKind.REJECTED
    assert state.disagreements == [(0.1, 0.2, 0.3, 0.4)]


@pytest.mark.parametrize(
    ("change", "body"),
    [
        (MemoryChange(left_out={"f1": True}), {"left_out": {"f1": True}}),
        (MemoryChange(frozen=False), {"frozen": False}),
        (MemoryChange(required=5), {"required": 5}),
        (MemoryChange(start_over=True), {"start_over": True}),
    ],
)
def test_a_change_sends_only_what_changes(
    service: Service, session: Session, change: MemoryChange, body: dict[str, object]
) -> None:
    session.account.login("zhang", SECRET)
    answer(service, success_answer(STATE))
    assert session.items.change_memory("i 1", change).required == 3
    assert service.requests[-1].method == "PUT"
    assert json.loads(service.requests[-1].content) == body


def test_refusal_of_the_service_is_raised(service: Service, session: Session) -> None:
    session.account.login("zhang", SECRET)
    answer(service, failure_answer(403, "forbidden"))
    with pytest.raises(Forbidden):
        session.items.change_memory("i 1", MemoryChange(frozen=True))
    answer(service, failure_answer(404, "not_found"))
    with pytest.raises(NotFound):
        session.items.memory("i 1")
