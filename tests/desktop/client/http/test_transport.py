"""Tokens, renewal, retries and errors, with a fake service (httpx.MockTransport)."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone

import httpx
import pytest

from desktop.client import RecordFilter, Session
from desktop.client.http.errors import (
    ClientError,
    Conflict,
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
from shared.record.codes import Status
from shared.wire.inspection import RecordUpdate
from tests.desktop.client.fake_service import (
    BASE,
    PAYLOAD,
    RECORD,
    SECRET,
    Service,
    failure_answer,
    success_answer,
)
from tests.narrowing import reread


def test_login_keeps_the_tokens_and_sends_them(service: Service, session: Session) -> None:
    service.answers["/api/auth/me"] = lambda request: success_answer(PAYLOAD)
    assert not reread(session.logged_in)
    payload = session.account.login("zhang", SECRET)
    assert payload.user.username == "zhang"
    assert session.logged_in
    assert session.account.me().user.user_id == "u1"


def test_a_call_without_login_never_reaches_the_service(service: Service, session: Session) -> None:
    with pytest.raises(NotLoggedIn):
        session.records.get("r1")
    assert service.requests == []


def test_an_ending_token_is_renewed_before_it_is_used(service: Service, session: Session) -> None:
    service.answers["/api/auth/me"] = lambda request: success_answer(PAYLOAD)
    service.expires_in = 0
    session.account.login("zhang", SECRET)
    service.expires_in = 900
    session.account.me()
    assert service.calls == {"/api/auth/login": 1, "/api/auth/refresh": 1, "/api/auth/me": 1}


def test_a_token_that_the_service_refuses_is_renewed_once(service: Service, session: Session) -> None:
    session.account.login("zhang", SECRET)
    service.answers["/api/auth/me"] = answer_once(
        failure_answer(401, "login_expired"), success_answer(PAYLOAD)
    )
    session.account.me()
    assert service.calls["/api/auth/refresh"] == 1
    assert service.calls["/api/auth/me"] == 2


def answer_once(first: httpx.Response, then: httpx.Response) -> Callable[[httpx.Request], httpx.Response]:
    waiting = [first]
    return lambda request: waiting.pop() if waiting else then


def test_twenty_threads_spend_one_refresh_token_once(service: Service, session: Session) -> None:
    service.answers["/api/auth/me"] = lambda request: success_answer(PAYLOAD)
    service.expires_in = 0
    session.account.login("zhang", SECRET)
    service.expires_in = 900
    with ThreadPoolExecutor(20) as pool:
        names = [call.result().user.username for call in [pool.submit(session.account.me) for _ in range(20)]]
    assert names == ["zhang"] * 20
    assert service.calls["/api/auth/refresh"] == 1


def test_ended_login_is_reported_once(service: Service, session: Session) -> None:
    lost: list[bool] = []
    session.on_login_lost(lambda: lost.append(True))
    session.account.login("zhang", SECRET)
    service.round += 5
    with pytest.raises(NotLoggedIn):
        session.account.me()
    with pytest.raises(NotLoggedIn):
        session.account.me()
    assert lost == [True]
    assert not session.logged_in


def test_logout_drops_the_tokens_of_an_unreachable_service(service: Service) -> None:
    is_gone = threading.Event()

    def answer(request: httpx.Request) -> httpx.Response:
        if is_gone.is_set():
            raise httpx.ConnectError("refused")
        return service(request)

    session = Session(BASE, patience=0.05, transport=httpx.MockTransport(answer))
    session.account.login("zhang", SECRET)
    is_gone.set()
    session.account.logout()
    assert not session.logged_in
    session.close()


@pytest.fixture
def _long_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("desktop.client.http.transport._FIRST_PAUSE", 60.0)


@pytest.mark.usefixtures("_long_pauses")
def test_call_waits_for_a_service_that_restarts_at_another_address(service: Service) -> None:
    service.answers["/api/auth/me"] = lambda request: success_answer(PAYLOAD)
    tried = threading.Event()

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.host == "old.test":
            tried.set()
            raise httpx.ConnectError("refused")
        return service(request)

    session = Session("http://new.test", patience=60, transport=httpx.MockTransport(answer))
    session.account.login("zhang", SECRET)
    session.rebase("http://old.test")
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(session.account.me)
        assert tried.wait(20)
        session.rebase("http://new.test/")
        assert call.result(timeout=20).user.username == "zhang"
    session.close()


@pytest.mark.usefixtures("_long_pauses")
def test_closing_ends_a_waiting_call() -> None:
    tried = threading.Event()

    def answer(request: httpx.Request) -> httpx.Response:
        tried.set()
        raise httpx.ConnectError("refused")

    session = Session(BASE, patience=600, transport=httpx.MockTransport(answer))
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(session.account.first_run_needed)
        assert tried.wait(20)
        session.close()
        with pytest.raises(Unreachable):
            call.result(timeout=20)


class SlowTransport(httpx.BaseTransport):
    """Answers when it may; tells whether its connections are closed."""

    def __init__(self) -> None:
        self.is_asked, self.may = threading.Event(), threading.Event()
        self.closed = False

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.is_asked.set()
        assert self.may.wait(20)
        return success_answer({"needed": True})

    def close(self) -> None:
        self.closed = True


def test_last_call_closes_the_connections() -> None:
    transport = SlowTransport()
    session = Session(BASE, transport=transport)
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(session.account.first_run_needed)
        assert transport.is_asked.wait(20)
        session.close()
        assert not transport.closed
        transport.may.set()
        assert call.result(timeout=20) is True
    assert transport.closed


class EndlessStream(httpx.SyncByteStream):
    """A body that has no end."""

    closed = False

    def __iter__(self) -> Iterator[bytes]:
        while True:
            yield b"more"

    def close(self) -> None:
        self.closed = True


def test_cancelled_transfer_is_closed(service: Service, session: Session) -> None:
    session.account.login("zhang", SECRET)
    body = EndlessStream()
    service.answers["/api/files/f/content"] = lambda request: httpx.Response(200, stream=body)

    def give_up(done: int, _total: int) -> None:
        assert not body.closed
        raise InterruptedError

    with pytest.raises(InterruptedError):
        session.files.download("f", give_up)
    assert body.closed


def test_reading_is_repeated_while_the_service_is_busy(service: Service, session: Session) -> None:
    session.account.login("zhang", SECRET)
    service.answers["/api/inspection/getInspectionById/r1"] = answer_once(
        failure_answer(503, "unavailable"), success_answer(RECORD, ETag='"3"')
    )
    tagged = session.records.get("r1")
    assert (tagged.value.inspection_id, tagged.etag) == ("r1", '"3"')


def test_call_fails_after_its_patience(service: Service, session: Session) -> None:
    session.account.login("zhang", SECRET)
    service.answers["/api/auth/me"] = lambda request: failure_answer(503, "unavailable")
    with pytest.raises(ServerFault) as caught:
        session.account.me()
    assert caught.value.code == "unavailable"
    assert service.calls["/api/auth/me"] > 1


def test_update_sends_its_version_and_only_set_fields(service: Service, session: Session) -> None:
    session.account.login("zhang", SECRET)
    service.answers["/api/inspection/updateInspection/r1"] = lambda request: success_answer(
        RECORD, ETag='"4"'
    )
    tagged = session.records.update("r1", RecordUpdate(inspection_name="new", end_time=None), '"3"')
    sent = service.requests[-1]
    assert sent.headers["If-Match"] == '"3"'
    assert json.loads(sent.content) == {"inspection_name": "new", "end_time": None}
    assert tagged.etag == '"4"'


def test_identifiers_stay_one_segment_of_the_path(service: Service, session: Session) -> None:
    session.account.login("zhang", SECRET)
    service.answers["/api/inspection/getInspectionById/a/../b?c"] = lambda request: success_answer(RECORD)
    session.records.get("a/../b?c")
    assert service.requests[-1].url.raw_path == b"/api/inspection/getInspectionById/a%2F..%2Fb%3Fc"


@pytest.mark.parametrize(
    ("response", "expected", "code"),
    [
        (failure_answer(401, "login_expired"), NotLoggedIn, "login_expired"),
        (failure_answer(403, "permission_missing"), Forbidden, "permission_missing"),
        (failure_answer(404, "not_found"), NotFound, "not_found"),
        (failure_answer(409, "conflict"), Conflict, "conflict"),
        (failure_answer(408, "too_slow"), Unreachable, "too_slow"),
        (failure_answer(412, "stale"), Stale, "stale"),
        (failure_answer(413, "too_large"), TooLarge, "too_large"),
        (failure_answer(415, "unsupported_media"), Unsupported, "unsupported_media"),
        (failure_answer(422, "invalid_input"), Invalid, "invalid_input"),
        (failure_answer(429, "too_many_requests"), TooMany, "too_many_requests"),
        (failure_answer(500, "internal"), ServerFault, "internal"),
        (httpx.Response(404, text="<html>"), ServerFault, "not_walkaround"),
        (httpx.Response(200, text="<html>"), ServerFault, "not_walkaround"),
        (httpx.Response(200, json={"code": 0, "data": {"x": 1}, "msg": None}), ServerFault, "not_walkaround"),
        (httpx.Response(302, headers={"Location": "http://elsewhere.test"}), ServerFault, "not_walkaround"),
        (httpx.Response(504, text=""), ServerFault, "unavailable"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_each_failure_status_raises_its_error(
    response: httpx.Response, expected: type[ClientError], code: str
) -> None:
    session = Session(BASE, patience=0, transport=httpx.MockTransport(lambda request: response))
    with pytest.raises(expected) as caught:
        session.account.first_run_needed()
    assert type(caught.value) is expected
    assert caught.value.code == code
    assert str(caught.value)
    session.close()


def test_refusal_carries_the_message_of_the_service() -> None:
    body = {"code": 1, "data": None, "msg": "用户名或密码错误"}
    session = Session(BASE, transport=httpx.MockTransport(lambda request: httpx.Response(200, json=body)))
    with pytest.raises(Refused) as caught:
        session.account.login("zhang", SECRET)
    assert str(caught.value) == "用户名或密码错误"
    assert not session.logged_in
    session.close()


def test_invalid_names_fields_and_too_many_the_waiting_time() -> None:
    fields = [
        {"field": "item_point.point.x", "type": "number", "message": "需要数字"},
        {"field": "x", "type": "t", "message": "z"},
    ]
    answers = [
        failure_answer(422, "invalid_input", fields=fields),
        httpx.Response(
            429, json={"code": 1, "data": {"error": "e"}, "msg": ""}, headers={"Retry-After": "7"}
        ),
    ]
    session = Session(BASE, transport=httpx.MockTransport(lambda request: answers.pop(0)))
    with pytest.raises(Invalid) as invalid:
        session.account.first_run_needed()
    assert invalid.value.fields == {"x": "需要数字"}
    with pytest.raises(TooMany) as many:
        session.account.first_run_needed()
    assert many.value.retry_after == 7
    session.close()


def test_no_secret_is_in_any_text(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    broken = {
        "code": 0,
        "data": {"access_token": "tok-A", "refresh_token": ["tok-B"], "expires_in": 1, "payload": PAYLOAD},
        "msg": None,
    }
    session = Session(BASE, transport=httpx.MockTransport(lambda request: httpx.Response(200, json=broken)))
    with pytest.raises(ServerFault) as caught:
        session.account.login("zhang", SECRET)
    shown = repr(caught.value) + repr(caught.value.__cause__) + repr(caught.value.__context__) + repr(session)
    shown += repr(vars(session._transport)) + caplog.text + repr(caught.value.details)
    for secret in (SECRET, "tok-A", "tok-B"):
        assert secret not in shown
    session.close()


def test_a_refused_connection_is_unreachable(unused_port: int) -> None:
    session = Session(f"http://127.0.0.1:{unused_port}", patience=0.2)
    with pytest.raises(Unreachable):
        session.account.first_run_needed()
    session.close()


@pytest.fixture
def unused_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_local_service_is_called_without_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.test:1")
    session = Session("http://127.0.0.1:1")
    http = session._transport._http
    local = http._transport_for_url(httpx.URL("http://127.0.0.1:1"))
    assert local is http._transport
    assert http._transport_for_url(httpx.URL("http://elsewhere.test")) is not http._transport
    session.close()


def test_filters_become_the_query_of_the_contract() -> None:
    where = RecordFilter(
        inspection_status=Status.PASSED,
        executor_name="",
        start_time_from=datetime(2026, 1, 1, 8, tzinfo=timezone(timedelta(hours=8))),
        end_time_to=datetime(2026, 1, 2, tzinfo=UTC),
    )
    assert where.query() == {
        "inspection_status": "passed",
        "start_time_from": "2026-01-01T00:00:00",
        "end_time_to": "2026-01-02T00:00:00",
    }


@pytest.mark.parametrize(
    ("url", "encoding"), [("https://walkaround.example", "gzip"), ("http://127.0.0.1:8177", "identity")]
)
def test_answers_are_compressed_on_a_network_only(url: str, encoding: str) -> None:
    encodings: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        encodings.append(request.headers["Accept-Encoding"])
        return httpx.Response(200, json={"code": 0, "data": {"needed": False}, "msg": None})

    session = Session("http://localhost:1", transport=httpx.MockTransport(answer))
    session.rebase(url)
    session.account.first_run_needed()
    session.close()
    assert encodings == [encoding]
