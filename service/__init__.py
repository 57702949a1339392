"""The service: a FastAPI application, one package per domain; `app.py` alone wires them."""

import shared  # noqa: F401 - sets what must be set before any inference library is imported
