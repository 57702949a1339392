"""Inspection as a whole: what the routes use and what other domains are handed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy.orm import Session

from service.database import Database
from service.inspection.history import History
from service.inspection.items import Items
from service.inspection.photos import Photos
from service.inspection.ports import DetectionInput, JoinSources, Ports
from service.inspection.records import Records

__all__ = ["DetectionInput", "InspectionService", "JoinSources", "Ports"]


class InspectionService:
    """Records, items and photos on one database."""

    def __init__(self, database: Database, sources: JoinSources, ports: Ports) -> None:
        self.records = Records(database, sources)
        self.items = Items(database, sources, ports)
        self.photos = Photos(database, sources, ports)
        self.history = History(database, sources, ports)

    def append_result(
        self, session: Session, item_id: str, entry: Mapping[str, Any], actor: str | None = None
    ) -> int:
        """Port for detection: append a result entry, recompute the record; gives the entry's version.

        The version in `entry` is replaced by the next one. Raises Problem 404.
        """
        return self.items.append_result(session, item_id, entry, actor)

    def item_for_detection(self, session: Session, item_id: str) -> DetectionInput:
        """Port for detection: what a run on the item works on. Raises Problem 404."""
        return self.items.for_detection(session, item_id)

    def items_to_detect(self, session: Session, inspection_id: str) -> list[str]:
        """Port for detection: ids of the record's items with a model and a photo, oldest first.

        Raises Problem 404.
        """
        return self.items.to_detect(session, inspection_id)
