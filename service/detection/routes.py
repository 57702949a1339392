"""Routes detection jobs, batches, models and labels."""

import json
import shutil
import tempfile
from pathlib import Path as FilePath
from typing import Annotated, Any

import anyio
from fastapi import APIRouter, File, Form, Path, Query, Response, UploadFile
from pydantic.json_schema import SkipJsonSchema

from service.detection.models.registry import etag, invalid_input
from service.detection.onnx.settings import parse_settings
from service.detection.service import DetectionService
from service.web.envelope import Problem, failures
from service.web.etags import IfMatch
from service.web.routing import api_router
from service.web.security import Caller, require
from shared.limits import MAX_LABEL, MAX_LABELS, MAX_MODEL_BYTES, MAX_TRIAL_PICTURE_BYTES
from shared.record.codes import ErrorCode, Permission
from shared.wire.common import Envelope, Id, LongText, OptionalId, OptionalText, RequiredName
from shared.wire.detection import (
    Batch,
    BatchCreate,
    DetectionModel,
    Job,
    JobState,
    LabelSeverities,
    LabelSeverity,
    ModelKind,
    ModelTrial,
    ModelUpdate,
    ModelVersion,
)
from shared.wire.text import fill

IdPath = Annotated[Id, Path()]
_LABELS = f"JSON list of label names, {MAX_LABELS} at most, of {MAX_LABEL} characters at most"
Wait = Annotated[float, Query(ge=0, le=60, description="Seconds to wait for the end of the job")]


def router(service: DetectionService) -> APIRouter:
    """The routes of this domain."""
    routes = api_router(tags=["detection"], responses=failures(401, 403, 422))
    _jobs(routes, service)
    _batches(routes, service)
    _models(routes, service)
    _labels_of_findings(routes, service)
    return routes


def _jobs(routes: APIRouter, service: DetectionService) -> None:
    @routes.post("/inspection_item/{item_id}/detect", responses=failures(404, 409))
    async def detect_item(
        item_id: IdPath, wait: Wait = 0, caller: Caller = require(Permission.INSPECTION_ITEM_UPDATE)
    ) -> Envelope[Job]:
        """Run detection on the item's newest photo. If the item already has an open job, that job is
        returned.
        """
        return Envelope(data=await service.detect_item(item_id, caller, wait), msg="检测任务已提交")

    @routes.post("/inspection/{inspection_id}/detect", responses=failures(404, 409))
    async def detect_record(
        inspection_id: IdPath,
        outdated: Annotated[bool, Query(description="Only items without a current result")] = False,
        caller: Caller = require(Permission.INSPECTION_ITEM_UPDATE),
    ) -> Envelope[list[Job]]:
        """Run detection on every undecided item of the record that has a model and a photo.

        A current result is a result of the newest photo by the current model of the item.
        """
        jobs = await service.detect_record(inspection_id, caller, outdated)
        return Envelope(data=jobs, msg="检测任务已提交")

    @routes.get("/detection/jobs", responses=failures(404))
    async def list_jobs(
        inspection_id: Annotated[OptionalId, Query()] = None,
        batch_id: Annotated[OptionalId, Query()] = None,
        state: Annotated[list[JobState] | None, Query()] = None,
        before: Annotated[Id | None, Query(description="ID of the last job of the previous page")] = None,
        _: Caller = require(Permission.INSPECTION_ITEM_READ),
    ) -> Envelope[list[Job]]:
        """Return at most 500 jobs, newest first, optionally of a record, of a batch or in some states."""
        jobs = await service.list_jobs(inspection_id, batch_id, state or (), before)
        return Envelope(data=list(jobs), msg="检测任务获取成功")

    @routes.get("/detection/jobs/{job_id}", responses=failures(404))
    async def get_job(job_id: IdPath, _: Caller = require(Permission.INSPECTION_ITEM_READ)) -> Envelope[Job]:
        """Return a job."""
        return Envelope(data=await service.job(job_id), msg="检测任务获取成功")

    @routes.post("/detection/jobs/{job_id}/cancel", responses=failures(404))
    async def cancel_job(
        job_id: IdPath, caller: Caller = require(Permission.INSPECTION_ITEM_UPDATE)
    ) -> Envelope[Job]:
        """Cancel a pending or running job."""
        return Envelope(data=await service.cancel(job_id, caller), msg="检测已取消")


