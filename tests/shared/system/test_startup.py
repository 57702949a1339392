"""Tests that collections skip the objects of the start, and continue afterwards."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from shared.system.startup import without_garbage_collection

pytestmark = pytest.mark.slow


class Cycle:
    """An object that refers to itself."""

    def __init__(self) -> None:
        self.me = self


@pytest.fixture(autouse=True)
def _restore_garbage_collection() -> Iterator[None]:
    enabled, frozen = gc.isenabled(), gc.get_freeze_count()
    gc.unfreeze()
    gc.enable()
    yield
    gc.unfreeze()
    if frozen:
        gc.freeze()
    if not enabled:
        gc.disable()


def test_objects_created_at_the_start_are_not_scanned() -> None:
    with without_garbage_collection():
        assert not gc.isenabled()
        lasting = Cycle()
        assert gc.get_freeze_count() == 0
    assert gc.isenabled()
    assert gc.get_freeze_count() > 0
    reference = weakref.ref(lasting)
    del lasting
    gc.collect()
    assert reference() is not None


def test_later_objects_are_collected() -> None:
    with without_garbage_collection():
        pass
    reference = weakref.ref(Cycle())
    gc.collect()
    assert reference() is None


def test_failed_start_leaves_garbage_collection_enabled() -> None:
    with pytest.raises(OSError, match="no place"), without_garbage_collection():
        raise OSError("no place")
    assert gc.isenabled()


def test_disabled_garbage_collection_stays_disabled() -> None:
    gc.disable()
    with without_garbage_collection():
        pass
    assert not gc.isenabled()
