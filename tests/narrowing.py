"""What a type checker cannot know of the values that a test reads."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def present(value: T | None) -> T:
    """`value`, which must be there: fails the test when it is None."""
    assert value is not None
    return value


def current(value: T) -> T:
    """`value` as it is now.

    After an assertion on an attribute, mypy takes the attribute for unchanged, also when a later call changes
    it; the next assertion on it then contradicts the first, and the rest of the test is not checked.
    """
    return value


def narrowed(value: object, kind: type[T]) -> T:
    """`value`, which must be of that class: fails the test when it is of another."""
    assert isinstance(value, kind)
    return value
