"""Implements the use cases of phones: codes, photos in parts, the phone's view and its network access."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from sqlmodel import Session

from service.account.service import AccountService
from service.db.database import Database, now
from service.detection.service import DetectionService
from service.exception_trace import trace_of
from service.files.service import FilesService
from service.inspection.service import InspectionService
from service.phone.codes import PhoneCodes, PhoneConnection
from service.phone.facts import ItemFacts, item_facts, record_facts
from service.phone.network_access import NetworkAccess, PhoneNetworkAddress, phone_network_address
from service.phone.uploads import PhoneUploads
from service.settings import Settings
from service.tls import CertificateError
from service.web.envelope import Problem
from service.web.security import Caller
from shared.record.codes import ErrorCode
from shared.wire.phone import NewPhoneCode, PhoneClaim, PhoneCodeCreate, PhoneItem, PhoneView

PICTURE_SIDE = 320
"""Side of the picture of an item's region in pixels, for a list on a screen with a pixel ratio of 3."""

log = logging.getLogger("walkaround.phone")


class PhoneService:
    """The use cases of phones on one database; `stop` ends the listener for phones."""

    def __init__(
        self,
        database: Database,
        settings: Settings,
        account: AccountService,
        files: FilesService,
        inspection: InspectionService,
        detection: DetectionService,
    ) -> None:
        self._database = database
        self._settings = settings
        self._files = files
        self._inspection = inspection
        self.codes = PhoneCodes(database, account)
        self.uploads = PhoneUploads(database, self.codes, files, inspection, detection)
        self.network_access = NetworkAccess(self.codes.has_valid)

    async def stop(self) -> None:
        """Stop the listener for phones."""
        await self.network_access.close()

    async def create(
        self, body: PhoneCodeCreate, caller: Caller, server: tuple[str, int] | None
    ) -> NewPhoneCode:
        """Create a code; return it with the addresses at which phones reach this service.

        `server` is the host and port that answered the request. Raises the Problems of `PhoneCodes.create`,
        403 if another machine asks to open the network, and 503 if the network cannot be opened.
        """
        if body.open_network and not caller.is_local:
            raise Problem(
                *(403, ErrorCode.PERMISSION_MISSING),
                "只有运行服务的计算机才能向局域网开放手机拍照，请在那台计算机上操作",
            )
        code, token = await self.codes.create(body, caller)
        if body.open_network:
            await self._open_network(code.code_id, caller)
        listener = self.network_access.listener
        place: PhoneNetworkAddress = await asyncio.to_thread(
            phone_network_address, self._settings, server, listener
        )
        return NewPhoneCode(
            **code.model_dump(),
            token=token,
            addresses=place.addresses,
            fingerprint=place.fingerprint,
            can_open_network=self.network_access.start_listener is not None and listener is None,
        )

    async def _open_network(self, code_id: str, caller: Caller) -> None:
        try:
            await self.network_access.open()
        except (OSError, CertificateError) as problem:
            log.error("cannot listen for phones in the local network: %s", trace_of(problem))
            await self.codes.end(code_id, caller)
            raise Problem(
                *(503, ErrorCode.UNAVAILABLE),
                "无法向局域网开放手机拍照，请检查网络连接和防火墙后重试",
            ) from problem

    # The phone's side

    async def claim(self, body: PhoneClaim, address: str, agent: str) -> PhoneView:
        """Connect a phone. Raises the Problems of `PhoneCodes.claim`."""
        return await self.view(await self.codes.claim(body, address, agent))

    async def view(self, phone: PhoneConnection) -> PhoneView:
        """Return the view of the phone: the record, its items and the uploads."""
        code = phone.code

        def work(session: Session) -> PhoneView:
            facts = record_facts(session, code.inspection_id, None)
            items = list(self._find_items(session, phone).values())
            return PhoneView(
                code_id=code.code_id,
                inspection_id=code.inspection_id,
                record_name=None if facts is None else facts.name,
                made_by_name=phone.caller.display_name,
                item_id=code.item_id,
                seconds_left=max(0, int((code.expires_at - now()).total_seconds())),
                items=[
                    PhoneItem(
                        item_id=item.item_id,
                        item_name=item.item_name,
                        photos=item.photos,
                        has_picture=item.region is not None,
                    )
                    for item in items
                ],
                uploads=self.uploads.list_uploads(session, code.code_id),
            )

        return await self._database.read(work)

    async def picture(self, phone: PhoneConnection, item_id: str) -> bytes:
        """Return a JPEG of an item's region.

        Raises Problem 404 if the item is unknown or has no region, 415 if the image cannot be read.
        """
        items: Mapping[str, ItemFacts] = await self._database.read(
            lambda session: self._find_items(session, phone)
        )
        item = items.get(item_id)
        if item is None or item.reference is None or item.region is None:
            raise Problem(404, ErrorCode.NOT_FOUND, "检查项没有参考图区域")
        return await self._files.region_picture(item.reference, item.region, PICTURE_SIDE)

    def _find_items(self, session: Session, phone: PhoneConnection) -> dict[str, ItemFacts]:
        """Return the items that the code is for, by id."""
        inspection_id = phone.code.inspection_id
        items = item_facts(session, inspection_id, self._inspection.item_regions(session, inspection_id))
        item_id: Any = phone.code.item_id
        return {item.item_id: item for item in items if item_id in (None, item.item_id)}
