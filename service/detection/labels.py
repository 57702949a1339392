"""The catalogue of labels: how severe a finding with each of them is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlmodel import Session, col, select

from service.changes import Change, announce
from service.database import Database, now
from service.detection.tables import LabelRow
from shared.wire.detection import LabelSeverity, Severity


class Labels:
    """The severities of labels. A label without one is not in the table."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def every(self) -> list[LabelSeverity]:
        """Every label that has a severity, by name."""
        return await self._database.read(_every)

    async def change(self, changes: Sequence[LabelSeverity], actor: str, address: str) -> list[LabelSeverity]:
        """Give these labels other severities, None takes one away; gives all that there are then."""

        def write(session: Session) -> list[LabelSeverity]:
            for change in changes:
                _put(session, change, actor)
            details = {"labels": {change.label: change.severity for change in changes}}
            announce(session, Change("update", "finding_label", None, actor, address, details))
            session.flush()
            return _every(session)

        return await self._database.write(write)


def _every(session: Session) -> list[LabelSeverity]:
    rows = session.exec(select(LabelRow).order_by(col(LabelRow.label)))
    return [LabelSeverity(label=row.label, severity=Severity(row.severity)) for row in rows]


def _put(session: Session, change: LabelSeverity, actor: str) -> None:
    row = session.get(LabelRow, change.label, with_for_update=True)
    if change.severity is None:
        if row is not None:
            session.delete(row)
            session.flush()
    elif row is None:
        session.add(LabelRow(label=change.label, severity=change.severity.value, changed_by=actor))
        session.flush()
    else:
        row.severity, row.changed_by, row.updated_at = change.severity.value, actor, now()


def with_severities(session: Session, boxes: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """`boxes` of a new result entry, each with the severity that its label has now.

    It is kept with the finding: a report says the same tomorrow, whatever the catalogue says then.
    """
    wanted = {box["label"] for box in boxes}
    if not wanted:
        return list(boxes)
    rows = session.exec(select(LabelRow).where(col(LabelRow.label).in_(sorted(wanted))))
    known = {row.label: row.severity for row in rows}
    return [{**box, "severity": known[box["label"]]} if box["label"] in known else dict(box) for box in boxes]
