"""Composes the use cases of inspection for the routes and other domains."""

from __future__ import annotations

from sqlalchemy import Column, func, select
from sqlmodel import Session

from service.db.database import Database
from service.inspection.history.earlier_items import EarlierItems
from service.inspection.history.region_history import History, Trends
from service.inspection.records.detection_input import DetectionAccess
from service.inspection.records.films import Films, OpensAsFilm
from service.inspection.records.item_sets import ItemSets
from service.inspection.records.items import Items
from service.inspection.records.matches import ItemRegion, places
from service.inspection.records.matching import Matching, MatchPhoto
from service.inspection.records.photos import Photos
from service.inspection.records.record_photos import RecordPhotos
from service.inspection.records.records import Records
from service.inspection.records.search import Search
from service.inspection.records.shift import Shift
from service.inspection.sealing.editions import Editions, People
from service.inspection.sealing.finishing import Finishing
from service.inspection.sealing.seal_check import SealChecks, StoredHash
from service.inspection.tables import RECORD
from shared.limits import MIN_REASON


class InspectionService:
    """Records, items and photos on one database, and what detection sees of them."""

    def __init__(
        self,
        database: Database,
        stored_hash: StoredHash,
        model_hash: StoredHash,
        match_photo: MatchPhoto,
        opens_as_film: OpensAsFilm,
        reason_characters: int = MIN_REASON,
    ) -> None:
        self.records = Records(database)
        self.search = Search(database)
        self.items = Items(database, reason_characters)
        self.item_sets = ItemSets(database)
        self.detections = DetectionAccess()
        self.photos = Photos(database)
        self.record_photos = RecordPhotos(database)
        self.films = Films(database, opens_as_film)
        self.matching = Matching(database, self.record_photos, match_photo)
        earlier = EarlierItems()
        self.history = History(database, earlier)
        self.trends = Trends(database, earlier)
        self.shift = Shift(database, self.search.queries)
        self.finishing = Finishing(database, self.records)
        self.editions = Editions(database)
        self.people = People(database)
        self.seal_checks = SealChecks(database, stored_hash, model_hash)

    def item_regions(self, session: Session, inspection_id: str) -> list[ItemRegion]:
        """The items of a record in their order, with their regions; none of a record that is gone."""
        query = select(RECORD.c.reference_image_id).where(RECORD.c.inspection_id == inspection_id)
        record = session.execute(query).one_or_none()
        if record is None:
            return []
        return [*places(session, inspection_id, record.reference_image_id).values()]


def count_of_task(session: Session, task_id: str) -> int:
    """The number of records of a task."""
    return _count(session, RECORD.c.task_id, task_id)


def count_of_reference_image(session: Session, reference_image_id: str) -> int:
    """The number of records with a reference image."""
    return _count(session, RECORD.c.reference_image_id, reference_image_id)


def _count(session: Session, column: Column[str], value: str) -> int:
    count: int = session.execute(select(func.count()).where(column == value)).scalar_one()
    return count
