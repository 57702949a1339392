"""The typed client of the service: synchronous calls, no Qt.

Every call blocks until the service answers, so the pages hand them to `desktop.workers`. A failure is a
`desktop.client.errors.ClientError`.
"""

from desktop.client.errors import ClientError
from desktop.client.inspection import RecordFilter
from desktop.client.session import Session
from desktop.client.transport import Versioned

__all__ = ["ClientError", "RecordFilter", "Session", "Versioned"]
