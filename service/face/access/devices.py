"""Allows devices for face logins by a random token, which the device stores."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from sqlalchemy import func
from sqlmodel import Session, col, select

from service.changes import ObjectChange, announce
from service.db.database import Database, now
from service.face.access.stations import policy
from service.face.tables import FaceDevice
from service.web.envelope import Problem
from shared.ids import new_id
from shared.record.codes import ErrorCode
from shared.wire.face import MAX_DEVICES, Device, NewDevice

DEVICE_NOT_ALLOWED = "device_not_allowed"
NOT_ALLOWED_MESSAGE = "管理员未允许在此设备上使用人脸登录，请使用密码登录，或联系管理员"
# The time of the last use of a device is not written more often than this.
_USE_PRECISION = timedelta(hours=1)


class Devices:
    """The devices that an administrator has allowed."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list_all(self) -> list[Device]:
        """Return every device, by name."""

        def read(session: Session) -> list[Device]:
            rows = session.exec(select(FaceDevice).order_by(col(FaceDevice.name), col(FaceDevice.device_id)))
            return [_to_device(row) for row in rows]

        return await self._database.read(read)

    async def allow(self, name: str, actor: str, address: str) -> NewDevice:
        """Allow a device; return it with its token, which is not stored. Raises Problem 409 for too many."""
        token = secrets.token_urlsafe(32)

        def write(session: Session) -> NewDevice:
            if (session.exec(select(func.count()).select_from(FaceDevice)).first() or 0) >= MAX_DEVICES:
                raise Problem(409, ErrorCode.CONFLICT, "允许的设备数量已达上限，请先移除不再使用的设备")
            row = FaceDevice(device_id=new_id(), name=name, token_hash=_hash(token), allowed_at=now())
            session.add(row)
            session.flush()
            _announce(session, "create", row, actor, address)
            return NewDevice(**_to_device(row).model_dump(), token=token)

        return await self._database.write(write)

    async def rename(self, device_id: str, name: str, actor: str, address: str) -> Device:
        """Rename a device. Raises Problem 404."""

        def write(session: Session) -> Device:
            row = _get_row(session, device_id)
            if row.name != name:
                row.name = name
                session.add(row)
                _announce(session, "update", row, actor, address)
            return _to_device(row)

        return await self._database.write(write)

    async def end(self, device_id: str, actor: str, address: str) -> None:
        """Remove a device; its token becomes invalid. Raises Problem 404."""

        def write(session: Session) -> None:
            row = _get_row(session, device_id)
            session.delete(row)
            _announce(session, "delete", row, actor, address)

        await self._database.write(write)

    async def check(self, token: str) -> None:
        """Raise Problem 403 if the policy requires an allowed device and `token` belongs to none."""

        def read(session: Session) -> bool:
            return not policy(session).allowed_devices_only or _find_by_token(session, token) is not None

        if not await self._database.read(read):
            raise Problem(403, DEVICE_NOT_ALLOWED, NOT_ALLOWED_MESSAGE)

    async def mark_used(self, token: str) -> None:
        """Store that the device of `token` was used for a login; does nothing for an unknown token."""
        if not token:
            return
        moment = now()
        device = await self._database.read(lambda session: _find_by_token(session, token))
        if device is None or (
            device.last_used_at is not None and moment - device.last_used_at < _USE_PRECISION
        ):
            return

        def write(session: Session) -> None:
            row = _find_by_token(session, token)
            if row is not None:
                row.last_used_at = moment
                session.add(row)

        await self._database.write(write)


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _find_by_token(session: Session, token: str) -> FaceDevice | None:
    if not token:
        return None
    return session.exec(select(FaceDevice).where(FaceDevice.token_hash == _hash(token))).first()


def _get_row(session: Session, device_id: str) -> FaceDevice:
    row = session.get(FaceDevice, device_id, with_for_update=True)
    if row is None:
        raise Problem(404, ErrorCode.NOT_FOUND, "设备不存在或已移除，请刷新列表")
    return row


def _to_device(row: FaceDevice) -> Device:
    return Device(
        device_id=row.device_id, name=row.name, allowed_at=row.allowed_at, last_used_at=row.last_used_at
    )


def _announce(session: Session, action: str, row: FaceDevice, actor: str, address: str) -> None:
    announce(session, ObjectChange(action, "face_device", row.device_id, actor, address, {"name": row.name}))
