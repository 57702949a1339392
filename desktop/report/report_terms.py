"""Formulates the texts of a report in the language of the program.

Describes the seal of a record in its report: texts, watermark and QR code.
"""

from __future__ import annotations

from collections.abc import Mapping

import segno
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QImage

from desktop.localization.dates import format_minute_in_zone
from desktop.localization.detection_terms import (
    appearance_text,
    coverage_text,
    finding_word,
    severity_word,
    size_text,
)
from desktop.localization.language import format_label_and_value, join_words
from desktop.report.content import FailedFinding, ReportedCorrection, ReportedItem, ReportSeal
from shared.names import signature
from shared.record.codes import SEALED_STATES, Status, Verdict
from shared.record.findings import Finding
from shared.wire.seal import Edition, NameChange, RecordSeal, Tally
from shared.wire.shift import Comment


def name_change(change: NameChange) -> str:
    """Whose full name was changed, from which name to which, and when."""
    return QCoreApplication.translate("Report", "{username}: {old} → {new}, {time}").format(
        username=change.username,
        old=change.old_name or "–",
        new=change.new_name or "–",
        time=format_minute_in_zone(change.at),
    )


def outcome(passed: bool | None) -> str:
    """The word for a verdict; None is undecided."""
    if passed is None:
        return QCoreApplication.translate("Report", "Undecided")
    if passed:
        return QCoreApplication.translate("Report", "Passed")
    return QCoreApplication.translate("Report", "Failed")


def status(code: Status) -> str:
    """The word for the status of a record."""
    return {
        Status.NOT_STARTED: QCoreApplication.translate("Report", "Not started"),
        Status.IN_PROGRESS: QCoreApplication.translate("Report", "In progress"),
        Status.PASSED: QCoreApplication.translate("Report", "Passed"),
        Status.FAILED: QCoreApplication.translate("Report", "Failed"),
        Status.CANCELLED: QCoreApplication.translate("Report", "Void"),
    }[code]


def computed_outcome(outcome_code: Status | None) -> str:
    """The word for the outcome that follows from the verdicts."""
    return outcome(None if outcome_code is None else outcome_code is Status.PASSED)


def decided_items(counters: Tally) -> str:
    """How many of the items are decided."""
    return QCoreApplication.translate("Report", "{judged} of {items}").format(
        judged=counters.judged, items=counters.items
    )


def decision(item: ReportedItem) -> str:
    """Who decided and when, and whether that accepts the model's opinion."""
    if item.verdict is not Verdict.UNDECIDED and item.accepted:
        return QCoreApplication.translate(
            "Report", "{verdict}: model's opinion accepted by {person}, {time}"
        ).format(
            verdict=outcome(item.passed),
            person=item.decided_by or "–",
            time=format_minute_in_zone(item.decided_at),
        )
    if item.verdict is not Verdict.UNDECIDED:
        return QCoreApplication.translate("Report", "{verdict} by {person}, {time}").format(
            verdict=outcome(item.passed),
            person=item.decided_by or "–",
            time=format_minute_in_zone(item.decided_at),
        )
    return QCoreApplication.translate("Report", "Undecided")


def opinion(item: ReportedItem) -> str:
    """The model's opinion, or that it gave no result."""
    if item.is_incomplete:
        return QCoreApplication.translate("Report", "Model's opinion: not inspected completely")
    if item.opinion is None:
        return QCoreApplication.translate("Report", "Model's opinion: none")
    text = QCoreApplication.translate("Report", "Model's opinion: {verdict}")
    return text.format(verdict=outcome(item.opinion))


def findings(item: ReportedItem) -> str:
    """The findings, each with its label, its confidence or author, and its severity and size if known."""
    if not item.findings and not item.is_detected:
        return QCoreApplication.translate("Report", "Not detected")
    if not item.findings:
        return QCoreApplication.translate("Report", "No findings")
    return "   ".join(map(finding, item.findings))


