"""Sends requests with tokens, renews the access token and retries. It is independent of the domains."""

from __future__ import annotations

import platform
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar
from urllib.parse import quote

import httpx
from pydantic import BaseModel

from desktop.client.http.address import is_local
from desktop.client.http.answers import Answer, error_of, read_answer
from desktop.client.http.errors import ClientError, NotLoggedIn, Unreachable
from desktop.client.http.trust import ServerContext, trust_error
from shared import __version__
from shared.wire.account import Tokens

T = TypeVar("T")

PREFIX = "/api"

# The access token is renewed this many seconds before it expires, or in the last tenth of a shorter life.
_RENEW_SECONDS = 30.0
KEEP_ALIVE_SECONDS = 60.0
"""Seconds for which a connection is kept for the next call. The service keeps it longer (75 s)."""

_FIRST_PAUSE = 0.1
_MAX_PAUSE = 2.0

# The service shows it to users in the list of their sessions.
_USER_AGENT = f"Walkaround/{__version__} ({platform.system()})"

# After these errors, the request has certainly not reached the service.
_NOT_SENT_ERRORS = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
# Calls to this computer must not use its proxy.
_NO_PROXY: Mapping[str, None] = {"all://127.0.0.1": None, "all://localhost": None, "all://[::1]": None}


@dataclass(frozen=True, slots=True)
class _Login:
    """Tokens in memory. `expires_at` is the end of the access token, in seconds of the monotonic clock."""

    access: str = field(repr=False)
    refresh: str = field(repr=False)
    expires_at: float
    renew_before: float


