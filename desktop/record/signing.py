"""Decides who a verdict is signed by; undo never signs another user's decision.

A verdict in an edit is ``{"value": ..., "reason": ...}``, with `by_name` and `at` where it stood already, and
with the key `OTHERS` when another user gave it. As what an undo brings back it means: undecided. Their
verdict stays in the item's history, signed by them; only they can give it again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from shared.record import results
from shared.record.codes import Verdict
from shared.record.entries import Entry

VERDICT = "verdict"
"""The field of an edit for a verdict, which is sent by a separate call."""

OTHERS = "others"


def standing_verdict(entries: Iterable[Entry], me: str | None) -> dict[str, Any] | None:
    """The current verdict in the result entries of an item; None if there is none.

    `me` is the id of the user of this desktop. If it is None, no verdict counts as another user's.
    """
    entry = results.current_entry(entries)
    if entry is None or not results.is_verdict(entry):
        return None
    verdict = entry["verdict"]
    field = {name: verdict.get(name) for name in ("value", "reason", "by_name", "at")}
    return field | {OTHERS: True} if me is not None and verdict.get("by") != me else field


def is_by_other(verdict: Mapping[str, Any] | None) -> bool:
    """Whether the verdict is another user's."""
    return verdict is not None and verdict.get(OTHERS) is True


def sign_verdict(verdict: Mapping[str, Any]) -> tuple[Verdict, str]:
    """The verdict and the reason that the user signs for a verdict in an edit."""
    if is_by_other(verdict):
        return Verdict.UNDECIDED, ""
    return Verdict(verdict["value"]), str(verdict.get("reason") or "")


def same_verdict(first: Mapping[str, Any] | None, second: Mapping[str, Any] | None) -> bool:
    """Whether both are the same decision. No verdict equals undecided without a reason."""
    if first is None or second is None:
        return all(verdict is None or _is_undecided(verdict) for verdict in (first, second))
    if first["value"] != second["value"] or (first.get("reason") or "") != (second.get("reason") or ""):
        return False
    # What waits to be sent has no time yet.
    return None in (first.get("at"), second.get("at")) or first["at"] == second["at"]


def _is_undecided(verdict: Mapping[str, Any]) -> bool:
    return verdict["value"] == Verdict.UNDECIDED and not verdict.get("reason")
