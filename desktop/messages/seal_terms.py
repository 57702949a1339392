"""Formulates texts about a seal, an edition and the counters of a record."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from desktop.localization.dates import format_minute
from shared.record.codes import SealState, Status
from shared.record.results import Counters
from shared.wire.seal import Edition, RecordSeal, Tally

_SHORT_SEAL_LENGTH = 12


def short_seal(seal: str) -> str:
    """The first digits of a seal, enough to compare by eye."""
    return seal[:_SHORT_SEAL_LENGTH]


def seal_sentence(seal: RecordSeal | None) -> str:
    """Who sealed the record, when and as which edition, and who released it; empty if it is not sealed."""
    edition = None if seal is None else seal.newest
    if seal is None or edition is None:
        return ""
    if seal.state is SealState.AWAITING_RELEASE:
        text = QCoreApplication.translate(
            "Seal", "Finished by {name} on {time}, edition {n}. Awaiting review by another user."
        )
    elif seal.state is SealState.FINISHED and edition.released_by is not None:
        text = QCoreApplication.translate(
            "Seal", "Finished and sealed by {name} on {time}, edition {n}. Reviewed by {releaser}."
        )
    elif seal.state is SealState.FINISHED:
        text = QCoreApplication.translate("Seal", "Finished and sealed by {name} on {time}, edition {n}.")
    else:
        return ""
    return text.format(
        name=edition.finished_by_name or edition.finished_by,
        time=format_minute(edition.finished_at),
        n=edition.edition,
        releaser=edition.released_by_name or edition.released_by,
    )


def seal_word(state: SealState) -> str:
    """The word for a seal state; empty for a record that was never finished."""
    return {
        SealState.FINISHED: QCoreApplication.translate("Seal", "Sealed"),
        SealState.AWAITING_RELEASE: QCoreApplication.translate("Seal", "Awaiting review"),
        SealState.REOPENED: QCoreApplication.translate("Seal", "Reopened"),
    }.get(state, "")


def seal_icon(state: SealState) -> str:
    """The icon of a seal state."""
    return {SealState.AWAITING_RELEASE: "people", SealState.REOPENED: "history"}.get(state, "lock")


def sealed_sentence() -> str:
    """Why a sealed record cannot be changed, and what to do."""
    return QCoreApplication.translate(
        "Errors", "Cannot change a sealed record. A user with permission can reopen it with a reason."
    )


def counters_sentence(counters: Counters) -> str:
    """How many items passed, failed and are undecided."""
    text = QCoreApplication.translate("Seal", "{passed} passed, {failed} failed, {undecided} undecided")
    return text.format(passed=counters.passed, failed=counters.failed, undecided=counters.undecided)


def outcome_word(outcome: Status | None) -> str:
    """The word for the outcome of a record."""
    return {
        Status.PASSED: QCoreApplication.translate("Seal", "Passed"),
        Status.FAILED: QCoreApplication.translate("Seal", "Failed"),
    }.get(outcome or Status.NOT_STARTED, QCoreApplication.translate("Seal", "Undecided"))


def edition_events(edition: Edition) -> list[str]:
    """The events of an edition, one line for each, oldest first."""
    translate = QCoreApplication.translate
    lines = [
        translate("Seal", "Finished by {name} on {time}").format(
            name=edition.finished_by_name or edition.finished_by, time=format_minute(edition.finished_at)
        )
    ]
    if edition.accepted_opinions:
        lines.append(
            translate("Seal", "Model's opinion accepted for %n item(s)", "", edition.accepted_opinions)
        )
    if edition.released_at is not None:
        name = edition.released_by_name or edition.released_by or ""
        release_text = translate("Seal", "Reviewed by {name} on {time}")
        lines.append(release_text.format(name=name, time=format_minute(edition.released_at)))
    if edition.reopened_at is not None:
        name = edition.reopened_by_name or edition.reopened_by or ""
        reopening_text = translate("Seal", "Reopened by {name} on {time}: {reason}")
        lines.append(
            reopening_text.format(
                name=name, time=format_minute(edition.reopened_at), reason=edition.reopen_reason or ""
            )
        )
    return lines


def decided_text(counters: Tally | Counters) -> str:
    """How many items are decided, worded as in the workbench."""
    text = QCoreApplication.translate("ItemsPanel", "Decided {n} of {all}")
    return text.format(n=counters.judged, all=counters.items)


def detected_text(counters: Tally | Counters) -> str:
    """How many items are detected, worded as in the workbench."""
    text = QCoreApplication.translate("ItemsPanel", "Detected {n} of {all}")
    return text.format(n=counters.detected, all=counters.items)


def unassigned_photos_sentence(count: int) -> str:
    """How many photos of a record are assigned to no item."""
    return QCoreApplication.translate("Seal", "%n photo(s) are not assigned to any item.", "", count)
