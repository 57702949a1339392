"""Defines what can go wrong with a call, as one hierarchy.

Each error carries `code`, a stable machine code, and `server_message`, the sentence of the service where it
gave one. `str()` is that sentence, or a plain English one; `desktop.pages.common.messages.error_messages`
says it in the language of the desktop. No error repeats a password, a token or an image.
"""

# ruff: noqa: N818 - the names say what happened; all of them are ClientErrors

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar


class ClientError(Exception):
    """A call that did not give what was asked for."""

    default_code: ClassVar[str] = "failed"
    plain: ClassVar[str] = "The service did not do this. Try again."

    def __init__(
        self,
        server_message: str | None = None,
        *,
        code: str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        self.code = code or self.default_code
        self.server_message = server_message
        self.details: Mapping[str, Any] = details or {}
        super().__init__(server_message or self.plain)


class Unreachable(ClientError):
    """No answer: the service is not running, is restarting, or the network is down."""

    default_code = "unreachable"
    plain = "The service cannot be reached. Check that it is running, then try again."


class Untrusted(Unreachable):
    """The server's certificate is not trusted, so nothing was sent to it.

    `found`: the fingerprint of its key, where it is known already; `trusted`: the one that was trusted
    before, None when this server is new.
    """

    default_code = "untrusted"
    plain = "The certificate of the server is not trusted. Compare its fingerprint, then trust it."

    def __init__(self, *, found: str | None = None, trusted: str | None = None) -> None:
        super().__init__()
        self.found = found
        self.trusted = trusted


class NotLoggedIn(ClientError):
    """Nobody is logged in, or the login ended (HTTP 401)."""

    default_code = "not_logged_in"
    plain = "You are not logged in any more. Log in again."


class Forbidden(ClientError):
    """The person may not do this (HTTP 403)."""

    default_code = "permission_missing"
    plain = "You may not do this. Ask an administrator for the right."


class NotFound(ClientError):
    """The requested object does not exist (HTTP 404)."""

    default_code = "not_found"
    plain = "This is no longer there. Reload the list."


class Conflict(ClientError):
    """It collides with what the service has (HTTP 409)."""

    default_code = "conflict"
    plain = "This collides with what is there already. Change it and try again."


class Stale(Conflict):
    """Another user changed it since it was read (HTTP 412)."""

    default_code = "stale"
    plain = "Another user changed this meanwhile. Reload it, then decide."


class Refused(ClientError):
    """A documented refusal: HTTP 200, code 1, with the sentence of the service in `server_message`.

    `data` is what the service said besides, for example which field is wrong.
    """

    default_code = "refused"
    plain = "The service refused this."

    def __init__(
        self,
        server_message: str | None = None,
        *,
        data: Any = None,
        code: str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(server_message, code=code, details=details)
        self.data = data


class Invalid(ClientError):
    """Fields out of their rules (HTTP 400 or 422).

    `fields`: name of the field -> what is wrong with it; `faults`: name of the field -> its stable code.
    """

    default_code = "invalid_input"
    plain = "Something that was entered is not valid. Correct it and try again."

    def __init__(
        self,
        server_message: str | None = None,
        *,
        fields: Mapping[str, str] | None = None,
        faults: Mapping[str, str] | None = None,
        code: str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(server_message, code=code, details=details)
        self.fields: Mapping[str, str] = fields or {}
        self.faults: Mapping[str, str] = faults or {}


class TooLarge(ClientError):
    """The file or the body is larger than the service takes (HTTP 413)."""

    default_code = "too_large"
    plain = "The file is too large. Choose a smaller one."


class Unsupported(ClientError):
    """A kind of file that the service does not take (HTTP 415)."""

    default_code = "unsupported_media"
    plain = "This kind of file is not supported. Choose a JPEG, PNG or WebP picture."


class TooMany(ClientError):
    """Too many tries (HTTP 429). `retry_after`: seconds to wait."""

    default_code = "too_many_requests"
    plain = "Too many tries. Wait a moment, then try again."

    def __init__(
        self,
        server_message: str | None = None,
        *,
        retry_after: float = 30.0,
        code: str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(server_message, code=code, details=details)
        self.retry_after = retry_after


class ServerFault(ClientError):
    """The service failed (HTTP 5xx) or answered what no Walkaround service answers.

    `request_id` finds the line in the log of the service, where it gave one.
    """

    default_code = "internal"
    plain = "The service failed. Try again; if it stays, look into its log."

    def __init__(
        self,
        server_message: str | None = None,
        *,
        request_id: str | None = None,
        code: str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(server_message, code=code, details=details)
        self.request_id = request_id
