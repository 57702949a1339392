"""Gives the words of a report in the language of the program."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from desktop.localization.dates import minute_in_zone
from desktop.localization.detection_terms import finding_word, opinion_word, severity_word, size_text
from desktop.report.content import ReportedItem
from shared.codes import Status, Verdict
from shared.findings import Finding
from shared.wire.seal import Tally


def outcome(passed: bool | None) -> str:
    """Passed, failed or undecided, in words."""
    if passed is None:
        return QCoreApplication.translate("Report", "Undecided")
    if passed:
        return QCoreApplication.translate("Report", "Passed")
    return QCoreApplication.translate("Report", "Failed")


def status(code: Status) -> str:
    """The state of a record, in words."""
    return {
        Status.NOT_STARTED: QCoreApplication.translate("Report", "Not started"),
        Status.IN_PROGRESS: QCoreApplication.translate("Report", "In progress"),
        Status.PASSED: QCoreApplication.translate("Report", "Passed"),
        Status.FAILED: QCoreApplication.translate("Report", "Failed"),
        Status.CANCELLED: QCoreApplication.translate("Report", "Cancelled"),
    }[code]


def computed_outcome(outcome_code: Status | None) -> str:
    """The outcome that the verdicts come to."""
    return outcome(None if outcome_code is None else outcome_code is Status.PASSED)


def decided_items(counters: Tally) -> str:
    """How many of the items a person judged."""
    return QCoreApplication.translate("Report", "{judged} of {items}").format(
        judged=counters.judged, items=counters.items
    )


def decision(item: ReportedItem) -> str:
    """Who decided and when, and whether that accepts the model's opinion."""
    if item.verdict is not Verdict.UNDECIDED and item.accepted:
        return QCoreApplication.translate(
            "Report", "{verdict}: model's opinion accepted by {person}, {time}"
        ).format(
            verdict=outcome(item.passed), person=item.decided_by or "–", time=minute_in_zone(item.decided_at)
        )
    if item.verdict is not Verdict.UNDECIDED:
        return QCoreApplication.translate("Report", "{verdict} by {person}, {time}").format(
            verdict=outcome(item.passed), person=item.decided_by or "–", time=minute_in_zone(item.decided_at)
        )
    return QCoreApplication.translate("Report", "Undecided")


def opinion(item: ReportedItem) -> str:
    """What the model said, or that it did not run."""
    if item.opinion is None:
        return QCoreApplication.translate("Report", "Model: no result")
    return QCoreApplication.translate("Report", "Model: {verdict}").format(verdict=outcome(item.opinion))


def findings(item: ReportedItem) -> str:
    """The findings: label, confidence or author of each, and how severe and large it is where known."""
    if not item.findings:
        return QCoreApplication.translate("Report", "No findings")
    return "   ".join(map(_finding, item.findings))


def explained_differences(item: ReportedItem) -> str:
    """How many differences the memory of the region explains, and of how many photos; empty for none."""
    if not item.explained:
        return ""
    photos = QCoreApplication.translate("Report", "%n photo(s)", "", item.memory_photos)
    return QCoreApplication.translate(
        "Report", "%n difference(s) explained by the region's memory of {photos}", "", item.explained
    ).format(photos=photos)


def _finding(finding: Finding) -> str:
    opinion = opinion_word(finding.second_opinion)
    details = severity_word(finding.severity), size_text(finding.size_mm), opinion
    more = ", ".join(part for part in details if part)
    if not finding.drawn:
        text = f"{finding_word(finding.label)} {finding.confidence:.2f}"
    else:
        text = QCoreApplication.translate("Report", "{label}, drawn by {person}").format(
            label=finding_word(finding.label), person=finding.author or "–"
        )
    return f"{text} ({more})" if more else text


def region(item: ReportedItem) -> str:
    """The region in px of the upright reference image."""
    if item.region is None:
        return QCoreApplication.translate("Report", "No region")
    where = QCoreApplication.translate("Report", "Region x {x} y {y}, {w} × {h} px").format(
        x=round(item.region.x), y=round(item.region.y), w=round(item.region.w), h=round(item.region.h)
    )
    if item.region_mm is None:
        return where
    wide, high = item.region_mm
    return f"{where} ({wide:.0f} × {high:.0f} mm)"