def correction(correction: ReportedCorrection) -> str:
    """Who corrected the findings and when, and how many findings in which way."""
    translate = QCoreApplication.translate
    counted = (
        (correction.deleted, translate("Report", "{count} deleted")),
        (correction.drawn, translate("Report", "{count} drawn")),
        (correction.relabelled, translate("Report", "{count} relabelled")),
        (correction.moved, translate("Report", "{count} moved")),
        (correction.graded, translate("Report", "{count} graded")),
        (correction.accepted, translate("Report", "{count} accepted")),
    )
    text = translate("Report", "Findings corrected by {person}, {time}").format(
        person=correction.by or "–", time=format_minute_in_zone(correction.at)
    )
    changes = join_words(change.format(count=count) for count, change in counted if count)
    return format_label_and_value(text, changes) if changes else text


def coverage(item: ReportedItem) -> str:
    """How the photo was compared, or how much of the region was inspected; empty if unknown."""
    return appearance_text(item.appearance) or coverage_text(item.coverage)


def settings(item: ReportedItem) -> str:
    """The settings that the detection ran with; empty without a detection."""
    translate, values = QCoreApplication.translate, item.settings
    parts = []
    if item.appearance is not None:
        # A comparison by appearance has a limit of its own, from the photos that passed.
        values = {}
    if values.get("sensitivity") is not None:
        text = translate("Report", "sensitivity {value}%")
        parts.append(text.format(value=round(100 * values["sensitivity"])))
    if values.get("smallest") is not None:
        parts.append(translate("Report", "minimum size {value}").format(value=f"{values['smallest']:g}"))
    confidence = values.get("confidence", values.get("min_confidence"))
    if confidence is not None:
        parts.append(translate("Report", "confidence from {value}").format(value=f"{confidence:.2f}"))
    if item.ignored_areas:
        parts.append(translate("Report", "%n ignored area(s)", "", item.ignored_areas))
    return translate("Report", "Detection: {settings}").format(settings=", ".join(parts)) if parts else ""


def comment(comment: Comment) -> str:
    """A comment with its author, its time and its place on the photo."""
    text = QCoreApplication.translate("Report", "{person}, {time}: {text}").format(
        person=comment.written_by_name or comment.written_by,
        time=format_minute_in_zone(comment.created_at),
        text=comment.text,
    )
    if comment.x is None or comment.y is None:
        return text
    place = QCoreApplication.translate("Report", "at {x}% from the left, {y}% from the top of the photo")
    return f"{text} ({place.format(x=round(100 * comment.x), y=round(100 * comment.y))})"


def used_photo(item: ReportedItem) -> str:
    """That the photo was a photo of another record before; empty if it was not."""
    if not item.used_in:
        return ""
    return QCoreApplication.translate("Report", "Photo already used in {record}").format(record=item.used_in)


def explained_differences(item: ReportedItem) -> str:
    """How many differences the memory of the region explains, and its number of photos; empty for none."""
    if not item.explained:
        return ""
    photos = QCoreApplication.translate("Report", "%n photo(s)", "", item.memory_photos)
    return QCoreApplication.translate(
        "Report", "%n known variation(s) not reported, by {photos}", "", item.explained
    ).format(photos=photos)


def failed_pictures(failed: FailedFinding) -> list[tuple[str, QImage]]:
    """The pictures of a failed finding that there are, each with its title."""
    translate = QCoreApplication.translate
    pictures = [
        (translate("Report", "Reference image"), failed.reference),
        (translate("Report", "Photo"), failed.photo),
        (translate("Report", "Difference"), failed.difference),
    ]
    return [(name, image) for name, image in pictures if not image.isNull()]


def finding(finding: Finding) -> str:
    """A finding: its label, its confidence or author, and its severity and size if known."""
    details = severity_word(finding.severity), size_text(finding.size_mm)
    details_text = ", ".join(part for part in details if part)
    if not finding.is_drawn:
        text = f"{finding_word(finding.label)} {finding.confidence:.2f}"
    else:
        text = QCoreApplication.translate("Report", "{label}, drawn by {person}").format(
            label=finding_word(finding.label), person=finding.author or "–"
        )
    return f"{text} ({details_text})" if details_text else text


