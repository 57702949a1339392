"""Describes the seal of a record in its report: texts, watermark and QR code."""

from __future__ import annotations

from collections.abc import Mapping

import segno
from PySide6.QtCore import QCoreApplication

from desktop.localization.dates import format_minute_in_zone
from desktop.report.content import ReportSeal
from shared.names import signature
from shared.record.codes import SEALED_STATES
from shared.wire.seal import Edition, RecordSeal

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