def _batches(routes: APIRouter, service: DetectionService) -> None:
    @routes.post("/detection/batches", responses=failures(409, 413))
    async def create_batch(
        body: BatchCreate, caller: Caller = require(Permission.INSPECTION_ITEM_UPDATE)
    ) -> Envelope[Batch]:
        """Run detection on the items of open records that have a model and a photo and no finished result."""
        return Envelope(data=await service.detect_pending(body.inspection_ids, caller), msg="检测任务已提交")

    @routes.get("/detection/batches/{batch_id}", responses=failures(404))
    async def get_batch(
        batch_id: IdPath, _: Caller = require(Permission.INSPECTION_ITEM_READ)
    ) -> Envelope[Batch]:
        """Return the progress of a batch."""
        return Envelope(data=await service.batch(batch_id), msg="检测任务获取成功")

    @routes.post("/detection/batches/{batch_id}/cancel", responses=failures(404))
    async def cancel_batch(
        batch_id: IdPath, caller: Caller = require(Permission.INSPECTION_ITEM_UPDATE)
    ) -> Envelope[Batch]:
        """Cancel every pending or running job of a batch."""
        return Envelope(data=await service.cancel_batch(batch_id, caller), msg="检测已取消")

    @routes.post("/detection/batches/{batch_id}/retry", responses=failures(404, 409))
    async def retry_batch(
        batch_id: IdPath, caller: Caller = require(Permission.INSPECTION_ITEM_UPDATE)
    ) -> Envelope[Batch]:
        """Create a new batch of the items whose job failed or was cancelled."""
        return Envelope(data=await service.retry_batch(batch_id, caller), msg="检测任务已提交")