def region(item: ReportedItem) -> str:
    """The region in px of the upright reference image, and its size in mm if the image has a scale."""
    if item.region is None:
        return QCoreApplication.translate("Report", "No region")
    text = QCoreApplication.translate("Report", "Region x {x} y {y}, {w} × {h} px").format(
        x=round(item.region.x), y=round(item.region.y), w=round(item.region.w), h=round(item.region.h)
    )
    if item.region_mm is None:
        return text
    width_mm, height_mm = item.region_mm
    return f"{text} ({width_mm:.0f} × {height_mm:.0f} mm)"


_SHORT_SEAL_LENGTH = 16


def report_seal(seal: RecordSeal, usernames: Mapping[str, str]) -> ReportSeal | None:
    """The seal of the record as the report shows it; None for a draft, a record that is not sealed.

    `usernames` are those of the users of the record, by user ID.
    """
    edition = seal.newest
    if edition is None or seal.state not in SEALED_STATES:
        return None
    return edition_seal(seal.inspection_id, edition, edition.edition, usernames)


def edition_seal(record_id: str, edition: Edition, newest: int, usernames: Mapping[str, str]) -> ReportSeal:
    """The seal of an edition for its report; `newest` is the number of the record's newest edition."""
    return ReportSeal(
        record_id=record_id,
        edition=edition.edition,
        seal=edition.seal,
        finished_by=signature(
            edition.finished_by_name or edition.finished_by, usernames.get(edition.finished_by)
        ),
        finished_at=edition.finished_at,
        released_by=signature(
            edition.released_by_name or edition.released_by or "", usernames.get(edition.released_by or "")
        ),
        released_at=edition.released_at,
        awaits_release=edition.needs_release and edition.released_at is None,
        superseded_by=newest if newest != edition.edition else None,
        reopened=edition.reopened_at is not None,
    )


def mark(seal: ReportSeal | None) -> str:
    """The watermark on every page of a report that is not final; empty for a final one."""
    if seal is None:
        return QCoreApplication.translate("Report", "DRAFT")
    if seal.superseded_by is not None:
        text = QCoreApplication.translate("Report", "Superseded by edition {n}")
        return text.format(n=seal.superseded_by)
    if seal.reopened:
        return QCoreApplication.translate("Report", "REOPENED")
    if seal.awaits_release:
        return QCoreApplication.translate("Report", "AWAITING REVIEW")
    return ""


def footer(seal: ReportSeal | None) -> str:
    """The edition and the beginning of its seal, for the footer of every page; empty for a draft."""
    if seal is None:
        return ""
    text = QCoreApplication.translate("Report", "Edition {n}, seal {seal}…")
    return text.format(n=seal.edition, seal=seal.seal[:_SHORT_SEAL_LENGTH])


def seal_lines(seal: ReportSeal) -> list[str]:
    """Who finished and released the record and when, its seal, and the command that verifies it."""
    finish_text = QCoreApplication.translate("Report", "Finished by {name}, {time}, edition {n}")
    lines = [
        finish_text.format(
            name=seal.finished_by, time=format_minute_in_zone(seal.finished_at), n=seal.edition
        ),
    ]
    if seal.released_at is not None:
        release_text = QCoreApplication.translate("Report", "Reviewed by {name}, {time}")
        lines.append(release_text.format(name=seal.released_by, time=format_minute_in_zone(seal.released_at)))
    elif seal.awaits_release:
        lines.append(QCoreApplication.translate("Report", "Awaiting review by another user"))
    lines.append(seal.seal)
    verify_text = QCoreApplication.translate("Report", "Verify with: {command}")
    lines.append(verify_text.format(command=f"walkaround audit verify --record {seal.record_id}"))
    return lines


def qr_modules(seal: ReportSeal) -> list[list[bool]]:
    """The QR code with record, edition and seal: rows of modules without a border; True is dark."""
    text = f"walkaround-seal record={seal.record_id} edition={seal.edition} sha256={seal.seal}"
    return [[bool(module) for module in row] for row in segno.make(text, error="m", micro=False).matrix]
