"""Tells the type checker what a test knows about a value."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def present(value: T | None) -> T:
    """Return `value`; fail the test if it is None."""
    assert value is not None
    return value


def current(value: T) -> T:
    """Return `value` unchanged, as a new value for mypy.

    After an assertion on an attribute, mypy assumes that it stays unchanged, even if a later call changes it.
    The next assertion then contradicts the first, and mypy does not check the rest of the test.
    """
    return value


def narrowed(value: object, kind: type[T]) -> T:
    """Return `value`; fail the test if it is not of class `kind`."""
    assert isinstance(value, kind)
    return value
