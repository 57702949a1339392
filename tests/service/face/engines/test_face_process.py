from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from service.face import rules
from service.face.engines import face_process
from service.face.engines.face_process import EngineUnavailableError, FaceProcess
from service.face.engines.picture import BadPicture, PictureFault
from shared.samples import faces
from tests.service.face.conftest import as_face_info

pytestmark = pytest.mark.slow

PERSON = as_face_info(faces.enrolment_picture())


def process_with(model: str) -> FaceProcess:
    """A face process with an engine of `tests.service.face.engines.treacherous_worker`."""
    command = [sys.executable, "-m", "tests.service.face.engines.treacherous_worker"]
    return FaceProcess(model, Path(), command)


def flat(level: int) -> str:
    return as_face_info(np.full((320, 320, 3), level, np.uint8))


async def test_pictures_are_analysed_in_a_child_process(tmp_path: Path) -> None:
    face_client = FaceProcess("dlib", tmp_path)
    about = await face_client.engine_info()
    assert (about.name, about.dimension) == ("dlib", 128)
    analysis = await face_client.analyse(PERSON)
    assert rules.find_enrolment_fault(analysis, None) is None
    with pytest.raises(BadPicture) as caught:
        await face_client.analyse("AAAA")
    assert caught.value.fault is PictureFault.FORMAT
    # It goes on after a bad picture.
    assert (await face_client.analyse(PERSON)).faces
    pid = face_client.process_id
    assert pid is not None
    await face_client.close()
    assert face_client.process_id is None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_is_replaced_when_it_dies_or_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(face_process, "LOOK_SECONDS", 1.0)

    face_client = process_with("treacherous")
    with pytest.raises(EngineUnavailableError, match="ended"):
        await face_client.analyse(flat(66))
    assert (await face_client.analyse(flat(10))).faces == ()
    with pytest.raises(EngineUnavailableError, match="no answer"):
        await face_client.analyse(flat(77))
    with pytest.raises(EngineUnavailableError) as caught:
        await face_client.analyse(flat(88))
    assert "canary" not in str(caught.value)
    await face_client.close()


def test_closing_waits_for_no_picture_and_no_start() -> None:
    async def play(face_info: str | None) -> None:
        face_client = process_with("treacherous")
        if face_info is None:
            request: asyncio.Future[object] = asyncio.ensure_future(face_client.engine_info())
        else:
            await face_client.engine_info()
            request = asyncio.ensure_future(face_client.analyse(face_info))
        async with asyncio.timeout(face_process.LOOK_SECONDS / 2):
            # Until the thread is at it.
            while (pid := face_client.process_id) is None:  # noqa: ASYNC110 - nothing tells it
                await asyncio.sleep(0.01)
            await face_client.close()
        with pytest.raises(EngineUnavailableError):
            await request
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)

    asyncio.run(play(None))
    asyncio.run(play(flat(77)))


async def test_engine_that_does_not_load_gives_the_reason() -> None:
    face_client = process_with("broken")
    with pytest.raises(EngineUnavailableError, match="install the models"):
        await face_client.analyse(PERSON)
    await face_client.close()


def test_telemetry_is_off_before_onnxruntime_is_imported() -> None:
    # In a fresh interpreter: whichever module of ours comes first, the variable is set when it is.
    script = (
        "import sys\n"
        "class Watch:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'onnxruntime':\n"
        "            import os; print(os.environ.get('ORT_DISABLE_TELEMETRY'))\n"
        "sys.meta_path.insert(0, Watch())\n"
        "import service.face.engines.open_engine\n"
    )
    environment = {key: value for key, value in os.environ.items() if key != "ORT_DISABLE_TELEMETRY"}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["1"]
