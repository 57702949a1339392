"""Composes the use cases of inspection for the routes and other domains."""

from __future__ import annotations

from sqlalchemy import select
from sqlmodel import Session

from service.db.database import Database
from service.inspection.history.earlier_items import EarlierItems
from service.inspection.history.region_history import History
from service.inspection.history.region_trend import Trends
from service.inspection.ports import DetectionInput, JoinSources, Ports
from service.inspection.records.detection_input import DetectionAccess
from service.inspection.records.items import Items
from service.inspection.records.matches import ItemRegion, places
from service.inspection.records.matching import Matching
from service.inspection.records.photos import Photos
from service.inspection.records.record_photos import RecordPhotos
from service.inspection.records.records import Records
from service.inspection.sealing.editions import Editions
from service.inspection.sealing.finishing import Finishing
from service.inspection.sealing.people import People
from service.inspection.sealing.seal_check import SealChecks
from service.inspection.tables import RECORD
from shared.limits import MIN_REASON

__all__ = ["DetectionInput", "InspectionService", "JoinSources", "Ports"]


class InspectionService:
    """Records, items and photos on one database, and what detection sees of them."""

    def __init__(
        self,
        database: Database,
        sources: JoinSources,
        ports: Ports,
        reason_characters: int = MIN_REASON,
    ) -> None:
        self.records = Records(database, sources)
        self.items = Items(database, sources, ports, reason_characters)
        self.detections = DetectionAccess(self.items, sources, ports)
        self.photos = Photos(database, self.items, sources, ports)
        self.record_photos = RecordPhotos(database, sources, ports)
        self.matching = Matching(database, self.record_photos, ports)
        earlier = EarlierItems(sources, ports)
        self.history = History(database, earlier)
        self.trends = Trends(database, earlier, ports)
        self.finishing = Finishing(database, self.records, self.items, sources, ports)
        self.editions = Editions(database, sources)
        self.people = People(database, ports)
        self.seal_checks = SealChecks(
            database, ports.file_info, ports.seal_log, ports.stored_hash, ports.model_hash
        )
        self._ports = ports

    def item_regions(self, session: Session, inspection_id: str) -> list[ItemRegion]:
        """Port: the items of a record in their order, with their regions; none of a record that is gone."""
        query = select(RECORD.c.reference_image_id).where(RECORD.c.inspection_id == inspection_id)
        record = session.execute(query).one_or_none()
        if record is None:
            return []
        return [*places(session, self._ports, inspection_id, record.reference_image_id).values()]
