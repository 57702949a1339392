"""Tokens that are renewed while something else happens to the login."""

from __future__ import annotations

import httpx
import pytest

from desktop.client import Session
from desktop.client.http.errors import NotLoggedIn, TooMany, Unreachable
from tests.desktop.client.fake_service import BASE, PAYLOAD, SECRET, Service, failure_answer, success_answer


class InterruptedService(Service):
    """Does `meanwhile` while a renewal is on its way."""

    def __init__(self) -> None:
        super().__init__(expires_in=0)
        self.answers["/api/auth/me"] = lambda request: success_answer(PAYLOAD)

    def meanwhile(self) -> None:
        """Nothing, unless a test says what."""

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/api/auth/refresh":
            self.meanwhile()
        return super().__call__(request)


@pytest.fixture
def service() -> InterruptedService:
    return InterruptedService()


@pytest.fixture
def session(session: Session) -> Session:
    session.account.login("zhang", SECRET)
    return session


def test_logout_during_a_renewal_remains_in_effect(
    service: InterruptedService, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "meanwhile", session._transport.drop_tokens)
    with pytest.raises(NotLoggedIn):
        session.account.me()
    assert not session.logged_in
    assert service.calls["/api/auth/me"] == 0


def test_new_login_survives_the_end_of_the_previous_one(
    service: InterruptedService, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost: list[bool] = []
    session.on_login_lost(lambda: lost.append(True))

    def log_in_again() -> None:
        service.expires_in = 900
        session.account.login("zhang", SECRET)

    monkeypatch.setattr(service, "meanwhile", log_in_again)
    with pytest.raises(NotLoggedIn):
        session.account.me()
    assert lost == []
    assert session.account.me().user.user_id == "u1"


def test_renewal_without_an_answer_is_not_repeated(
    service: InterruptedService, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The token may be spent: a second use would end the login."""
    sent: list[bool] = []

    def cut() -> None:
        sent.append(True)
        raise httpx.ReadError("cut")

    monkeypatch.setattr(service, "meanwhile", cut)
    with pytest.raises(Unreachable):
        session.account.me()
    assert sent == [True]
    assert session.logged_in


def test_a_token_of_a_short_life_is_used_for_most_of_it(
    service: InterruptedService, session: Session
) -> None:
    service.expires_in = 20
    for _ in range(3):
        session.account.me()
    assert service.calls["/api/auth/refresh"] == 1


def test_text_of_a_session_contains_no_token(session: Session) -> None:
    shown = repr(session) + repr(vars(session._transport))
    assert "access-1" not in shown
    assert "refresh-1" not in shown


@pytest.mark.parametrize(
    ("header", "retry_after", "seconds"),
    [("7", 9, 7), ("0", None, 1), ("soon", 9, 9), (None, 9, 9), (None, None, 30), (None, "soon", 30)],
)
def test_waiting_time_comes_from_the_header_or_the_body(
    header: str | None, retry_after: object, seconds: float
) -> None:
    answer = failure_answer(
        429, "too_many_requests", **({} if retry_after is None else {"retry_after": retry_after})
    )
    if header is not None:
        answer.headers["Retry-After"] = header
    session = Session(BASE, transport=httpx.MockTransport(lambda request: answer))
    with pytest.raises(TooMany) as caught:
        session.account.first_run_needed()
    assert caught.value.retry_after == seconds
    session.close()
