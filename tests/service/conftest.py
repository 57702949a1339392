from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from tests.service_app import *  # noqa: F403 - fixtures


@pytest.fixture(scope="package", autouse=True)
def _rare_collections() -> Iterator[None]:
    """Search for garbage less often: the tests create hundreds of applications of 40,000 objects each."""
    before = gc.get_threshold()
    gc.set_threshold(10_000)
    yield
    gc.set_threshold(*before)
