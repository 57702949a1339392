"""Writes log records as JSON, one object a line."""

from __future__ import annotations

import datetime as dt
import json
import logging

from starlette.datastructures import Headers

from service.exception_trace import trace_of
from service.web.middleware import request_id

log = logging.getLogger("walkaround.http")

_FIELDS = "request_fields"


class JsonFormatter(logging.Formatter):
    """Formats a record as one JSON object of ASCII characters: nothing in it can end the line.

    `time` is in UTC. Of an exception it writes types and frames, never the text: that may hold SQL or a
    password.
    """

    def format(self, record: logging.LogRecord) -> str:
        """The record as JSON."""
        at = dt.datetime.fromtimestamp(record.created, dt.UTC)
        entry: dict[str, object] = {
            "time": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        number = request_id.get()
        if number != "-":
            entry["request_id"] = number
        fields = getattr(record, _FIELDS, None)
        if isinstance(fields, dict):
            entry.update(fields)
        if record.exc_info and record.exc_info[1] is not None:
            entry["exception"] = trace_of(record.exc_info[1])
        return json.dumps(entry, ensure_ascii=True, default=str)


def log_request(
    method: str, route: str | None, status: int, seconds: float, number: str, _headers: Headers
) -> None:
    """Log an answered request by its route: a path may hold the ID of a person, a query a name."""
    if log.isEnabledFor(logging.INFO):
        fields = {
            "request_id": number,
            "method": method,
            "route": route,
            "status": status,
            "milliseconds": round(seconds * 1000, 1),
        }
        log.info("request", extra={_FIELDS: fields})
