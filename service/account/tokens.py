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
from shared.ids import new_id
from shared.record.codes import ErrorCode

ALGORITHM = "HS256"
ISSUER = "walkaround"
AUDIENCE = "walkaround-api"
ACCESS = "access"

_REQUIRED_CLAIMS = ["exp", "iat", "sub", "jti", "aud", "iss", "sid", "typ"]
_MAX_VERIFIED = 10_000
_CHALLENGE = {"WWW-Authenticate": "Bearer"}


def not_logged_in() -> Problem:
    """Return the failure for a missing or invalid token, or one whose session has ended."""
    return Problem(401, ErrorCode.NOT_LOGGED_IN, "请先登录", headers=_CHALLENGE)


def login_expired() -> Problem:
    """Return the failure for a valid token that has expired."""
    return Problem(401, ErrorCode.LOGIN_EXPIRED, "登录已过期，请重新登录", headers=_CHALLENGE)


@dataclass(frozen=True, slots=True)
class Claims:
    """The claims of an access token; `valid_from` and `valid_until` are in seconds since 1970."""

    user_id: str
    session_id: str
    valid_from: float
    valid_until: float


class AccessTokens:
    """Signs and reads access tokens with one secret, one algorithm, one issuer, one audience."""

    def __init__(self, secret: bytes, seconds: int) -> None:
        self._secret = secret
        self.seconds = seconds
        self._jwt = jwt.PyJWT(options={"enforce_minimum_key_length": True})
        self._verified: dict[bytes, Claims] = {}

    def sign(
        self,
        user_id: str,
        session_id: str,
        methods: tuple[str, ...],
        moment: dt.datetime,
        token_id: str | None = None,
    ) -> str:
        """Return a token for the session, valid for `seconds` from `moment`.

        The same arguments with a `token_id` return the same token; without one, each token has a new id.
        """
        issue_time = int(moment.timestamp())
        return self._jwt.encode(
            {
                "iss": ISSUER,
                "aud": AUDIENCE,
                "sub": user_id,
                "sid": session_id,
                "amr": list(methods),
                "typ": ACCESS,
                "jti": token_id or new_id(),
                "iat": issue_time,
                "nbf": issue_time,
                "exp": issue_time + self.seconds,
            },
            self._secret,
            algorithm=ALGORITHM,
        )

    def read(self, token: str) -> Claims:
        """Return the claims of a valid token. Raises Problem 401 for any other.

        The signature of a token is checked once. The cache contains hashes of tokens, not the tokens.
        """
        key = hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()
        claims = self._verified.get(key)
        if claims is None:
            claims = self._verify(token)
            if len(self._verified) >= _MAX_VERIFIED:
                self._verified.clear()
            self._verified[key] = claims
        elif not claims.valid_from <= time.time() < claims.valid_until:
            raise login_expired()
        return claims

    def _verify(self, token: str) -> Claims:
        try:
            parts = self._jwt.decode_complete(
                token,
                self._secret,
                algorithms=[ALGORITHM],
                issuer=ISSUER,
                audience=AUDIENCE,
                options={"require": _REQUIRED_CLAIMS},
            )
        except (jwt.ExpiredSignatureError, jwt.ImmatureSignatureError):
            # A token of the future: the clock was set back. A refresh replaces it, as after its expiry.
            raise login_expired() from None
        except (jwt.InvalidTokenError, ValueError):
            # ValueError: a token that is not ASCII text.
            raise not_logged_in() from None
        claims = parts["payload"]
        # Base64 can be padded, and its last character has unused bits: only the text that was signed counts.
        if any(not _is_canonical(part) for part in token.split(".")):
            raise not_logged_in()
        # This service has one key, so a token whose header names a key (kid, jku, jwk, x5u) is not its own.
        if set(parts["header"]) != {"alg", "typ"} or claims["typ"] != ACCESS:
            raise not_logged_in()
        user_id, session_id = claims["sub"], claims["sid"]
        if not isinstance(user_id, str) or not isinstance(session_id, str):
            raise not_logged_in()
        return Claims(
            user_id,
            session_id,
            valid_from=max(claims["iat"], claims.get("nbf", 0)),
            valid_until=claims["exp"],
        )


def _is_canonical(part: str) -> bool:
    """Whether a part of a token is written as base64url without padding, the one way of RFC 7515."""
    content = base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode() == part


def new_refresh_token() -> str:
    """Return a new refresh token of 256 random bits."""
    return secrets.token_urlsafe(32)


@dataclass(frozen=True, slots=True)
class Successor:
    """The replacement of a spent refresh token: the next refresh token and the id of its access token."""

    refresh: str
    access_id: str


class RefreshExchange:
    """Derives the successor of a refresh token, so that it can be sent again without being stored.

    The derivation needs `secret`, the spent token and the random seed of the exchange: neither the database
    nor the spent token alone is enough.
    """

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    @staticmethod
    def new_seed() -> str:
        """Return a seed of 256 random bits for one exchange."""
        return secrets.token_hex(32)

    def successor(self, token: str, seed: str) -> Successor:
        """Return the successor of `token` with this seed, always the same."""
        refresh = base64.urlsafe_b64encode(self._keyed_hash("refresh", token, seed)).rstrip(b"=").decode()
        access_id = UUID(bytes=self._keyed_hash("access", token, seed)[:16], version=4)
        return Successor(refresh, str(access_id))

    def client(self, address: str, user_agent: str) -> str:
        """Return a keyed hash of the address and the program of a client."""
        return self._keyed_hash("client", address, user_agent).hex()

    def _keyed_hash(self, *parts: str) -> bytes:
        text = "\0".join(("refresh exchange", *parts)).encode("utf-8", "surrogatepass")
        return hmac.new(self._secret, text, hashlib.sha256).digest()


def refresh_hash(token: str) -> str:
    """Return the hash under which a refresh token is stored; a random token needs no salt."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
