"""Checks the connection to the service: address, certificate, response and its time, and the clocks."""

from __future__ import annotations

import datetime as dt
import email.utils
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass

import httpx

from desktop.client.http.trust import ServerContext, trust_error
from shared.system.checkup import CheckResult, fail, ok, warn

SLOW_SECONDS = 0.5
DRIFT_SECONDS = 60
_RESPONSE_TIMEOUT = 5.0
_PROXY_VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


@dataclass(frozen=True, slots=True)
class ServiceLocation:
    """Address of a service and its trusted fingerprint (None: the system verifies the certificate)."""

    url: str
    fingerprint: str | None = None


def network(location: ServiceLocation) -> Iterator[CheckResult]:
    """Check that the service responds, that its certificate is trusted and that its parts work."""
    if any(os.environ.get(name) for name in _PROXY_VARIABLES):
        yield ok("a proxy is set on this computer; the desktop connects to the service without it")
    began = time.monotonic()
    try:
        with httpx.Client(
            timeout=_RESPONSE_TIMEOUT, trust_env=False, verify=ServerContext(location.fingerprint)
        ) as http:
            http.get(f"{location.url}/healthz").raise_for_status()
            began = time.monotonic()
            reply = http.get(f"{location.url}/readyz")
            seconds = time.monotonic() - began
    except httpx.TransportError as error:
        yield _unreachable(location, error)
        return
    except (httpx.HTTPError, httpx.InvalidURL):
        yield fail(
            "{url} is not a Walkaround service",
            "correct the address with “Change server” on the login page",
            url=location.url,
        )
        return
    values = {"url": location.url, "milliseconds": round(seconds * 1000)}
    if seconds > SLOW_SECONDS:
        yield warn(
            "the service at {url} answers after {milliseconds} ms",
            "check the network between this computer and the server",
            **values,
        )
    else:
        yield ok("the service at {url} answers after {milliseconds} ms", **values)
    yield from _part_faults(reply)
    yield from _clock_drift(reply, dt.datetime.now(dt.UTC))


def _unreachable(location: ServiceLocation, error: httpx.TransportError) -> CheckResult:
    if trust_error(error) is not None:
        return fail(
            "the certificate of {url} is not trusted",
            "compare its fingerprint with the one that the administrator names, then trust it",
            url=location.url,
        )
    if isinstance(error, httpx.TimeoutException):
        return fail(
            "the service at {url} does not answer in time",
            "check the network and whether a firewall is in between",
            url=location.url,
        )
    return fail(
        "the service at {url} cannot be reached",
        "check that it runs, that its address is correct and that the network works",
        url=location.url,
    )


def _part_faults(reply: httpx.Response) -> Iterator[CheckResult]:
    if reply.status_code != httpx.codes.SERVICE_UNAVAILABLE:
        return
    try:
        failed = reply.json()["data"]["failed"]
        names = ", ".join(f"{name} ({why})" for name, why in failed.items())
    except (ValueError, KeyError, TypeError, AttributeError):
        names = "?"
    yield fail(
        "parts of the service do not work: {names}", "run “walkaround doctor” on the server", names=names
    )


def _clock_drift(reply: httpx.Response, now: dt.datetime) -> Iterator[CheckResult]:
    try:
        service_time = email.utils.parsedate_to_datetime(reply.headers["date"])
    except (KeyError, ValueError):
        return
    seconds = round(abs((now - service_time).total_seconds()))
    if seconds > DRIFT_SECONDS:
        yield warn(
            "the clocks of this computer and of the service differ by {seconds} s",
            "synchronize both with a time server",
            seconds=seconds,
        )
    else:
        yield ok("the clocks of this computer and of the service agree")
