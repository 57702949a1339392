"""Keeps the registry of detection models and adds new ones."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from sqlalchemy import bindparam
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from service.account.store import names_with_usernames
from service.changes import ObjectChange, announce
from service.db import statements
from service.db.database import Database, now
from service.db.statements import ResultRow
from service.detection.compute.compute_process import check_model, run_once
from service.detection.failure import MESSAGES, MODEL_MESSAGES, BadModel
from service.detection.messages import Request
from service.detection.onnx.settings import ACTIVATIONS, DetectorSettings, object_labels
from service.detection.rules import BackboneFacts, ModelFacts
from service.detection.tables import ModelRow
from service.settings import Settings
from service.stores.contents import IncomingContent, model_contents
from service.stores.port import PIECE
from service.web import etags
from service.web.envelope import Problem
from shared.limits import MAX_MODEL_BYTES
from shared.record import content
from shared.record.codes import ErrorCode
from shared.record.entries import EntryBox
from shared.wire.detection import (
    REFERENCE_DIFFERENCE,
    DetectionModel,
    ModelKind,
    ModelTrial,
    ModelUpdate,
    ModelVersion,
    TrialBox,
)
from shared.wire.text import fill


def no_model() -> Problem:
    """The problem of a model that does not exist."""
    return Problem(404, ErrorCode.NOT_FOUND, "检测模型不存在")


_MODEL = select_columns(*ModelRow.__table__.c).where(ModelRow.__table__.c.model_id == bindparam("model_id"))


def stored_model(session: Session, model_id: str) -> ModelFacts | None:
    """The facts of a stored model; None if there is none."""
    rows = statements.run(session.connection(), _MODEL, {"model_id": model_id})
    return model_facts(rows[0]) if rows else None


def backbone_in_use(session: Session) -> BackboneFacts | None:
    """The newest enabled backbone that was added; None for the built-in one."""
    query = select(ModelRow).where(ModelRow.kind == str(ModelKind.BACKBONE), col(ModelRow.enabled))
    newest = session.exec(query.order_by(col(ModelRow.created_at).desc(), col(ModelRow.model_id))).first()
    return None if newest is None else BackboneFacts(str(newest.sha256), newest.settings)


def model_facts(row: ModelRow | ResultRow) -> ModelFacts:
    """The facts of a model that a detection needs."""
    return ModelFacts(
        name=row.name,
        kind=row.kind,
        version=row.version,
        sha256=row.sha256,
        labels=row.labels,
        settings=row.settings,
        enabled=row.enabled,
    )


def wire(row: ModelRow, names: Mapping[str, str]) -> DetectionModel:
    """Convert a row to the model of the catalogue."""
    return DetectionModel(
        model_id=row.model_id,
        model_name=row.name,
        model_description=row.description,
        kind=ModelKind(row.kind),
        version=row.version,
        sha256=row.sha256,
        size=row.size,
        labels=row.labels,
        settings=row.settings,
        enabled=row.enabled,
        added_by=row.added_by,
        added_by_name=names.get(row.added_by or ""),
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


class Models:
    """The models of a service. The file of a model never changes: the same name again is a new version."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._contents = model_contents(settings)
        # Only one check runs at a time, because each opens a whole model.
        self._checks = ThreadPoolExecutor(1, thread_name_prefix="model-check")

    def close(self) -> None:
        """Release the thread."""
        self._checks.shutdown(wait=True, cancel_futures=True)
        self._contents.close()

    def path(self, sha256: str) -> Path:
        """The file of a model on this machine. Raises FileNotFoundError when it is lost, and
        StoreUnavailableError."""
        return self._contents.path(sha256)

    def stored_hash(self, sha256: str) -> str | None:
        """The SHA-256 of the model's file that is stored as `sha256`; None when there is none."""
        return self._contents.stored_hash(sha256)

    async def every(self) -> list[DetectionModel]:
        """All models, the built-in one first, then the newest."""

        def read(session: Session) -> list[DetectionModel]:
            rows = session.exec(
                select(ModelRow).order_by(col(ModelRow.created_at).desc(), col(ModelRow.model_id))
            ).all()
            names = names_with_usernames(session, {row.added_by for row in rows if row.added_by})
            first = sorted(rows, key=lambda row: row.model_id != REFERENCE_DIFFERENCE)
            return [wire(row, names) for row in first]

        return await self._database.read(read)

    async def one(self, model_id: str) -> DetectionModel:
        """A model. Raises Problem 404."""
        return await self._database.read(lambda session: self._to_wire(session, _get(session, model_id)))

    def _to_wire(self, session: Session, row: ModelRow) -> DetectionModel:
        return wire(row, names_with_usernames(session, {row.added_by} if row.added_by else ()))

    async def update(
        self, model_id: str, changed: ModelUpdate, if_match: str | None, actor: str, address: str
    ) -> DetectionModel:
        """Rename, describe, enable or disable a model.

        Raises Problem 404, 409 if the name is taken, and 412 if `if_match` is stale.
        """

        def write(session: Session) -> DetectionModel:
            row = _get(session, model_id, for_update=True)
            before = self._to_wire(session, row)
            etags.require_match(
                if_match,
                etag(before),
                lambda: {"current": before.model_dump(mode="json")},
                "检测模型已被其他用户修改，请查看最新内容后重新保存",
            )
            fields = changed.model_dump(exclude_unset=True)
            name = fields.get("model_name")
            if name is not None and name != row.name:
                taken = select(ModelRow.model_id).where(ModelRow.name == name)
                if session.exec(taken).first() is not None:
                    raise Problem(409, ErrorCode.CONFLICT, "已存在同名的检测模型，请使用其他名称")
                row.name = name
            if "model_description" in fields:
                row.description = fields["model_description"]
            if fields.get("enabled") is not None:
                row.enabled = fields["enabled"]
            row.updated_at = now()
            announce(
                session, ObjectChange("update", "model", model_id, actor, address, {"fields": sorted(fields)})
            )
            return self._to_wire(session, row)

        return await self._database.write(write)

    async def add(
        self,
        path: Path,
        name: str,
        description: str | None,
        kind: ModelKind | None,
        overrides: Mapping[str, Any],
        labels: list[str] | None,
        actor: str | None,
        address: str | None = None,
    ) -> DetectionModel:
        """Check the file at `path` and add it.

        Raises Problem 413 and 422. If the kind is in question, the details name the possible `kinds`.
        """
        work = asyncio.get_running_loop().run_in_executor
        return await work(
            self._checks, self.add_now, path, name, description, kind, dict(overrides), labels, actor, address
        )

    def add_now(
        self,
        path: Path,
        name: str,
        description: str | None,
        kind: ModelKind | None,
        overrides: dict[str, Any],
        labels: list[str] | None,
        actor: str | None,
        address: str | None = None,
    ) -> DetectionModel:
        """`add` on this thread, for callers without a loop."""
        size = path.stat().st_size
        if size > MAX_MODEL_BYTES:
            msg = fill("模型文件过大，上限为 {limit} MB", limit=MAX_MODEL_BYTES // 2**20)
            raise Problem(413, ErrorCode.TOO_LARGE, msg, limit=MAX_MODEL_BYTES)
        try:
            with tempfile.TemporaryDirectory() as folder:
                # In an empty folder the model cannot read other files that it names.
                alone = Path(folder) / "model.onnx"
                shutil.copyfile(path, alone)
                checked = check_model(alone, kind, overrides, len(labels or ()))
                incoming = self._keep(alone)
        except BadModel as error:
            fields = [{"field": "file", "type": error.code, "message": str(error)}]
            raise Problem(
                422,
                ErrorCode.INVALID_INPUT,
                str(error),
                fields=fields,
                reason=error.code,
                kinds=error.kinds,
                counts=error.counts,
                activations=list(ACTIVATIONS) if error.code == "activation_unknown" else [],
            ) from error

        def write(session: Session) -> DetectionModel:
            row = ModelRow(
                name=name,
                description=description,
                kind=checked["kind"],
                version=_next_version(session, name),
                sha256=incoming.sha256,
                size=size,
                labels=object_labels(labels or [], checked["settings"]["first_class"]) or checked["labels"],
                settings=checked["settings"],
                enabled=True,
                added_by=actor,
            )
            return self._insert(session, row, actor, address)

        try:
            added = self._database.write_now(write)
            self._contents.ensure(incoming)
            return added
        finally:
            incoming.discard()

    async def try_picture(self, model_id: str, picture: Path) -> ModelTrial:
        """What the model finds in `picture`. Nothing is stored.

        Raises Problem 404, 409 for a model that needs a reference image, and 422 for a picture or a model
        that cannot be used.
        """
        row = await self._database.read(lambda session: model_facts(_get(session, model_id)))
        if row.sha256 is None or row.kind == ModelKind.BACKBONE:
            raise Problem(409, ErrorCode.CONFLICT, "该模型需要参考图，不能用单张图片试用")
        request = Request(
            kind=row.kind,
            photo=str(picture),
            model=str(self.path(row.sha256)),
            sha256=row.sha256,
            labels=tuple(row.labels),
            settings=row.settings,
        )
        answer = await asyncio.get_running_loop().run_in_executor(self._checks, run_once, request)
        if answer["event"] != "done":
            code = answer["error"] if answer["event"] == "failed" else "internal"
            raise Problem(422, ErrorCode.INVALID_INPUT, MESSAGES[code], reason=code)
        boxes = [
            TrialBox(label=box["label"], confidence=box["confidence"], **_sides(box))
            for box in answer["boxes"]
        ]
        return ModelTrial(
            width=answer["width"],
            height=answer["height"],
            boxes=boxes,
            passed=answer["passed"],
            seconds=answer["seconds"],
        )

    async def supersede(
        self, model_id: str, changed: ModelVersion, actor: str, address: str
    ) -> DetectionModel:
        """Create the next version of a model: the same file with other settings or labels.

        Raises Problem 404, 409 for the built-in model, and 422 for invalid settings.
        """

        def write(session: Session) -> DetectionModel:
            before = _get(session, model_id)
            if before.sha256 is None:
                msg = "内置模型没有可修改的参数，请在检查项中设置灵敏度、最小缺陷尺寸和忽略区域"
                raise Problem(409, ErrorCode.CONFLICT, msg)
            labels = changed.labels
            if labels is not None:
                labels = object_labels(labels, before.settings.get("first_class", 0))
            if labels is not None and 0 < len(before.labels) != len(labels):
                # Labels belong to classes by their order: one too few would hide a class.
                raise invalid_input("labels_mismatch")
            # The file was checked with this size of its input.
            fixed = {key: before.settings[key] for key in ("width", "height")}
            try:
                settings = DetectorSettings.model_validate({**before.settings, **changed.settings, **fixed})
            except ValueError as error:
                raise invalid_input("settings_wrong") from error
            row = ModelRow(
                name=before.name,
                description=before.description,
                kind=before.kind,
                version=_next_version(session, before.name),
                sha256=before.sha256,
                size=before.size,
                labels=before.labels if labels is None else labels,
                settings=settings.model_dump(),
                enabled=True,
                added_by=actor,
            )
            return self._insert(session, row, actor, address)

        return await self._database.write(write)

    def _insert(
        self, session: Session, row: ModelRow, actor: str | None, address: str | None
    ) -> DetectionModel:
        session.add(row)
        session.flush()
        details = {"name": row.name, "version": row.version, "sha256": row.sha256}
        announce(session, ObjectChange("create", "model", row.model_id, actor, address, details))
        return self._to_wire(session, row)

    def _keep(self, file: Path) -> IncomingContent:
        """Store the file where `path` finds it, whole or not at all."""
        incoming = self._contents.new_incoming()
        try:
            with file.open("rb") as source:
                while piece := source.read(PIECE):
                    incoming.write(piece)
            incoming.finish()
            self._contents.keep(incoming)
        except BaseException:
            incoming.discard()
            raise
        return incoming


def _sides(box: EntryBox) -> dict[str, float]:
    points = box["points"]
    x, y = points["x1"], points["y1"]
    return {"x": x, "y": y, "w": points["x2"] - x, "h": points["y2"] - y}


def list_models(database: Database) -> list[DetectionModel]:
    """All models, oldest first, for callers without a loop."""
    oldest = select(ModelRow).order_by(col(ModelRow.created_at), col(ModelRow.model_id))
    return database.read_now(lambda session: [wire(row, {}) for row in session.exec(oldest)])


def invalid_input(code: str) -> Problem:
    """A form field of an upload is wrong."""
    return Problem(422, ErrorCode.INVALID_INPUT, MODEL_MESSAGES[code], reason=code)


def _next_version(session: Session, name: str) -> int:
    rows = session.exec(select(ModelRow.version).where(ModelRow.name == name).with_for_update())
    return max(rows, default=0) + 1


def etag(model: DetectionModel) -> str:
    """The ETag of a model: a hash of what can be changed in place."""
    changeable = model.model_dump_json(include={"model_name", "model_description", "enabled"})
    return etags.content_etag(content.sha256(changeable.encode())[:32])


def _get(session: Session, model_id: str, *, for_update: bool = False) -> ModelRow:
    row = session.get(ModelRow, model_id, with_for_update=for_update)
    if row is None:
        raise no_model()
    return row
