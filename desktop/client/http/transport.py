"""Sends requests: tokens, renewal of the access token, retries. Knows no domain."""

from __future__ import annotations

import platform
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import httpx

from desktop.client.http.address import is_local
from desktop.client.http.answers import Answer, answer, failure
from desktop.client.http.errors import ClientError, NotLoggedIn, Unreachable
from desktop.client.http.trust import ServerContext, not_trusted
from shared import __version__
from shared.wire.account import Tokens
from shared.wire.common import Envelope

T = TypeVar("T")

PREFIX = "/api"

# Below this many seconds of life left, or a tenth of it, the access token is renewed before it is used.
_RENEW_AHEAD = 30.0
KEEP_ALIVE_SECONDS = 60.0
"""How long a connection is kept for the next call: not as long as the service keeps it (75 s)."""

_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 2.0

# By this the service shows a person which of their sessions is which.
_PROGRAM = f"Walkaround/{__version__} ({platform.system()})"

# Errors after which the request has certainly not reached the service.
_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
# A proxy setting of the machine must not catch calls to the machine itself.
_DIRECT: Mapping[str, None] = {"all://127.0.0.1": None, "all://localhost": None, "all://[::1]": None}


@dataclass(frozen=True, slots=True)
class Versioned(Generic[T]):
    """A thing of the service and the version (ETag) that it was read at; None when the service gave none.

    `by`: the name of who last changed it by hand, where the service says it.
    """

    value: T
    etag: str | None
    by: str | None = None


@dataclass(frozen=True, slots=True)
class _Login:
    """Tokens in memory; `ends` is when the access token does, on the monotonic clock."""

    access: str = field(repr=False)
    refresh: str = field(repr=False)
    ends: float
    ahead: float


