"""Writes log records as JSON, one object per line."""

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
    """Formats a record as one JSON object of ASCII characters, which cannot contain a line break.

    `time` is in UTC. An exception is written with its types and frames but without its text, which may
    contain SQL or a password.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as JSON."""
        moment = dt.datetime.fromtimestamp(record.created, dt.UTC)
        entry: dict[str, object] = {
            "time": moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
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
    """Log an answered request by its route, as a path may contain the ID of a person and a query a name."""
    if log.isEnabledFor(logging.INFO):
        fields = {
            "request_id": number,
            "method": method,
            "route": route,
            "status": status,
            "milliseconds": round(seconds * 1000, 1),
        }
        log.info("request", extra={_FIELDS: fields})
