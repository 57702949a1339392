"""Signs and reads access tokens (JWT) and derives refresh tokens (random, stored hashed)."""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import hmac
import secrets
import time
from dataclasses import dataclass
from uuid import UUID

import jwt

from service.web.envelope import Problem
from shared.codes import ErrorCode
from shared.ids import new_id

ALGORITHM = "HS256"
ISSUER = "walkaround"
AUDIENCE = "walkaround-api"
ACCESS = "access"

_REQUIRED = ["exp", "iat", "sub", "jti", "aud", "iss", "sid", "typ"]
_MOST_KEPT = 10_000
_CHALLENGE = {"WWW-Authenticate": "Bearer"}


def not_logged_in() -> Problem:
    """The failure of a token that is missing, bad or no longer wanted."""
    return Problem(401, ErrorCode.NOT_LOGGED_IN, "请先登录", headers=_CHALLENGE)


def login_expired() -> Problem:
    """The failure of a token that was good and has run out."""
    return Problem(401, ErrorCode.LOGIN_EXPIRED, "登录已过期，请重新登录", headers=_CHALLENGE)


@dataclass(frozen=True, slots=True)
class Claims:
    """What an access token says: whose it is, its session, from when and until when it is good (POSIX s)."""

    user_id: str
    session_id: str
    from_time: float
    until_time: float


class AccessTokens:
    """Signs and reads access tokens with one secret, one algorithm, one issuer, one audience."""

    def __init__(self, secret: bytes, seconds: int) -> None:
        self._secret = secret
        self.seconds = seconds
        self._jwt = jwt.PyJWT(options={"enforce_minimum_key_length": True})
        self._read: dict[bytes, Claims] = {}

    def sign(
        self,
        user_id: str,
        session_id: str,
        methods: tuple[str, ...],
        at: dt.datetime,
        token_id: str | None = None,
    ) -> str:
        """A token for the session, good for `seconds` from `at`; with the same `token_id` the same one."""
        issued = int(at.timestamp())
        return self._jwt.encode(
            {
                "iss": ISSUER,
                "aud": AUDIENCE,
                "sub": user_id,
                "sid": session_id,
                "amr": list(methods),
                "typ": ACCESS,
                "jti": token_id or new_id(),
                "iat": issued,
                "nbf": issued,
                "exp": issued + self.seconds,
            },
            self._secret,
            algorithm=ALGORITHM,
        )

    def read(self, token: str) -> Claims:
        """The claims of a good token. Raises Problem 401 for every other.

        A token that was good once is good until it expires: its signature is checked once. Kept are hashes.
        """
        key = hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()
        claims = self._read.get(key)
        if claims is None:
            claims = self._checked(token)
            if len(self._read) >= _MOST_KEPT:
                self._read.clear()
            self._read[key] = claims
        elif not claims.from_time <= time.time() < claims.until_time:
            raise login_expired()
        return claims

    def _checked(self, token: str) -> Claims:
        try:
            whole = self._jwt.decode_complete(
                token,
                self._secret,
                algorithms=[ALGORITHM],
                issuer=ISSUER,
                audience=AUDIENCE,
                options={"require": _REQUIRED},
            )
        except (jwt.ExpiredSignatureError, jwt.ImmatureSignatureError):
            # Of the future: the clock was set back. As after an expiry, a refresh gives one of today.
            raise login_expired() from None
        except (jwt.InvalidTokenError, ValueError):
            # ValueError: a token that is not ASCII text.
            raise not_logged_in() from None
        claims = whole["payload"]
        # No header chooses a key here, so a token that names one (kid, jku, jwk, x5u) is not ours.
        if set(whole["header"]) != {"alg", "typ"} or claims["typ"] != ACCESS:
            raise not_logged_in()
        user_id, session_id = claims["sub"], claims["sid"]
        if not isinstance(user_id, str) or not isinstance(session_id, str):
            raise not_logged_in()
        return Claims(
            user_id, session_id, from_time=max(claims["iat"], claims.get("nbf", 0)), until_time=claims["exp"]
        )


def new_refresh_token() -> str:
    """A fresh refresh token: 256 random bits."""
    return secrets.token_urlsafe(32)


@dataclass(frozen=True, slots=True)
class Successor:
    """What follows a spent refresh token: the next one, and the id of the access token beside it."""

    refresh: str
    access_id: str


class RefreshExchange:
    """Derives what a refresh token is exchanged for, so that it can be given again without being stored.

    That takes `secret`, the spent token itself and the random seed of the exchange: neither the database nor
    the spent token alone leads to the next one.
    """

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    @staticmethod
    def new_seed() -> str:
        """A seed for one exchange: 256 random bits."""
        return secrets.token_hex(32)

    def successor(self, token: str, seed: str) -> Successor:
        """What `token` is exchanged for with this seed: always the same."""
        refresh = base64.urlsafe_b64encode(self._keyed("refresh", token, seed)).rstrip(b"=").decode()
        access_id = UUID(bytes=self._keyed("access", token, seed)[:16], version=4)
        return Successor(refresh, str(access_id))

    def client(self, address: str, user_agent: str) -> str:
        """A keyed hash of who exchanges: the address and the program of a client."""
        return self._keyed("client", address, user_agent).hex()

    def _keyed(self, *parts: str) -> bytes:
        text = "\0".join(("refresh exchange", *parts)).encode("utf-8", "surrogatepass")
        return hmac.new(self._secret, text, hashlib.sha256).digest()


def refresh_hash(token: str) -> str:
    """The form in which a refresh token is stored. Enough without salt: the token is random itself."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
