"""Calls the service for records and items, their photos, verdicts and detections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from typing import Any

from desktop.client.http.answers import Answer, Versioned
from desktop.client.http.transport import Calls, segment
from shared.record.codes import Status, Verdict
from shared.wire.common import Page
from shared.wire.detection import Job
from shared.wire.history import HistoryEntry, Trend
from shared.wire.inspection import (
    BoxesSet,
    Item,
    ItemCreate,
    ItemOrderSet,
    ItemUpdate,
    Photo,
    PhotoAdd,
    Record,
    RecordCreate,
    RecordUpdate,
    VerdictSet,
)
from shared.wire.memory import MemoryChange, MemoryState
from shared.wire.seal import (
    MAX_SUMMARIES,
    Edition,
    EditionContent,
    InspectionPolicy,
    RecordFinish,
    RecordRelease,
    RecordReopen,
    RecordSeal,
    RecordUsers,
    SealCheck,
)
from shared.wire.shift import (
    Comment,
    CommentUpdate,
    CommentWrite,
    Handover,
    HandoverWrite,
    Inspector,
    Work,
    WorkCounts,
)

_VERIFY_SECONDS = 600.0
"""The service reads every file of the record."""


@dataclass(frozen=True, slots=True)
class RecordFilter:
    """The filters of a record search, combined with AND. None leaves a filter out.

    `record_state` is compared with `RecordSeal.record_state`, `inspection_status` with that of `Record`.
    `executor_name` is a substring. `q` is a substring of the record's, the aircraft's or the executor's name.
    Time ranges are inclusive. A time without a zone is UTC. The fields from `day_from` on find the records
    that a chart counts.
    """

    task_id: str | None = None
    executor_id: str | None = None
    inspection_status: Status | None = None
    record_state: Status | None = None
    reference_image_id: str | None = None
    flight_id: str | None = None
    aircraft_id: str | None = None
    executor_name: str | None = None
    q: str | None = None
    start_time_from: datetime | None = None
    start_time_to: datetime | None = None
    end_time_from: datetime | None = None
    end_time_to: datetime | None = None
    day_from: date | None = None
    day_to: date | None = None
    without_aircraft: bool | None = None
    timed: bool | None = None
    with_findings: bool | None = None
    finding_label: str | None = None
    finding_region: str | None = None
    model_shown: str | None = None
    model_rejected: str | None = None
    model_missed: str | None = None
    work: Work | None = None

    def query(self) -> dict[str, str]:
        """The filter as query parameters."""
        return {
            name: _text(value) for name, value in asdict(self).items() if value is not None and value != ""
        }


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        return (value if value.tzinfo is None else value.astimezone(UTC).replace(tzinfo=None)).isoformat()
    return str(value)


class Records(Calls):
    """Inspection records."""

    def create(self, body: RecordCreate, key: str | None = None) -> Record:
        """Create a record. A repeated call with the same `key` does not create a second one.

        Raises Invalid when the key was used with another body.
        """
        return self._transport.call("POST", "/inspection/create", body=body, key=key).data(Record)

    def get(self, inspection_id: str) -> Versioned[Record]:
        """The record. Raises NotFound."""
        path = f"/inspection/getInspectionById/{segment(inspection_id)}"
        return self._transport.call("GET", path).versioned(Record)

    def update(self, inspection_id: str, change: RecordUpdate, etag: str | None = None) -> Versioned[Record]:
        """Change what is set in `change`. Raises Stale when `etag` is given and is not the newest."""
        path = f"/inspection/updateInspection/{segment(inspection_id)}"
        return self._transport.call("PUT", path, body=change, etag=etag).versioned(Record)

    def delete(self, inspection_id: str, etag: str | None = None) -> None:
        """Delete the record with its items.

        Raises NotFound, Stale when `etag` is given and is not the newest.
        """
        self._transport.call("DELETE", f"/inspection/deleteInspection/{segment(inspection_id)}", etag=etag)

    def search(self, where: RecordFilter | None = None, page: int = 1, page_size: int = 50) -> Page[Record]:
        """One page of the records that match, newest first."""
        query = {**(where or RecordFilter()).query(), "current_page": page, "page_size": page_size}
        return self._transport.get("/inspection/search", Page[Record], query=query)

    def finish(
        self,
        inspection_id: str,
        *,
        accept_model_opinion: bool = False,
        item_ids: Sequence[str] | None = None,
        reason: str | None = None,
        etag: str | None = None,
    ) -> Record:
        """Close and seal the record. Its status follows from the verdicts.

        `accept_model_opinion` signs the model's opinion in the user's name on the undecided items, or on
        those of `item_ids`. Raises Conflict with the code `undecided_items` while items have no verdict
        (details `count`, `acceptable`, `items`), `detections_running`, `times_implausible` or
        `record_sealed`.
        """
        body = RecordFinish(
            accept_model_opinion=accept_model_opinion,
            item_ids=None if item_ids is None else list(item_ids),
            reason=reason,
        )
        path = f"/inspection/{segment(inspection_id)}/finish"
        return self._transport.call("POST", path, body=body, etag=etag).data(Record)

    def release(self, inspection_id: str, edition: int) -> RecordSeal:
        """Release an edition as a user who took no part in the record.

        Raises Forbidden with the code `same_person`, Conflict when it is not the newest or awaits no release.
        """
        path = f"/inspection/{segment(inspection_id)}/release"
        return self._transport.call("POST", path, body=RecordRelease(edition=edition)).data(RecordSeal)

    def reopen(self, inspection_id: str, reason: str) -> RecordSeal:
        """Reopen a sealed record, so that it can be changed again. Raises Conflict when it is not sealed."""
        path = f"/inspection/{segment(inspection_id)}/reopen"
        return self._transport.call("POST", path, body=RecordReopen(reason=reason)).data(RecordSeal)

    def seal(self, inspection_id: str) -> RecordSeal:
        """The status of the record, its counters and its newest edition. Raises NotFound."""
        return self._transport.get(f"/inspection/{segment(inspection_id)}/seal", RecordSeal)

    def work(self) -> WorkCounts:
        """How many records there are of each kind of work for the user."""
        return self._transport.get("/inspection/work", WorkCounts)

    def inspectors(self) -> Sequence[Inspector]:
        """The users to whom a record can be handed over."""
        return self._transport.get("/inspection/inspectors", list[Inspector])

    def hand_over(self, inspection_id: str, body: HandoverWrite) -> Handover:
        """Make another user the executor of the record. Raises NotFound, Conflict when it is sealed."""
        path = f"/inspection/{segment(inspection_id)}/handovers"
        return self._transport.call("POST", path, body=body).data(Handover)

    def handovers(self, inspection_id: str) -> Sequence[Handover]:
        """The handovers of a record, newest first. Raises NotFound."""
        return self._transport.get(f"/inspection/{segment(inspection_id)}/handovers", list[Handover])

    def comments(self, inspection_id: str) -> Sequence[Comment]:
        """The comments on the items of a record, oldest first. Raises NotFound."""
        return self._transport.get(f"/inspection/{segment(inspection_id)}/comments", list[Comment])

    def comment(self, inspection_id: str, body: CommentWrite) -> Comment:
        """Write a comment on an item of the record. Raises NotFound, Conflict when it is sealed."""
        path = f"/inspection/{segment(inspection_id)}/comments"
        return self._transport.call("POST", path, body=body).data(Comment)

    def change_comment(self, inspection_id: str, comment_id: str, text: str) -> Comment:
        """Change the user's own comment. Raises NotFound, Forbidden, Conflict when it is sealed."""
        path = f"/inspection/{segment(inspection_id)}/comments/{segment(comment_id)}"
        body = CommentUpdate(text=text).model_dump(mode="json")
        return self._transport.call("PUT", path, body=body).data(Comment)

    def delete_comment(self, inspection_id: str, comment_id: str) -> None:
        """Delete the user's own comment. Raises NotFound, Forbidden, Conflict when it is sealed."""
        path = f"/inspection/{segment(inspection_id)}/comments/{segment(comment_id)}"
        self._transport.call("DELETE", path)

    def users(self, inspection_id: str) -> RecordUsers:
        """The users whom the record names, and the changes of their full names. Raises NotFound."""
        return self._transport.get(f"/inspection/{segment(inspection_id)}/users", RecordUsers)

    def verify_seal(self, inspection_id: str) -> SealCheck:
        """Compare the stored data with the sealed edition. Raises Conflict for a record without an
        edition."""
        path = f"/inspection/{segment(inspection_id)}/seal/verify"
        return self._transport.get(path, SealCheck, seconds=_VERIFY_SECONDS)

    def editions(self, inspection_id: str) -> Sequence[Edition]:
        """The sealed editions of a record, oldest first. Raises NotFound."""
        return self._transport.get(f"/inspection/{segment(inspection_id)}/editions", list[Edition])

    def edition(self, inspection_id: str, edition: int) -> EditionContent:
        """A sealed edition with its content. Raises NotFound."""
        path = f"/inspection/{segment(inspection_id)}/editions/{edition}"
        return self._transport.get(path, EditionContent)

    def summaries(self, inspection_ids: Sequence[str]) -> Sequence[RecordSeal]:
        """The state of several records, in the order of their IDs; IDs without a record are left out."""
        seals: list[RecordSeal] = []
        for start in range(0, len(inspection_ids), MAX_SUMMARIES):
            ids = list(inspection_ids[start : start + MAX_SUMMARIES])
            seals += self._transport.get("/inspection/summaries", list[RecordSeal], query={"ids": ids})
        return seals

    def policy(self) -> InspectionPolicy:
        """The rules of the installation for reasons and finished records."""
        return self._transport.get("/inspection/policy", InspectionPolicy)

    def set_policy(self, changes: InspectionPolicy) -> InspectionPolicy:
        """Change the rules that `changes` has for records that are finished from now on.

        Returns all rules. Needs a recent password login.
        """
        body = changes.model_dump(mode="json", exclude_none=True)
        return self._transport.call("PUT", "/inspection/policy", body=body).data(InspectionPolicy)

    def detect(self, inspection_id: str, *, outdated: bool = False) -> Sequence[Job]:
        """Start detections for all items of the record with a photo and a model and without a verdict.

        With `outdated`, only for items whose newest result is missing or of another photo or model.
        """
        query = {"outdated": "true"} if outdated else None
        answer = self._transport.call("POST", f"/inspection/{segment(inspection_id)}/detect", query=query)
        return answer.data(list[Job])