def _models(routes: APIRouter, service: DetectionService) -> None:
    models = service.models
    manage = require(Permission.MODEL_MANAGE, recent_password=True)

    @routes.get("/detection/models")
    async def list_models(
        _: Caller = require(Permission.INSPECTION_ITEM_READ),
    ) -> Envelope[list[DetectionModel]]:
        """Return all detection models, the built-in one first."""
        return Envelope(data=await models.every(), msg="检测模型获取成功")

    @routes.get("/detection/models/{model_id}", responses=failures(404))
    async def get_model(
        model_id: IdPath, response: Response, _: Caller = require(Permission.INSPECTION_ITEM_READ)
    ) -> Envelope[DetectionModel]:
        """Return a detection model with its ETag."""
        model = await models.one(model_id)
        response.headers["ETag"] = etag(model)
        return Envelope(data=model, msg="检测模型获取成功")

    @routes.put("/detection/models/{model_id}", responses=failures(404, 409, 412))
    async def update_model(
        model_id: IdPath,
        body: ModelUpdate,
        response: Response,
        if_match: IfMatch = None,
        caller: Caller = manage,
    ) -> Envelope[DetectionModel]:
        """Rename, describe, enable or disable a model. Requires a recent password login."""
        changed = await models.update(model_id, body, if_match, caller.user_id, caller.address)
        response.headers["ETag"] = etag(changed)
        return Envelope(data=changed, msg="检测模型更新成功")

    @routes.post("/detection/models/{model_id}/versions", responses=failures(404, 409, 413))
    async def supersede_model(
        model_id: IdPath, body: ModelVersion, caller: Caller = manage
    ) -> Envelope[DetectionModel]:
        """Create the next version of a model with other thresholds, pass rule or labels. The current one
        stays.

        Requires a recent password login.
        """
        version = await models.supersede(model_id, body, caller.user_id, caller.address)
        return Envelope(data=version, msg="检测模型添加成功")

    @routes.post("/detection/models/{model_id}/trial", responses=failures(404, 409, 413))
    async def try_model(
        model_id: IdPath,
        file: Annotated[
            UploadFile,
            File(description="a picture", json_schema_extra={"x-max-bytes": MAX_TRIAL_PICTURE_BYTES}),
        ],
        _: Caller = require(Permission.MODEL_MANAGE),
    ) -> Envelope[ModelTrial]:
        """Run a model on a picture and return its findings. Nothing is stored."""
        if (file.size or 0) > MAX_TRIAL_PICTURE_BYTES:
            msg = fill("图片过大，上限为 {limit} MB", limit=MAX_TRIAL_PICTURE_BYTES // 2**20)
            raise Problem(413, ErrorCode.TOO_LARGE, msg, limit=MAX_TRIAL_PICTURE_BYTES)
        with tempfile.TemporaryDirectory() as folder:
            path = FilePath(folder) / "picture"
            await anyio.to_thread.run_sync(_copy, file, path)
            return Envelope(data=await models.try_picture(model_id, path), msg="检测模型试用成功")

    @routes.post("/detection/models", responses=failures(413))
    async def add_model(
        file: Annotated[
            UploadFile,
            File(description="the ONNX file", json_schema_extra={"x-max-bytes": MAX_MODEL_BYTES}),
        ],
        model_name: Annotated[RequiredName, Form()],
        model_description: Annotated[OptionalText, Form()] = None,
        kind: Annotated[
            ModelKind | SkipJsonSchema[None], Form(description="recognised when left out")
        ] = None,
        labels: Annotated[LongText | None, Form(description=_LABELS)] = None,
        settings: Annotated[LongText | None, Form(description="JSON object of detector settings")] = None,
        caller: Caller = manage,
    ) -> Envelope[DetectionModel]:
        """Add an ONNX detector. Requires a recent password login. The same name creates the next version.

        If its outputs can be of several kinds, 422 names the `kinds` to choose from, after a trial run.
        """
        names, overrides = _labels(labels), _settings(settings)
        if (file.size or 0) > MAX_MODEL_BYTES:
            msg = fill("模型文件过大，上限为 {limit} MB", limit=MAX_MODEL_BYTES // 2**20)
            raise Problem(413, ErrorCode.TOO_LARGE, msg, limit=MAX_MODEL_BYTES)
        with tempfile.TemporaryDirectory() as folder:
            path = FilePath(folder) / "upload.onnx"
            await anyio.to_thread.run_sync(_copy, file, path)
            added = await models.add(
                path, model_name, model_description, kind, overrides, names, caller.user_id, caller.address
            )
        return Envelope(data=added, msg="检测模型添加成功")


def _labels_of_findings(routes: APIRouter, service: DetectionService) -> None:
    @routes.get("/detection/labels")
    async def list_labels(
        _: Caller = require(Permission.INSPECTION_ITEM_READ),
    ) -> Envelope[list[LabelSeverity]]:
        """Return the labels of findings that have a severity, by name."""
        return Envelope(data=await service.labels.every(), msg="标签获取成功")

    @routes.put("/detection/labels", responses=failures(413))
    async def update_labels(
        body: LabelSeverities, caller: Caller = require(Permission.MODEL_MANAGE, recent_password=True)
    ) -> Envelope[list[LabelSeverity]]:
        """Set the severity of later findings with these labels. Requires a recent password login.

        A finding keeps the severity that its label had when it was found.
        """
        changed = await service.labels.change(body.labels, caller.user_id, caller.address)
        return Envelope(data=changed, msg="标签更新成功")


def _copy(file: UploadFile, path: FilePath) -> None:
    with path.open("wb") as target:
        shutil.copyfileobj(file.file, target, 2**20)


def _labels(text: str | None) -> list[str] | None:
    if text is None:
        return None
    try:
        names = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise invalid_input("labels_wrong") from error
    short = isinstance(names, list) and len(names) <= MAX_LABELS
    if not short or not all(isinstance(name, str) and 0 < len(name) <= MAX_LABEL for name in names):
        raise invalid_input("labels_wrong")
    return list(names)


def _settings(text: str | None) -> dict[str, Any]:
    try:
        return {} if text is None else parse_settings(text)
    except ValueError as error:
        raise invalid_input("settings_wrong") from error
