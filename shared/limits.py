"""Defines the limits that the service checks and that the API document states.

They are plain numbers, so that child processes of the service can read them without importing pydantic.
"""

from __future__ import annotations

MIN_NEW_PASSWORD = 8
MAX_NEW_PASSWORD = 128
"""Characters of a new password (NIST SP 800-63B requires a minimum of at least 8 and a maximum of at least
64).
"""

MAX_USERNAME = 64
"""Characters of a username."""

MAX_FACE_PICTURE_BYTES = 10 * 2**20
"""Bytes of a picture of a face, decoded from its Base64."""

MAX_FACE_PICTURE_PIXELS = 50_000_000

MAX_FRAMES = 60
"""Frames of an answer to a challenge: 4 s at 15 frames per second."""

MAX_FRAME_LENGTH = 200_000
"""Characters of one frame in Base64."""

MIN_REASON = 3
"""Characters of the reason of a verdict, if it has one, unless the service is set up otherwise.

`shared.record.results.reason_length` counts them.
"""

MAX_LABELS = 10_000
"""Labels of a detection model."""

MAX_LABEL = 255
"""Characters of a label."""

MAX_MODEL_BYTES = 2**30
"""Bytes of the file of a detection model."""

MAX_TRIAL_PICTURE_BYTES = 64 * 2**20
"""Bytes of a picture that a model is tried with."""
