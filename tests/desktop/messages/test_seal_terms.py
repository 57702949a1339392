"""Sentences about a seal."""

from __future__ import annotations

import pytest

from desktop.messages.seal_terms import seal_sentence
from shared.record.codes import SealState
from shared.wire.seal import RecordSeal

EDITION = {
    "edition": 2,
    "seal": "74b1" * 16,
    "outcome": "passed",
    "accepted_opinions": 0,
    "finished_by": "u1",
    "finished_by_name": "Zhao Min",
    "finished_at": "2026-11-22T22:37:00Z",
    "needs_release": True,
    "released_by": None,
    "released_by_name": None,
    "released_at": None,
    "reopened_by": None,
    "reopened_by_name": None,
    "reopened_at": None,
    "reopen_reason": None,
}


def make_seal(state: SealState, **changed: object) -> RecordSeal:
    counters = {"items": 1, "detected": 1, "judged": 1, "undecided": 0, "passed": 1, "failed": 0}
    return RecordSeal.model_validate(
        {
            "inspection_id": "r1",
            "state": state,
            "record_state": "passed",
            "outcome": "passed",
            "counters": counters,
            "newest": EDITION | changed,
        }
    )


@pytest.mark.parametrize(("name", "shown_name"), [("Li Na", "Li Na"), (None, "u2")])
def test_sentence_names_the_user_who_released_the_record(name: str | None, shown_name: str) -> None:
    released = {"released_by": "u2", "released_by_name": name, "released_at": "2026-11-22T22:39:00Z"}
    sentence = seal_sentence(make_seal(SealState.FINISHED, **released))
    assert "by Zhao Min" in sentence
    assert sentence.endswith(f"edition 2. Reviewed by {shown_name}.")


def test_sentence_of_unreleased_record_names_no_one() -> None:
    assert seal_sentence(make_seal(SealState.FINISHED)).endswith("edition 2.")
    assert "Reviewed" not in seal_sentence(make_seal(SealState.AWAITING_RELEASE))
