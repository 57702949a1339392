"""Defines the errors of calls, as one hierarchy.

Each error has `code`, a stable machine code, and `server_message`, the message of the service if there is
one. `str()` is that message or a default one in English. `desktop.messages.error_messages`
translates errors to the language of the desktop. No error repeats a password, a token or an image.
"""

# ruff: noqa: N818 - the names are the causes; all of them are ClientErrors

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar


class ClientError(Exception):
    """A call failed."""

    default_code: ClassVar[str] = "failed"
    default_message: ClassVar[str] = "The service did not do this. Try again."

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
        super().__init__(server_message or self.default_message)


class Unreachable(ClientError):
    """No answer: the service is not running, is restarting, or the network is down."""

    default_code = "unreachable"
    default_message = "The service cannot be reached. Check that it is running, then try again."


class Untrusted(Unreachable):
    """The server's certificate is not trusted, so nothing was sent to it.

    `found` is the fingerprint of its key, if it is known. `trusted` is the one that was trusted before; None
    when this server is new.
    """

    default_code = "untrusted"
    default_message = "The certificate of the server is not trusted. Compare its fingerprint, then trust it."

    def __init__(self, *, found: str | None = None, trusted: str | None = None) -> None:
        super().__init__()
        self.found = found
        self.trusted = trusted


class NotLoggedIn(ClientError):
    """No user is logged in, or the login expired (HTTP 401)."""

    default_code = "not_logged_in"
    default_message = "You are no longer logged in. Log in again."


class Forbidden(ClientError):
    """The user has no permission (HTTP 403)."""

    default_code = "permission_missing"
    default_message = "You do not have permission. Ask an administrator."


class NotFound(ClientError):
    """The requested object does not exist (HTTP 404)."""

    default_code = "not_found"
    default_message = "This object no longer exists. Reload the list."


class Conflict(ClientError):
    """The change conflicts with the data of the service (HTTP 409)."""

    default_code = "conflict"
    default_message = "This conflicts with existing data. Change it and try again."


class Stale(Conflict):
    """Another user changed the object after it was read (HTTP 412)."""

    default_code = "stale"
    default_message = "Another user changed this in the meantime. Reload it, then decide."


class Refused(ClientError):
    """A documented refusal: HTTP 200 and code 1, with the message of the service in `server_message`.

    `data` contains details, such as the wrong field.
    """

    default_code = "refused"
    default_message = "The service refused this."

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
    """Fields are invalid (HTTP 400 or 422).

    `fields` maps the names of fields to messages, `faults` to stable codes.
    """

    default_code = "invalid_input"
    default_message = "An input is invalid. Correct it and try again."

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
    """The file or the body exceeds the limit of the service (HTTP 413)."""

    default_code = "too_large"
    default_message = "The file is too large. Choose a smaller one."


class Unsupported(ClientError):
    """The service does not accept this kind of file (HTTP 415)."""

    default_code = "unsupported_media"
    default_message = "This kind of file is not supported. Choose a JPEG, PNG or WebP picture."


class TooMany(ClientError):
    """Too many requests (HTTP 429). `retry_after` is the time to wait in seconds."""

    default_code = "too_many_requests"
    default_message = "Too many tries. Wait a moment, then try again."

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
    """The service failed (HTTP 5xx), or the answer does not come from a Walkaround service.

    `request_id` identifies the line in the log of the service; None if there is none.
    """

    default_code = "internal"
    default_message = "The service failed. Try again. If it fails again, check its log."

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