def _versioned_item(answer: Answer) -> Versioned[Item]:
    """The item of the contract's answers, which have no envelope."""
    return Versioned(answer.read(Item), answer.etag, answer.modified_by)


class Items(Calls):
    """Inspection items."""

    def create(self, body: ItemCreate, key: str | None = None) -> Versioned[Item]:
        """Create an item. A repeated call with the same `key` does not create a second one.

        Raises NotFound when its record does not exist.
        """
        return _versioned_item(self._transport.call("POST", "/inspection_item/create", body=body, key=key))

    def get(self, item_id: str) -> Versioned[Item]:
        """The item. Raises NotFound."""
        return _versioned_item(self._transport.call("GET", f"/inspection_item/{segment(item_id)}"))

    def update(self, item_id: str, change: ItemUpdate, etag: str | None = None) -> Versioned[Item]:
        """Change what is set in `change`. Raises Stale when `etag` is given and is not the newest."""
        answer = self._transport.call("PUT", f"/inspection_item/{segment(item_id)}", body=change, etag=etag)
        return _versioned_item(answer)

    def delete(self, item_id: str, etag: str | None = None, reason: str = "") -> None:
        """Delete the item. The `reason` is stored in the audit log.

        Raises NotFound, Stale when `etag` is given and is not the newest.
        """
        query = {"reason": reason} if reason else None
        self._transport.call("DELETE", f"/inspection_item/{segment(item_id)}", query=query, etag=etag)

    def restore(self, item_id: str) -> Versioned[Item]:
        """Restore a deleted item with its id. An existing item is returned unchanged.

        Raises NotFound when it cannot be restored or its record was deleted.
        """
        answer = self._transport.call("POST", f"/inspection_item/{segment(item_id)}/restore", repeatable=True)
        return _versioned_item(answer)

    def list(self, inspection_id: str, page: int = 1, page_size: int = 200) -> Page[Item]:
        """One page of the items of a record, in the order of the walk."""
        query = {"inspection_id": inspection_id, "current_page": page, "page_size": page_size}
        return self._transport.get("/inspection_item/list", Page[Item], query=query)

    def all(self, inspection_id: str) -> Sequence[Item]:
        """Every item of a record, in the order of the walk."""
        page = self.list(inspection_id)
        items = page.data
        for number in range(2, page.pagination.total_pages + 1):
            items += self.list(inspection_id, number).data
        return items

    def from_template(self, inspection_id: str) -> Sequence[Item]:
        """Create the items of the reference image's template in a record without items. Raises Conflict."""
        answer = self._transport.call("POST", f"/inspection/{segment(inspection_id)}/items-from-template")
        return answer.data(list[Item])

    def from_record(self, inspection_id: str, other_id: str) -> Sequence[Item]:
        """Copy the items of another record to a record without items. Raises Conflict when it has items."""
        path = f"/inspection/{segment(inspection_id)}/items-from/{segment(other_id)}"
        return self._transport.call("POST", path).data(list[Item])

    def arrange(self, inspection_id: str, item_ids: Sequence[str]) -> Sequence[str]:
        """Put these items of a record first, in this order. Returns the IDs of all its items in their order.

        Raises NotFound, Conflict when the record is sealed.
        """
        path, body = f"/inspection/{segment(inspection_id)}/item-order", ItemOrderSet(item_ids=list(item_ids))
        return self._transport.call("PUT", path, body=body).data(list[str])

    def set_verdict(
        self, item_id: str, verdict: Verdict, reason: str | None = None, etag: str | None = None
    ) -> Versioned[Item]:
        """Set the verdict of the user. Returns the item with the new result entry.

        Raises NotFound, Stale when `etag` is given and is not the newest.
        """
        path, body = (
            f"/inspection_item/{segment(item_id)}/verdict",
            VerdictSet(verdict=verdict, reason=reason),
        )
        return self._transport.call("POST", path, body=body, etag=etag).versioned(Item)

    def correct(
        self, item_id: str, of_version: int, boxes: Sequence[Mapping[str, Any]], etag: str | None = None
    ) -> Versioned[Item]:
        """Replace the findings of a version by `boxes`. Returns the item with the new result entry.

        Each box is a `CorrectedBox` as JSON. Raises NotFound, Conflict when there is no such version, Stale
        when `etag` is given and is not the newest.
        """
        body = BoxesSet.model_validate({"of_version": of_version, "boxes": list(boxes)})
        path = f"/inspection_item/{segment(item_id)}/boxes"
        return self._transport.call("POST", path, body=body, etag=etag).versioned(Item)

    def history(self, item_id: str, limit: int = 20) -> Sequence[HistoryEntry]:
        """The results of earlier inspections at the item's place, newest first; at most `limit` (1..100).

        Raises NotFound.
        """
        path = f"/inspection_item/{segment(item_id)}/history"
        return self._transport.get(path, list[HistoryEntry], query={"limit": limit})

    def trend(self, item_id: str, limit: int = 50) -> Trend:
        """The inspections of the item's place, oldest first; the newest `limit` (1..200). Raises NotFound."""
        path = f"/inspection_item/{segment(item_id)}/trend"
        return self._transport.get(path, Trend, query={"limit": limit})

    def memory(self, item_id: str) -> MemoryState:
        """The memory of the item's region with its photos, newest first. Raises NotFound."""
        return self._transport.get(f"/inspection_item/{segment(item_id)}/memory", MemoryState)

    def change_memory(self, item_id: str, change: MemoryChange) -> MemoryState:
        """Change the fields that are set in `change`. Returns the changed memory.

        Raises NotFound, Forbidden when the role does not allow it (`can_change`, `can_require`).
        """
        path = f"/inspection_item/{segment(item_id)}/memory"
        return self._transport.call("PUT", path, body=change).data(MemoryState)

    def photos(self, item_id: str) -> Sequence[Photo]:
        """The photos of an item."""
        return self._transport.get(f"/inspection_item/{segment(item_id)}/photos", list[Photo])

    def record_photos(self, inspection_id: str) -> Sequence[Photo]:
        """The photos of all items of a record. Raises NotFound."""
        return self._transport.get(f"/inspection/{segment(inspection_id)}/photos", list[Photo])

    def add_photo(
        self, item_id: str, file_id: str, key: str | None = None, *, refuse_used: bool = False
    ) -> Photo:
        """Add an uploaded file as the newest photo of the item.

        A repeated call with the same `key` does not add a second photo. Raises NotFound when the item or the
        file does not exist, Invalid when the key was used with another file, Conflict when the file is the
        reference file and, with `refuse_used`, with the code `photo_used` when another record has the photo.
        """
        body = PhotoAdd(file_id=file_id, refuse_used=refuse_used)
        path = f"/inspection_item/{segment(item_id)}/photos"
        return self._transport.call("POST", path, body=body, key=key).data(Photo)

    def delete_photo(self, item_id: str, photo_id: str) -> None:
        """Remove a photo from the item. The file is not deleted."""
        self._transport.call("DELETE", f"/inspection_item/{segment(item_id)}/photos/{segment(photo_id)}")

    def detect(self, item_id: str, wait: float = 0.0) -> Job:
        """Start a detection for the item, and wait up to `wait` seconds for its end; 0 does not wait."""
        path, query = f"/inspection_item/{segment(item_id)}/detect", {"wait": wait or None}
        return self._transport.call("POST", path, query=query, seconds=wait + 30).data(Job)
