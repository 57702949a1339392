"""The reader of the event stream, with a fake service (httpx.MockTransport)."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from desktop.client import Session
from desktop.client.http.errors import ServerFault, Unreachable
from shared.wire.events import ChangeEvent
from tests.desktop.client.fake_service import SECRET, Service, failure_answer


def change(number: int) -> str:
    data = (
        f'{{"id":"run-{number}","action":"update","kind":"item","object_id":"i{number}",'
        '"actor":null,"at":"2026-01-01T00:00:00Z"}'
    )
    return f"id: run-{number}\nevent: change\ndata: {data}\n\n"


@pytest.fixture
def session(session: Session) -> Session:
    session.account.login("zhang", SECRET)
    return session


def changed_ids(
    service: Service, session: Session, text: str, last_id: str | None = None
) -> list[str | None]:
    """What a stream of this text tells: the objects that changed, None where some were missed."""
    service.answers["/api/events"] = lambda request: httpx.Response(200, text=text)
    taken: list[ChangeEvent | None] = []
    session.events.read(taken.append, last_id)
    return [None if event is None else event.object_id for event in taken]


def test_changes_are_delivered_in_order_until_stream_ends(service: Service, session: Session) -> None:
    text = "retry: 2000\n\n" + change(1) + ": alive\n\n" + change(2)
    assert changed_ids(service, session, text + "event: end\ndata: {}\n\n" + change(3)) == ["i1", "i2"]
    assert changed_ids(service, session, text) == ["i1", "i2"]


def test_missed_events_are_reported_and_unknown_events_skipped(service: Service, session: Session) -> None:
    later = 'event: change\ndata: {"of": "a later version"}\n\nevent: news\ndata: {}\n\n'
    assert changed_ids(service, session, "event: resync\ndata: {}\n\n" + later + change(1)) == [None, "i1"]


def test_data_of_several_lines_is_joined(service: Service, session: Session) -> None:
    assert changed_ids(service, session, change(1).replace(',"actor"', '\ndata: ,"actor"') + change(2)) == [
        "i1",
        "i2",
    ]


def test_reading_continues_after_the_last_event(service: Service, session: Session) -> None:
    changed_ids(service, session, "")
    assert "Last-Event-ID" not in service.requests[-1].headers
    changed_ids(service, session, "", "run-7")
    assert service.requests[-1].headers["Last-Event-ID"] == "run-7"
    assert service.requests[-1].headers["Accept"] == "text/event-stream"


class CutStream(httpx.SyncByteStream):
    """A connection that is lost after the first event."""

    def __iter__(self) -> Iterator[bytes]:
        yield change(1).encode()
        raise httpx.ReadError("cut")


def test_lost_connection_raises_and_ends_the_reading(service: Service, session: Session) -> None:
    service.answers["/api/events"] = lambda request: httpx.Response(200, stream=CutStream())
    taken: list[ChangeEvent | None] = []
    with pytest.raises(Unreachable):
        session.events.read(taken.append)
    assert len(taken) == 1
    assert session.events._responses == set()
    service.answers["/api/events"] = lambda request: failure_answer(503, "unavailable")
    with pytest.raises(ServerFault, match="不行"):
        session.events.read(taken.append)


def test_error_of_the_callback_ends_the_reading(service: Service, session: Session) -> None:
    service.answers["/api/events"] = lambda request: httpx.Response(200, text=change(1))

    def refuse(_event: ChangeEvent | None) -> None:
        raise LookupError

    with pytest.raises(LookupError):
        session.events.read(refuse)
    assert session.events._responses == set()


def fail_on_event(event: ChangeEvent | None) -> None:
    pytest.fail(f"read {event}")


def test_error_in_callback_is_not_a_connection_error(service: Service, session: Session) -> None:
    service.answers["/api/events"] = lambda request: httpx.Response(200, text=change(1))

    def full(_event: ChangeEvent | None) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        session.events.read(full)


def test_stream_that_is_refused_delivers_nothing(service: Service, session: Session) -> None:
    service.answers["/api/events"] = lambda request: httpx.Response(200, text=change(1))

    def refuse() -> None:
        raise LookupError

    with pytest.raises(LookupError):
        session.events.read(fail_on_event, on_open=refuse)
    assert session.events._responses == set()


def test_a_stream_that_opens_while_the_session_is_closed_is_not_read(
    service: Service, session: Session
) -> None:
    def late(_request: httpx.Request) -> httpx.Response:
        session.close()
        return httpx.Response(200, text=change(1))

    service.answers["/api/events"] = late
    with pytest.raises(Unreachable):
        session.events.read(fail_on_event)