class Transport:
    """One connection pool to one service, with the tokens of the user who is logged in.

    Any number of threads may call at the same time. `patience`: seconds for which a call waits for a service
    that is not there, for example while it restarts; `rebase` wakes such calls at once. `fingerprint`: the
    one that the server's key has to have; None: the system has to trust its certificate.
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
            mounts=dict(_DIRECT),
            timeout=httpx.Timeout(30.0, connect=5.0, write=120.0, pool=60.0),
            limits=httpx.Limits(max_connections=16, keepalive_expiry=KEEP_ALIVE_SECONDS),
            headers={"Accept": "application/json", "User-Agent": _PROGRAM, **_encoding(base_url)},
        )
        self._patience = patience
        self._base = base_url.rstrip("/")
        self._moved = threading.Condition()
        self._moves = 0
        self._closed = False
        self._running = 0
        self._login: _Login | None = None
        self._renewal = threading.Lock()
        self.on_login_lost: Callable[[], None] | None = None

    def __repr__(self) -> str:
        return f"<Transport {self._base}{' logged in' if self.logged_in else ''}>"

    @property
    def base_url(self) -> str:
        """The address of the service, without `/api`."""
        return self._base

    def rebase(self, base_url: str, fingerprint: str | None = None) -> None:
        """Go on at `base_url`: the service came back at another address. The login stays."""
        with self._moved:
            self._tls.fingerprint = fingerprint
            self._http.headers.update(_encoding(base_url))
            self._base = base_url.rstrip("/")
            self._moves += 1
            self._moved.notify_all()

    def close(self) -> None:
        """Forget the tokens and release every connection; waiting calls end with Unreachable.

        A call whose request is on its way still gets its answer; the last of them closes the connections.
        """
        with self._moved:
            self._closed = True
            self._moved.notify_all()
            idle = not self._running
        self._login = None
        if idle:
            self._http.close()

    @property
    def closed(self) -> bool:
        """True after `close()`."""
        return self._closed

    @contextmanager
    def _connected(self) -> Iterator[None]:
        """Keep the connections open: one that opens while the pool is closed would stay behind.

        Raises Unreachable after `close()`.
        """
        with self._moved:
            if self._closed:
                raise Unreachable
            self._running += 1
        try:
            yield
        finally:
            if self._call_ended():
                self._http.close()

    def _call_ended(self) -> bool:
        """True when that was the last call after `close()`."""
        with self._moved:
            self._running -= 1
            return self._closed and not self._running

    # Login

    @property
    def logged_in(self) -> bool:
        """True while there are tokens; the service may have ended the login already."""
        return self._login is not None

    def keep(self, tokens: Tokens) -> None:
        """Use `tokens` from now on."""
        life = float(tokens.expires_in)
        self._login = _Login(
            tokens.access_token,
            tokens.refresh_token,
            time.monotonic() + life,
            min(_RENEW_AHEAD, life / 10),
        )

    @property
    def refresh_token(self) -> str | None:
        """The refresh token in use, so that its login can be ended."""
        login = self._login
        return login.refresh if login else None

    def forget(self) -> str | None:
        """Drop the tokens; gives the refresh token that was in use, so that it can be ended."""
        login, self._login = self._login, None
        return login.refresh if login else None

    def _access(self, worn: str | None = None) -> str:
        """An access token that lives long enough and is not `worn`. Renews it when it must.

        Refresh tokens are spent by use, so one thread renews while the others wait for what it got.
        Raises NotLoggedIn when there is no login or the service ended it.
        """
        login = self._login
        if login is None:
            raise NotLoggedIn
        if login.access != worn and time.monotonic() < login.ends - login.ahead:
            return login.access
        with self._renewal:
            login = self._login
            if login is None:
                raise NotLoggedIn
            if login.access != worn and time.monotonic() < login.ends - login.ahead:
                return login.access
            try:
                response = self._deliver(
                    "POST", "/auth/refresh", json={"refresh_token": login.refresh}, repeatable=False
                )
                tokens = answer(response).read(Envelope[Tokens]).data
            except NotLoggedIn:
                self._login_lost(login)
                raise
            if self._login is not login:
                # Logged out, or in as another user, while the response was on its way.
                raise NotLoggedIn
            self.keep(tokens)
            return tokens.access_token

    def _login_lost(self, login: _Login) -> None:
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
        headers: Mapping[str, str] | None = None,
        login: bool = True,
        repeatable: bool | None = None,
        seconds: float | None = None,
    ) -> Answer:
        """Call the service and give its successful answer; `path` is below `/api`.

        `etag` goes as If-Match. `repeatable`: whether a call whose answer got lost may be sent again (GET,
        and PUT without `etag`, unless given). `seconds`: how long the answer may take (30 unless given).
        Raises ClientError.
        """
        if repeatable is None:
            repeatable = method == "GET" or (method == "PUT" and etag is None)
        options: dict[str, Any] = {"params": _without_none(query), "json": body, "files": files}
        if seconds is not None:
            options["timeout"] = httpx.Timeout(seconds, connect=5.0, write=120.0, pool=60.0)
        request_headers = {**(headers or {}), **({"If-Match": etag} if etag is not None else {})}
        send = partial(self._deliver, method, path, repeatable=repeatable, **options)
        return answer(self._as_person(send, request_headers) if login else send(headers=request_headers))

    @contextmanager
    def stream(
        self, path: str, *, headers: Mapping[str, str] | None = None, seconds: float | None = 30.0
    ) -> Iterator[httpx.Response]:
        """A GET whose body is read piece by piece; a failure status is raised as its ClientError.

        `seconds`: the longest pause between two pieces; None waits forever.
        """
        timeout = httpx.Timeout(seconds, connect=5.0)
        send = partial(self._deliver, "GET", path, repeatable=True, stream=True, timeout=timeout)
        with self._connected():
            response = self._as_person(send, headers or {})
            try:
                if response.status_code >= 300:
                    response.read()
                    raise failure(response)
                yield response
            except httpx.TransportError as error:
                raise Unreachable from error
            finally:
                response.close()

    def _as_person(self, send: Callable[..., httpx.Response], headers: Mapping[str, str]) -> httpx.Response:
        token = self._access()
        response = send(headers={**headers, "Authorization": f"Bearer {token}"})
        if response.status_code == 401:
            # The clocks differ, or the service ended the login: one renewal shows which.
            response.close()
            token = self._access(worn=token)
            response = send(headers={**headers, "Authorization": f"Bearer {token}"})
        return response

    def _deliver(self, method: str, path: str, **options: Any) -> httpx.Response:
        with self._connected():
            return self._send(method, path, **options)

    def _send(
        self, method: str, path: str, *, repeatable: bool, stream: bool = False, **options: Any
    ) -> httpx.Response:
        """Send until there is an answer or the patience is at its end. Raises Unreachable."""
        patience_ends = time.monotonic() + self._patience
        pause = _FIRST_PAUSE
        while True:
            with self._moved:
                if self._closed:
                    raise Unreachable
                moves, url = self._moves, self._base + PREFIX + path
            last: ClientError
            try:
                response = self._http.send(self._http.build_request(method, url, **options), stream=stream)
            except httpx.TransportError as error:
                untrusted = not_trusted(error)
                if untrusted is not None:
                    raise untrusted from error
                last = Unreachable()
                last.__cause__ = error
                if not (repeatable or isinstance(error, _NEVER_SENT)):
                    raise last from error
            except (httpx.InvalidURL, RuntimeError) as error:
                # RuntimeError: the connections were closed while this call waited for one.
                raise Unreachable from error
            else:
                if response.status_code not in {502, 503} or not repeatable:
                    return response
                response.read()
                last = failure(response)
            if not self._wait(moves, min(pause, patience_ends - time.monotonic())):
                raise last
            pause = min(pause * 2, _LONGEST_PAUSE)

    def _wait(self, moves: int, pause: float) -> bool:
        """Wait `pause` seconds or until the service moved; False when there is nothing left to wait for."""
        if pause <= 0:
            return False
        with self._moved:
            self._moved.wait_for(lambda: self._closed or self._moves != moves, timeout=pause)
            return not self._closed


def _encoding(base_url: str) -> dict[str, str]:
    # Compressing takes longer than sending on this machine, and far less on a network.
    return {"Accept-Encoding": "identity" if is_local(base_url) else "gzip"}


def segment(name: str) -> str:
    """`name` as one segment of a path."""
    return quote(name, safe="")


def _without_none(query: Mapping[str, Any] | None) -> dict[str, Any]:
    return {name: value for name, value in (query or {}).items() if value is not None}
