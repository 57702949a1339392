"""Which calls are sent again after a lost answer, and which may have been done already."""

from __future__ import annotations

import httpx
import pytest

from desktop.client import Session
from desktop.client.http.errors import ServerFault, Unreachable
from shared.wire.inspection import ItemCreate, ItemUpdate
from tests.desktop.client.fake_service import ITEM, RECORD, SECRET, Service, failure_answer, success_answer


@pytest.mark.parametrize(
    ("lost", "expected"),
    [(httpx.ReadError("cut"), 1), (httpx.ConnectError("refused"), 2)],
    ids=["answer lost: never twice", "not sent: again"],
)
def test_a_call_that_changes_something_is_only_repeated_when_it_was_never_sent(
    service: Service, session: Session, lost: Exception, expected: int
) -> None:
    session.account.login("zhang", SECRET)
    failures = [lost]

    def finish(request: httpx.Request) -> httpx.Response:
        if failures:
            raise failures.pop()
        return success_answer(RECORD)

    service.answers["/api/inspection/r1/finish"] = finish
    if expected == 1:
        with pytest.raises(Unreachable):
            session.records.finish("r1")
    else:
        session.records.finish("r1")
    assert service.calls["/api/inspection/r1/finish"] == expected


def test_a_change_that_a_busy_service_refused_is_not_repeated(service: Service, session: Session) -> None:
    """What stands between may have passed it on."""
    session.account.login("zhang", SECRET)
    service.answers["/api/inspection/r1/finish"] = lambda request: failure_answer(503, "unavailable")
    with pytest.raises(ServerFault):
        session.records.finish("r1")
    assert service.calls["/api/inspection/r1/finish"] == 1


def test_an_update_with_a_version_is_not_repeated_after_a_lost_answer(
    service: Service, session: Session
) -> None:
    session.account.login("zhang", SECRET)

    def cut(request: httpx.Request) -> httpx.Response:
        raise httpx.ReadError("cut")

    service.answers["/api/inspection_item/i1"] = cut
    with pytest.raises(Unreachable):
        session.items.update("i1", ItemUpdate(item_name="x"), '"1"')
    assert service.calls["/api/inspection_item/i1"] == 1


def test_idempotent_calls_are_sent_again(service: Service, session: Session) -> None:
    """A create is known by its key, and an item that is there is not brought back twice."""
    session.account.login("zhang", SECRET)
    failures: list[Exception] = []

    def answer(request: httpx.Request) -> httpx.Response:
        if failures:
            raise failures.pop()
        return httpx.Response(200, json=ITEM)

    create_path, restore_path = "/api/inspection_item/create", "/api/inspection_item/i1/restore"
    service.answers |= {create_path: answer, restore_path: answer}
    body = ItemCreate(item_name="前缘", inspection_id="r1")
    failures.append(httpx.ReadError("cut"))
    assert session.items.create(body, "k1").value.item_id == "i1"
    assert [call.headers["Idempotency-Key"] for call in service.requests[-2:]] == ["k1", "k1"]
    failures.append(httpx.ReadError("cut"))
    assert session.items.restore("i1").value.item_id == "i1"
    assert service.calls[restore_path] == 2
    failures.append(httpx.ReadError("cut"))
    with pytest.raises(Unreachable):
        session.items.create(body)
    assert service.calls[create_path] == 3
