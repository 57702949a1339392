from __future__ import annotations

import base64
import datetime as dt
import json
from collections.abc import Callable
from functools import partial
from typing import Any

import jwt
import pytest
from pydantic import SecretStr

from service.account.authentication import AUDIENCE, ISSUER, AccessTokens
from service.account.service import AccountService
from service.db.database import now
from service.settings import Settings
from service.web.envelope import Problem
from tests.service.account.conftest import CHIEF_LOGIN, HOME_ADDRESS, SettableClock, create_first_admin

SECRET = b"s" * 48
TOKENS = AccessTokens(SECRET, 900)


def _claims(**changed: Any) -> dict[str, Any]:
    at = int(now().timestamp())
    claims = {
        "iss": ISSUER,
        "aud": AUDIENCE,
        "sub": "user",
        "sid": "session",
        "typ": "access",
        "jti": "1",
        "iat": at,
        "exp": at + 900,
    }
    return {key: value for key, value in (claims | changed).items() if value is not None}


def _signed_token(headers: dict[str, Any] | None = None, **changed: Any) -> str:
    return jwt.encode(_claims(**changed), SECRET, algorithm="HS256", headers=headers)


def _encode_part(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def _edited_token(**changed: Any) -> str:
    head, _, signature = _signed_token().split(".")
    return f"{head}.{_encode_part(_claims(**changed))}.{signature}"


def _unsigned_token(algorithm: str) -> str:
    return f"{_encode_part({'alg': algorithm, 'typ': 'JWT'})}.{_encode_part(_claims())}."


def _with_other_last_character(token: str) -> str:
    """The token with other bits in its last character that no byte of the signature uses."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    return token[:-1] + alphabet[alphabet.index(token[-1]) ^ 1]


def _refusal_code(token: str) -> str:
    with pytest.raises(Problem) as caught:
        TOKENS.read(token)
    assert caught.value.status == 401
    return caught.value.error


def test_token_contains_user_and_session() -> None:
    claims = TOKENS.read(TOKENS.sign("user", "session", ("pwd",), now()))
    assert (claims.user_id, claims.session_id) == ("user", "session")
    assert TOKENS.read(_signed_token()).user_id == "user"


BAD_TOKENS: dict[str, Callable[[], str]] = {
    "empty": lambda: "",
    "not ascii": lambda: "令牌",
    "two parts": lambda: "a.b",
    "algorithm none": lambda: _unsigned_token("none"),
    "algorithm None, other case": lambda: _unsigned_token("nOnE"),
    "none with a signature": lambda: _unsigned_token("none") + _signed_token().split(".")[2],
    "confused with RS256": lambda: _unsigned_token("RS256") + _signed_token().split(".")[2],
    "HS512 with the same secret": lambda: jwt.encode(_claims(), SECRET * 2, algorithm="HS512"),
    "another secret": lambda: jwt.encode(_claims(), b"x" * 48, algorithm="HS256"),
    "edited user": lambda: _edited_token(sub="admin"),
    "edited expiry": lambda: _edited_token(exp=int(now().timestamp()) + 10**6),
    "cut signature": lambda: _signed_token()[:-4],
    "padded signature": lambda: _signed_token() + "=",
    "padded twice": lambda: _signed_token() + "==",
    "padded payload": lambda: _signed_token().replace(".", "=.", 2).replace("=.", ".", 1),
    "unused bits of the signature": lambda: _with_other_last_character(_signed_token()),
    "kid": lambda: _signed_token({"kid": "../../dev/null"}),
    "jku": lambda: _signed_token({"jku": "https://example.com/keys"}),
    "jwk": lambda: _signed_token({"jwk": {"kty": "oct", "k": "eHg"}}),
    "x5u": lambda: _signed_token({"x5u": "https://example.com/cert"}),
    "other audience": lambda: _signed_token(aud="another"),
    "other issuer": lambda: _signed_token(iss="another"),
    "other type": lambda: _signed_token(typ="refresh"),
    "user no text": lambda: _signed_token(sub=7),
    "session no text": lambda: _signed_token(sid=7),
    **{f"without {name}": partial(_signed_token, **{name: None}) for name in _claims()},
}


@pytest.mark.parametrize("kind", list(BAD_TOKENS))
def test_bad_token_is_refused(kind: str) -> None:
    assert _refusal_code(BAD_TOKENS[kind]()) == "not_logged_in"


def test_expired_token_has_its_own_error_code() -> None:
    at = now() - dt.timedelta(seconds=901)
    assert _refusal_code(TOKENS.sign("user", "session", ("pwd",), at)) == "login_expired"


@pytest.mark.parametrize("claim", ["nbf", "iat"])
def test_token_from_the_future_must_be_refreshed(claim: str) -> None:
    """After a clock was set back, a client gets a new token by a refresh, without a login."""
    changed: dict[str, Any] = {claim: int(now().timestamp()) + 3600}
    assert _refusal_code(_signed_token(**changed)) == "login_expired"


async def test_session_survives_a_changed_clock(accounts: AccountService, clock: SettableClock) -> None:
    clock.advance(3600)
    tokens = await create_first_admin(accounts)
    clock.advance(-3600)
    for days in (0, 1, -1):
        clock.advance(days * 24 * 3600)
        tokens = await accounts.logins.refresh(SecretStr(tokens.refresh_token), HOME_ADDRESS)
    caller = await accounts.authenticate(tokens.access_token, HOME_ADDRESS)
    assert caller.username == CHIEF_LOGIN[0]


def test_expired_token_of_another_secret_is_refused() -> None:
    expired = _claims(exp=int(now().timestamp()) - 1)
    assert _refusal_code(jwt.encode(expired, b"x" * 48, algorithm="HS256")) == "not_logged_in"


def test_short_secret_is_refused() -> None:
    with pytest.raises(jwt.InvalidKeyError):
        AccessTokens(b"short", 900).sign("user", "session", ("pwd",), now())


async def test_token_has_its_methods_and_its_expiry(accounts: AccountService, settings: Settings) -> None:
    tokens = await create_first_admin(accounts)
    claims = jwt.decode(tokens.access_token, options={"verify_signature": False})
    assert claims["amr"] == ["pwd"]
    assert claims["exp"] - claims["iat"] == settings.access_token_seconds == tokens.expires_in == 15 * 60
    assert claims["iss"] == ISSUER
    assert claims["aud"] == AUDIENCE


async def test_refresh_token_is_not_accepted_as_access_token(accounts: AccountService) -> None:
    tokens = await create_first_admin(accounts)
    with pytest.raises(Problem) as caught:
        await accounts.authenticate(tokens.refresh_token, HOME_ADDRESS)
    assert caught.value.error == "not_logged_in"


async def test_token_of_another_users_session_is_refused(
    accounts: AccountService, settings: Settings
) -> None:
    tokens = await create_first_admin(accounts)
    session = jwt.decode(tokens.access_token, options={"verify_signature": False})["sid"]
    forged = AccessTokens(settings.load_signing_secret(), 900).sign("other", session, ("pwd",), now())
    with pytest.raises(Problem) as caught:
        await accounts.authenticate(forged, HOME_ADDRESS)
    assert caught.value.error == "not_logged_in"


def test_cached_token_expires(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = AccessTokens(SECRET, 900)
    token = _signed_token()
    assert tokens.read(token) == tokens.read(token)
    for seconds in (901, -1_000):
        at = dt.datetime.now(dt.UTC).timestamp() + seconds
        monkeypatch.setattr("service.account.authentication.time.time", lambda at=at: at)
        with pytest.raises(Problem) as caught:
            tokens.read(token)
        assert caught.value.error == "login_expired"


def test_cached_token_is_stored_as_a_hash() -> None:
    tokens = AccessTokens(SECRET, 900)
    token = _signed_token()
    tokens.read(token)
    assert token not in repr(vars(tokens))
