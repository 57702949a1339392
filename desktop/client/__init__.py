"""The typed client of the service: synchronous calls, no Qt.

Every call blocks until the service answers, so the pages hand them to `desktop.background.workers`. A failure
is a `desktop.client.http.errors.ClientError`.
"""

from desktop.client.api.inspection import RecordFilter
from desktop.client.http.answers import Versioned
from desktop.client.http.errors import ClientError
from desktop.client.session import Session

__all__ = ["ClientError", "RecordFilter", "Session", "Versioned"]
