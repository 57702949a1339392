"""The Qt program: draws, edits and talks HTTP to the service. Imports `shared`, never `service`."""

import shared  # noqa: F401 - sets what must be set before any inference library is imported
