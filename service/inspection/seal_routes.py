"""Routes finished records: release, reopening, editions, the seal and its check."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from service.inspection.rules import json_text
from service.inspection.service import InspectionService
from service.web.envelope import failures
from service.web.security import Caller, require
from shared.record.codes import Permission
from shared.wire.common import Envelope, Id
from shared.wire.seal import (
    MAX_SUMMARIES,
    Edition,
    EditionContent,
    InspectionPolicy,
    RecordRelease,
    RecordReopen,
    RecordSeal,
    RecordUsers,
    SealCheck,
)

_IdPath = Annotated[Id, Path()]

RELEASED = "检查记录已复核"
REOPENED = "检查记录已解除封存"
INTACT = "校验通过：记录与封存时一致"
DIFFERS = "校验未通过：记录与封存时不一致"
POLICY_CHANGED = "完成记录的规则已更新"


def add_seal_routes(routes: APIRouter, service: InspectionService) -> None:
    """Add the operations to `routes`."""
    _add_state_routes(routes, service)
    _add_change_routes(routes, service)
    _add_policy_routes(routes, service)


def _add_state_routes(routes: APIRouter, service: InspectionService) -> None:
    editions = service.editions

    @routes.get("/inspection/summaries", tags=["inspection"])
    async def summaries(
        ids: Annotated[
            list[Id],
            Query(min_length=1, max_length=MAX_SUMMARIES, description="The records, `ids=a&ids=b`"),
        ],
        _caller: Caller = require(Permission.INSPECTION_READ),
    ) -> Envelope[list[RecordSeal]]:
        """Return state and counters of several records in the order of their IDs, without unknown IDs."""
        return Envelope(data=await editions.summaries(ids))

    @routes.get("/inspection/{inspection_id}/seal", tags=["inspection"], responses=failures(404))
    async def record_seal(
        inspection_id: _IdPath, _caller: Caller = require(Permission.INSPECTION_READ)
    ) -> Envelope[RecordSeal]:
        """Return whether the record is open, finished, awaiting release or reopened, with counters and
        outcome.
        """
        return Envelope(data=await editions.seal(inspection_id))

    @routes.get("/inspection/{inspection_id}/users", tags=["inspection"], responses=failures(404))
    async def record_users(
        inspection_id: _IdPath, _caller: Caller = require(Permission.INSPECTION_READ)
    ) -> Envelope[RecordUsers]:
        """Return the users that the record names, and changes of their full names around its time."""
        return Envelope(data=await service.people.users(inspection_id))

    @routes.get("/inspection/{inspection_id}/seal/verify", tags=["inspection"], responses=failures(404, 409))
    async def verify_seal(
        inspection_id: _IdPath, _caller: Caller = require(Permission.INSPECTION_READ)
    ) -> Envelope[SealCheck]:
        """Compare the database, the stored files and the audit log with what was sealed.

        The answer names every difference with its place in the content. 409 for a record that was never
        finished.
        """
        check = await service.seal_checks.check(inspection_id)
        return Envelope(data=check, msg=INTACT if check.intact else DIFFERS)

    @routes.get("/inspection/{inspection_id}/editions", tags=["inspection"], responses=failures(404))
    async def list_editions(
        inspection_id: _IdPath, _caller: Caller = require(Permission.INSPECTION_READ)
    ) -> Envelope[list[Edition]]:
        """Return the sealed editions of a record, oldest first, also of a deleted record."""
        return Envelope(data=await editions.list_editions(inspection_id))

    @routes.get(
        "/inspection/{inspection_id}/editions/{edition}",
        tags=["inspection"],
        response_model=Envelope[EditionContent],
        responses=failures(404),
    )
    async def get_edition(
        inspection_id: _IdPath,
        edition: Annotated[int, Path(ge=1, le=2**31 - 1)],
        _caller: Caller = require(Permission.INSPECTION_READ),
    ) -> Response:
        """Return an edition with its content, as JSON and as the canonical text whose SHA-256 is the seal."""
        stored, canonical = await editions.content(inspection_id, edition)
        # The content as it was sealed: nothing of it is decoded and written in another way.
        body = f'{stored.model_dump_json()[:-1]},"content":{canonical},"canonical":{json_text(canonical)}}}'
        return Response(f'{{"code":0,"data":{body},"msg":null}}', media_type="application/json")


def _add_change_routes(routes: APIRouter, service: InspectionService) -> None:
    editions = service.editions

    @routes.post("/inspection/{inspection_id}/reopen", tags=["inspection"], responses=failures(404, 409, 413))
    async def reopen(
        inspection_id: _IdPath, body: RecordReopen, caller: Caller = require(Permission.INSPECTION_REOPEN)
    ) -> Envelope[RecordSeal]:
        """Reopen a sealed record for changes. Its edition stays, and the next finish creates another one."""
        return Envelope(data=await editions.reopen(inspection_id, body.reason, caller), msg=REOPENED)

    @routes.post(
        "/inspection/{inspection_id}/release", tags=["inspection"], responses=failures(404, 409, 413)
    )
    async def release(
        inspection_id: _IdPath, body: RecordRelease, caller: Caller = require(Permission.INSPECTION_RELEASE)
    ) -> Envelope[RecordSeal]:
        """Release an edition as a second person, if the rules of the installation require it.

        403 for a user who finished the record or gave a verdict or a correction in it. 409 if the edition is
        not the newest or does not await release.
        """
        return Envelope(data=await editions.release(inspection_id, body.edition, caller), msg=RELEASED)


def _add_policy_routes(routes: APIRouter, service: InspectionService) -> None:
    editions = service.editions

    @routes.get("/inspection/policy", tags=["inspection"])
    async def inspection_policy(
        _caller: Caller = require(Permission.INSPECTION_READ),
    ) -> Envelope[InspectionPolicy]:
        """Return the rules of this installation for finishing records."""
        policy = await editions.policy()
        update = {"reason_characters": service.items.reason_characters}
        return Envelope(data=policy.model_copy(update=update))

    @routes.put("/inspection/policy", tags=["inspection"], responses=failures(413))
    async def set_inspection_policy(
        body: InspectionPolicy,
        caller: Caller = require(Permission.SETTINGS_MANAGE, recent_password=True),
    ) -> Envelope[InspectionPolicy]:
        """Change the rules for records that are finished later. Requires a recent password login."""
        policy = await editions.set_policy(body, caller)
        update = {"reason_characters": service.items.reason_characters}
        return Envelope(data=policy.model_copy(update=update), msg=POLICY_CHANGED)
