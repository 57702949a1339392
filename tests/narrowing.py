"""Assertions about types that a type checker cannot infer."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def not_none(value: T | None) -> T:
    """Return `value`; fails the test if it is None."""
    assert value is not None
    return value


def reread(value: T) -> T:
    """Return `value`, an attribute that a call may have changed since the last assertion on it.

    mypy assumes that the call did not change the attribute. A second assertion then contradicts the first
    one, and mypy does not check the rest of the test.
    """
    return value


def as_instance(value: object, kind: type[T]) -> T:
    """Return `value`; fails the test if it is not an instance of `kind`."""
    assert isinstance(value, kind)
    return value
