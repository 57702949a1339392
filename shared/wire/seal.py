"""Bodies of finishing, releasing and reopening a record, and of its sealed editions."""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import ConfigDict, Field, StrictBool, StringConstraints

from shared.limits import MIN_REASON
from shared.record.codes import SealState, Status
from shared.wire.common import Id, Integer, ItemTime, LongText, WireModel, remove_null_defaults

MAX_SUMMARIES = 200
"""Records in one request for summaries."""

Reason = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=2000, pattern=r"^[^\x00]*$"),
]


def _example(**values: Any) -> ConfigDict:
    def add_example(schema: dict[str, Any]) -> None:
        remove_null_defaults(schema)
        schema["example"] = values

    return ConfigDict(extra="ignore", json_schema_extra=add_example)


_EDITION: dict[str, Any] = {
    "edition": 1,
    "seal": "9f2b6c0d4e8a17355b1c7de0a4f3926871c05be2d8a94f6e3b7d102c58ef6a41",
    "outcome": "failed",
    "accepted_opinions": 9,
    "finished_by": "3e0c5b7a-51d4-4f0b-9a51-5a2f6f0a7c33",
    "finished_by_name": "王芳 (wang.fang)",
    "finished_at": "2026-03-01T08:30:00.123456Z",
    "needs_release": False,
    "released_by": None,
    "released_by_name": None,
    "released_at": None,
    "reopened_by": None,
    "reopened_by_name": None,
    "reopened_at": None,
    "reopen_reason": None,
}


class RecordFinish(WireModel):
    """Body of `POST /inspection/{inspection_id}/finish`; every field may be left out.

    `accept_model_opinion`: sign the model's opinion on the items that no person has decided, each as a
    verdict of the caller that names the version it accepts. `item_ids`: on these items only. `reason`: kept
    with each of these verdicts.
    """

    model_config = _example(accept_model_opinion=True, reason="已逐项核对照片")

    accept_model_opinion: StrictBool = False
    item_ids: Annotated[list[Id], Field(max_length=100_000)] | None = None
    reason: LongText | None = None


class RecordReopen(WireModel):
    """Body of `POST /inspection/{inspection_id}/reopen`: the reason for reopening."""

    model_config = _example(reason="右翼照片拍错，需要补拍")

    reason: Reason


class RecordRelease(WireModel):
    """Body of `POST /inspection/{inspection_id}/release`: the edition that the second person checked."""

    model_config = _example(edition=1)

    edition: Integer


class InspectionPolicy(WireModel):
    """Rules of this installation. In a request, a rule that is left out stays as it is.

    `reason_characters`: the least length of the reason of a verdict, a setting of the service that no request
    changes.

    `four_eyes`: a second person releases finished records. `requires_inspection`: a record with passed items
    that were not inspected completely (`InspectionGap`) cannot be finished. `required_coverage`: the least
    share of a region that a photo must show for a model's pass to count, 0..1.
    """

    model_config = _example(four_eyes=True, requires_inspection=False, required_coverage=0.95)

    four_eyes: StrictBool | None = None
    requires_inspection: StrictBool | None = None
    required_coverage: Annotated[float, Field(strict=True, ge=0, le=1)] | None = None
    reason_characters: Annotated[int, Field(ge=1, le=200)] = MIN_REASON


class Tally(WireModel):
    """The counters of a record's items, as in `shared.record.results.Counters`."""

    items: int
    detected: int
    judged: int
    undecided: int
    passed: int
    failed: int


class NameChange(WireModel):
    """One change of a user's full name: when, whose, the name before and after; None is no name."""

    model_config = _example(
        at="2026-03-01T08:12:00.000001Z", username="zhang3", old_name="张三", new_name="王芳"
    )

    at: ItemTime
    username: str
    old_name: str | None
    new_name: str | None