class Transport:
    """One connection pool to one service, with the tokens of the logged-in user.

    Any number of threads may make calls at the same time. `patience` is the time in seconds for which a call
    waits for an unreachable service, for example while it restarts. `rebase` wakes such calls immediately.
    `fingerprint` is that of the server's key; None if the system must trust its certificate.
    """

    def __init__(
        self,
        base_url: str,
        *,
        fingerprint: str | None = None,
        patience: float = 10.0,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._tls = ServerContext(fingerprint)
        self._http = httpx.Client(
            transport=transport,
            verify=self._tls,
            mounts=dict(_NO_PROXY),
            timeout=httpx.Timeout(30.0, connect=5.0, write=120.0, pool=60.0),
            limits=httpx.Limits(max_connections=16, keepalive_expiry=KEEP_ALIVE_SECONDS),
            headers={"Accept": "application/json", "User-Agent": _USER_AGENT, **_accept_encoding(base_url)},
        )
        self._patience = patience
        self._base = base_url.rstrip("/")
        self._state_changed = threading.Condition()
        self._rebase_count = 0
        self._is_closed = False
        self._running_calls = 0
        self._login: _Login | None = None
        self._renewal = threading.Lock()
        self.on_login_lost: Callable[[], None] | None = None

    def __repr__(self) -> str:
        return f"<Transport {self._base}{' logged in' if self.logged_in else ''}>"

    @property
    def base_url(self) -> str:
        """The address of the service, without `/api`."""
        return self._base

    def prefer_language(self, language: str) -> None:
        """Ask for texts in this language, a code such as zh_CN."""
        self._http.headers["Accept-Language"] = language.replace("_", "-")

    def rebase(self, base_url: str, fingerprint: str | None = None) -> None:
        """Use another address of the same service. The login stays."""
        with self._state_changed:
            self._tls.fingerprint = fingerprint
            self._http.headers.update(_accept_encoding(base_url))
            self._base = base_url.rstrip("/")
            self._rebase_count += 1
            self._state_changed.notify_all()

    def close(self) -> None:
        """Drop the tokens and release all connections. Waiting calls raise Unreachable.

        A call whose request was sent still gets its answer. The last of them closes the connections.
        """
        with self._state_changed:
            self._is_closed = True
            self._state_changed.notify_all()
            idle = not self._running_calls
        self._login = None
        if idle:
            self._http.close()

    @property
    def is_closed(self) -> bool:
        """True after `close()`."""
        return self._is_closed

    @contextmanager
    def _hold_connections(self) -> Iterator[None]:
        """Keep the connections open within the block.

        A connection that opens while the pool is being closed would never be closed. Raises Unreachable after
        `close()`.
        """
        with self._state_changed:
            if self._is_closed:
                raise Unreachable
            self._running_calls += 1
        try:
            yield
        finally:
            if self._end_call():
                self._http.close()

    def _end_call(self) -> bool:
        """Count the end of a call. Returns True for the last call after `close()`."""
        with self._state_changed:
            self._running_calls -= 1
            return self._is_closed and not self._running_calls

    # Login

    @property
    def logged_in(self) -> bool:
        """True while there are tokens. The service may have ended the login."""
        return self._login is not None

    def use_tokens(self, tokens: Tokens) -> None:
        """Use these tokens."""
        life = float(tokens.expires_in)
        self._login = _Login(
            tokens.access_token,
            tokens.refresh_token,
            time.monotonic() + life,
            min(_RENEW_SECONDS, life / 10),
        )

    @property
    def refresh_token(self) -> str | None:
        """The present refresh token, which is needed to end its login; None if there is none."""
        login = self._login
        return login.refresh if login else None

    def drop_tokens(self) -> str | None:
        """Drop the tokens and return the refresh token, so that its login can be ended."""
        login, self._login = self._login, None
        return login.refresh if login else None

    def _access_token(self, refused_token: str | None = None) -> str:
        """An access token that is valid long enough and is not `refused_token`. Renews it if necessary.

        A refresh token can be used once, so one thread renews while the others wait for its result. Raises
        NotLoggedIn when there is no login or the service ended it.
        """
        login = self._login
        if login is None:
            raise NotLoggedIn
        if login.access != refused_token and time.monotonic() < login.expires_at - login.renew_before:
            return login.access
        with self._renewal:
            login = self._login
            if login is None:
                raise NotLoggedIn
            if login.access != refused_token and time.monotonic() < login.expires_at - login.renew_before:
                return login.access
            try:
                response = self._send(
                    "POST", "/auth/refresh", json={"refresh_token": login.refresh}, repeatable=False
                )
                tokens = read_answer(response).data(Tokens)
            except NotLoggedIn:
                self._end_login(login)
                raise
            if self._login is not login:
                # The user logged out, or another user logged in, during the request.
                raise NotLoggedIn
            self.use_tokens(tokens)
            return tokens.access_token

    def _end_login(self, login: _Login) -> None:
        if self._login is login:
            self._login = None
            if self.on_login_lost is not None:
                self.on_login_lost()

    # Calls

    def call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        files: Any = None,
        etag: str | None = None,
        key: str | None = None,
        headers: Mapping[str, str] | None = None,
        login: bool = True,
        repeatable: bool | None = None,
        seconds: float | None = None,
    ) -> Answer:
        """Call the service and return its successful answer. `path` is relative to `/api`.

        Of a model as `body`, the fields that are set are sent. `etag` is sent as If-Match, `key` as
        Idempotency-Key. `repeatable` says whether the call may be sent again after a lost answer; the default
        is True for GET, for PUT without `etag` and with a `key`. `seconds` is the timeout of the answer, 30
        by default. Raises ClientError.
        """
        if repeatable is None:
            repeatable = method == "GET" or (method == "PUT" and etag is None) or key is not None
        if isinstance(body, BaseModel):
            body = body.model_dump(mode="json", exclude_unset=True)
        options: dict[str, Any] = {"params": _without_none(query), "json": body, "files": files}
        if seconds is not None:
            options["timeout"] = httpx.Timeout(seconds, connect=5.0, write=120.0, pool=60.0)
        request_headers = {**(headers or {}), **_without_none({"If-Match": etag, "Idempotency-Key": key})}
        send = partial(self._send, method, path, repeatable=repeatable, **options)
        return read_answer(
            self._send_with_token(send, request_headers) if login else send(headers=request_headers)
        )

    def get(self, path: str, kind: type[T], **options: Any) -> T:
        """What `path` gives, validated as `kind`. `options` as for `call`. Raises ClientError."""
        return self.call("GET", path, **options).data(kind)

    @contextmanager
    def stream(
        self, path: str, *, headers: Mapping[str, str] | None = None, seconds: float | None = 30.0
    ) -> Iterator[httpx.Response]:
        """Send a GET request whose body is read in pieces. Raises ClientError, also for a failure status.

        `seconds` is the timeout between two pieces; None waits forever.
        """
        timeout = httpx.Timeout(seconds, connect=5.0)
        send = partial(self._send, "GET", path, repeatable=True, stream=True, timeout=timeout)
        with self._hold_connections():
            response = self._send_with_token(send, headers or {})
            try:
                if response.status_code >= 300:
                    response.read()
                    raise error_of(response)
                yield response
            except httpx.TransportError as error:
                raise Unreachable from error
            finally:
                response.close()

    def _send_with_token(
        self, send: Callable[..., httpx.Response], headers: Mapping[str, str]
    ) -> httpx.Response:
        token = self._access_token()
        response = send(headers={**headers, "Authorization": f"Bearer {token}"})
        if response.status_code == 401:
            # The clocks differ, or the service ended the login. A renewal succeeds only in the first case.
            response.close()
            token = self._access_token(refused_token=token)
            response = send(headers={**headers, "Authorization": f"Bearer {token}"})
        return response

    def _send(self, method: str, path: str, **options: Any) -> httpx.Response:
        with self._hold_connections():
            return self._send_with_retries(method, path, **options)

    def _send_with_retries(
        self, method: str, path: str, *, repeatable: bool, stream: bool = False, **options: Any
    ) -> httpx.Response:
        """Send the request until there is an answer or the patience is exceeded. Raises Unreachable."""
        patience_ends = time.monotonic() + self._patience
        pause = _FIRST_PAUSE
        while True:
            with self._state_changed:
                if self._is_closed:
                    raise Unreachable
                rebase_count, url = self._rebase_count, self._base + PREFIX + path
            failure: ClientError
            try:
                response = self._http.send(self._http.build_request(method, url, **options), stream=stream)
            except httpx.TransportError as error:
                untrusted = trust_error(error)
                if untrusted is not None:
                    raise untrusted from error
                failure = Unreachable()
                failure.__cause__ = error
                if not (repeatable or isinstance(error, _NOT_SENT_ERRORS)):
                    raise failure from error
            except (httpx.InvalidURL, RuntimeError) as error:
                # RuntimeError: the connections were closed while this call waited for one.
                raise Unreachable from error
            else:
                if response.status_code not in {502, 503} or not repeatable:
                    return response
                response.read()
                failure = error_of(response)
            if not self._wait_for_retry(rebase_count, min(pause, patience_ends - time.monotonic())):
                raise failure
            pause = min(pause * 2, _MAX_PAUSE)

    def _wait_for_retry(self, rebase_count: int, pause: float) -> bool:
        """Wait `pause` seconds or until `rebase`. Returns False when the call must not be retried."""
        if pause <= 0:
            return False
        with self._state_changed:
            self._state_changed.wait_for(
                lambda: self._is_closed or self._rebase_count != rebase_count, timeout=pause
            )
            return not self._is_closed


def _accept_encoding(base_url: str) -> dict[str, str]:
    # On this computer, compressing takes longer than sending. On a network, it saves time.
    return {"Accept-Encoding": "identity" if is_local(base_url) else "gzip"}


class Calls:
    """The calls of one kind, made by a transport."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport


def segment(name: str) -> str:
    """Quote `name` as one segment of a path."""
    return quote(name, safe="")


def _without_none(query: Mapping[str, Any] | None) -> dict[str, Any]:
    return {name: value for name, value in (query or {}).items() if value is not None}
