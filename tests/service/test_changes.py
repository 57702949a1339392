"""Tests how changes reach their listeners, and how the audit log names changed values."""

from __future__ import annotations

from service.changes import ObjectChange, audit_value, differences, only
from service.db.database import now


def test_listener_hears_only_its_actions() -> None:
    heard: list[object] = []
    listen = only({"seal"}, lambda *arguments: heard.append(arguments))
    session, seal = object(), ObjectChange("seal", "record")
    listen(session, [ObjectChange("create", "record"), seal])
    listen([seal])
    listen(session, [ObjectChange("create", "record")])
    assert heard == [(session, [seal]), ([seal],)]


def test_long_values_are_logged_by_size_and_hash() -> None:
    assert audit_value("短") == "短"
    assert audit_value({"x": 1}) == {"x": 1}
    assert audit_value(now()) is not None
    long = audit_value("长" * 400)
    assert long["size"] == 400
    assert len(long["sha256"]) == 64
    assert audit_value("长" * 399 + "短") != long


def test_length_of_a_value_does_not_depend_on_the_order_of_its_keys() -> None:
    assert audit_value("长" * 300) == "长" * 300
    assert audit_value("长" * 301)["size"] == 301
    # As escapes these would have 900 characters.
    assert audit_value({"名": "长" * 150}) == {"名": "长" * 150}
    assert audit_value({"a": "长" * 300, "b": 1}) == audit_value({"b": 1, "a": "长" * 300})


def test_only_differences_are_logged() -> None:
    assert differences({"a": 1, "b": 2}, {"a": 1, "b": 3}, ["a", "b"]) == {"b": {"old": 2, "new": 3}}