class RecordUsers(WireModel):
    """The users whom a record names: their usernames by user ID, and the changes of their full names that a
    reader must know, oldest first.
    """

    model_config = _example(usernames={"3e0c5b7a-51d4-4f0b-9a51-5a2f6f0a7c33": "wang.fang"}, name_changes=[])

    usernames: dict[str, str]
    name_changes: list[NameChange]


class Edition(WireModel):
    """One sealed edition of a record: its outcome, its seal, and later events.

    `seal`: SHA-256 of its content in hexadecimal. `accepted_opinions`: the number of its verdicts that accept
    the model's opinion.
    """

    model_config = _example(**_EDITION)

    edition: int
    seal: str
    outcome: Status
    accepted_opinions: int
    finished_by: str
    finished_by_name: str | None
    finished_at: ItemTime
    needs_release: bool
    released_by: str | None
    released_by_name: str | None
    released_at: ItemTime | None
    reopened_by: str | None
    reopened_by_name: str | None
    reopened_at: ItemTime | None
    reopen_reason: str | None


class EditionContent(Edition):
    """An edition with its sealed content, which names its format, `walkaround-seal-2`.

    `canonical` is the same content as the text whose UTF-8 bytes the seal is the SHA-256 of.
    """

    content: dict[str, Any]
    canonical: str


class RecordSeal(WireModel):
    """The seal of a record. `newest`: its newest edition, None if it was never finished.

    `record_state` is the state that the desktop shows: passed or failed only while the record is sealed.
    `outcome` is computed from the verdicts: passed, failed, or None while an item is undecided. `executor` is
    the executor's full name with the username. `signed_by` are the IDs of the users who gave a verdict or a
    correction in the record, who cannot release it; only while it awaits release, and not in summaries.
    """

    model_config = _example(
        inspection_id="0b9d2c1e-6a53-4a0e-9d53-0c2f7a1e8b11",
        state="finished",
        record_state="failed",
        outcome="failed",
        counters={"items": 12, "detected": 12, "judged": 12, "undecided": 0, "passed": 11, "failed": 1},
        newest=_EDITION,
        executor="王芳 (wang.fang)",
        signed_by=[],
    )

    inspection_id: str
    state: SealState
    record_state: Status
    outcome: Status | None
    counters: Tally
    newest: Edition | None
    executor: str | None = None
    signed_by: list[str] = Field(default_factory=list)


class DifferenceKind(StrEnum):
    """How something differs from the seal."""

    CHANGED = "changed"
    ADDED = "added"
    MISSING = "missing"
    FILE_CHANGED = "file_changed"
    FILE_MISSING = "file_missing"
    FILE_RENAMED = "file_renamed"
    SEAL_BROKEN = "seal_broken"
    LOG_DIFFERS = "log_differs"
    UNREADABLE = "unreadable"


class SealDifference(WireModel):
    """One difference between a sealed edition and the current state.

    `path`: the place in the content, such as `items[2].result[0].isPassed`. `message`: a sentence about it.
    """

    kind: DifferenceKind
    path: str
    item_id: str | None = None
    item_name: str | None = None
    file_id: str | None = None
    message: str


class SealCheck(WireModel):
    """The result of checking the newest edition; `intact` means no differences.

    `current`: the record is sealed, so it was compared with the edition as it is now. A reopened record may
    differ: then the stored edition, its files and the audit log are checked.
    """

    model_config = _example(
        inspection_id="0b9d2c1e-6a53-4a0e-9d53-0c2f7a1e8b11",
        edition=1,
        seal=_EDITION["seal"],
        intact=False,
        current=True,
        files=14,
        differences=[
            {
                "kind": "changed",
                "path": "items[2].result[1].verdict.value",
                "item_id": "7c1f0f8a-0a77-4b0c-8f5e-1f3f5c2d9e20",
                "item_name": "左翼前缘",
                "file_id": None,
                "message": "检查项“左翼前缘”的 result[1].verdict.value 与封存时不同",
            }
        ],
    )

    inspection_id: str
    edition: int
    seal: str
    intact: bool
    current: bool
    files: int
    differences: list[SealDifference]
