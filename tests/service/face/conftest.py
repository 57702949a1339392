from __future__ import annotations

import asyncio
import base64
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from service.changes import ObjectChange
from service.db.database import Database
from service.db.schema import migrate
from service.face.engines.analysis import analyse
from service.face.engines.dlib_engine import DlibEngine
from service.face.engines.engine import EngineInfo, FaceEngine, PictureAnalysis, SequenceAnalysis, engine_info
from service.face.engines.messages import FilmedFrame
from service.face.engines.picture import decode, picture_bytes
from service.face.engines.sequence import film_frame, judge
from service.face.liveness.movements import Step
from service.face.packs.pack_store import install, load_engine
from service.face.service import FaceService
from service.settings import Settings
from shared.record.codes import Permission
from shared.samples import faces
from shared.wire.account import Tokens


def as_face_info(image: faces.Pixels, suffix: str = ".png") -> str:
    """The picture as raw Base64."""
    return base64.b64encode(faces.encode_picture(image, suffix)).decode()


@pytest.fixture(scope="session")
def dlib_engine() -> DlibEngine:
    return DlibEngine()


@pytest.fixture(scope="session")
def test_models() -> Path:
    """The folder of real model files, which do not belong to the project."""
    beside = Path(__file__).resolve().parents[4] / "shared" / "models"
    folder = Path(os.environ.get("WALKAROUND_TEST_MODELS", beside))
    if not (folder / "face_detection_yunet_2023mar.onnx").is_file():
        pytest.skip("no model files: name their folder in WALKAROUND_TEST_MODELS")
    return folder


@pytest.fixture(scope="session")
def open_engine(test_models: Path, tmp_path_factory: pytest.TempPathFactory) -> FaceEngine:
    packs = tmp_path_factory.mktemp("packs")
    return load_engine(install(test_models, packs).name, packs)


class SameProcess:
    """Analyses pictures in this process instead of one of its own, and remembers the results."""

    analyses: dict[tuple[str, int], PictureAnalysis] = {}  # noqa: RUF012 - shared by the tests of one run, to be quick

    def __init__(self, engine: FaceEngine, model_id: str | None = None) -> None:
        self.engine = engine
        self._info = engine_info(engine)
        if model_id is not None:
            self._info = replace(self._info, model_id=model_id)

    async def engine_info(self) -> EngineInfo:
        return self._info

    async def analyse(self, face_info: str) -> PictureAnalysis:
        # Others get their turn, as they do while the face process works.
        await asyncio.sleep(0)
        key = (self.engine.model_id, hash(face_info))
        if key not in self.analyses:
            self.analyses[key] = analyse(self.engine, decode(picture_bytes(face_info)))
        return self.analyses[key]

    async def judge(self, frames: Sequence[FilmedFrame], steps: Sequence[Step]) -> SequenceAnalysis:
        await asyncio.sleep(0)
        return judge(
            self.engine,
            [film_frame(each.face_info) for each in frames],
            [each.at_ms for each in frames],
            steps,
        )

    async def close(self) -> None:
        pass


@dataclass
class Setup:
    """A face service on its own database, with the account domain played by two sets."""

    service: FaceService
    database: Database
    settings: Settings
    disabled: set[str] = field(default_factory=set)
    logged_in: list[str] = field(default_factory=list)
    changes: list[ObjectChange] = field(default_factory=list)
    permissions: dict[str, frozenset[Permission]] = field(default_factory=dict)


def tokens_of(user_id: str) -> Tokens:
    fields: dict[str, Any] = {"access_token": f"token of {user_id}", "refresh_token": "r", "expires_in": 900}
    return Tokens.model_construct(**fields)


def migrated_database(url: str) -> Database:
    """A database with every table. Migrating takes a while, so all but the first are copies."""
    database = Database(url)
    target = Path(str(database.url.database))
    if not target.exists():
        if _TEMPLATE:
            target.write_bytes(_TEMPLATE[0])
        else:
            migrate(database)
            database.close()
            _TEMPLATE.append(target.read_bytes())
            database = Database(url)
    return database


_TEMPLATE: list[bytes] = []


def open_setup(
    folder: Path, engine: FaceEngine, model_id: str | None = None, database: Database | None = None
) -> Setup:
    settings = Settings(data_dir=folder)
    settings.prepare()
    database = database or migrated_database(settings.url.render_as_string(hide_password=False))

    async def log_in(user_id: str, _address: str, _user_agent: str) -> Tokens:
        opened.logged_in.append(user_id)
        return tokens_of(user_id)

    async def may_log_in(user_id: str) -> bool:
        return user_id not in opened.disabled

    async def permissions(user_id: str) -> frozenset[Permission]:
        return opened.permissions.get(user_id, frozenset())

    service = FaceService(
        database,
        settings,
        log_in=log_in,
        may_log_in=may_log_in,
        permissions=permissions,
        face_client=SameProcess(engine, model_id),
    )
    opened = Setup(service, database, settings)
    database.before_commit.append(lambda _session, changes: opened.changes.extend(changes))
    return opened


@pytest.fixture
def setup(tmp_path: Path, dlib_engine: DlibEngine, monkeypatch: pytest.MonkeyPatch) -> Iterator[Setup]:
    monkeypatch.setattr("service.face.logins.FAILURE_SECONDS", 0.001)
    opened = open_setup(tmp_path, dlib_engine)
    yield opened
    opened.database.close()
