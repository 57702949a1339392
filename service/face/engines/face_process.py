"""Runs the face engine in a child process.

dlib blocks the interpreter for the 100 ms of an embedding, and pictures come from anyone. Therefore decoding
and engines run in a child process (ADR 0020). It is started by the first
request, ends with its input, and is replaced if it dies or hangs.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from service.face.engines.engine import EngineInfo, PictureAnalysis, SequenceAnalysis
from service.face.engines.messages import Answer, FaceRequest, FilmedFrame, request_frame, to_answer
from service.face.engines.picture import MAX_BASE64_LENGTH, BadPicture, PictureFault
from service.face.liveness.movements import Step
from service.workers.child import Child, ProcessDied
from shared.system.paths import program_command

T = TypeVar("T")

log = logging.getLogger("walkaround.face")

LOOK_SECONDS = 20.0
START_SECONDS = 60.0


class EngineUnavailableError(RuntimeError):
    """Raised if the engine could not be loaded or did not answer; the text contains nothing of a picture."""


class FaceProcess:
    """Sends requests to the process, one after another.

    `model` is dlib or the name of a pack in `folder`, which the process loads. `command` replaces the command
    that starts the process.
    """

    def __init__(self, model: str, folder: Path, command: Sequence[str] | None = None) -> None:
        self._request = FaceRequest(model, folder)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="face")
        self._child = Child(command or program_command("worker", "--faces"))
        self._loaded_info: tuple[int, EngineInfo] | None = None
        """The id of the process and the engine that it has loaded."""
        self._is_closing = False

    @property
    def process_id(self) -> int | None:
        """The id of the process; None if none runs."""
        return self._child.pid

    async def engine_info(self) -> EngineInfo:
        """Return the facts about the engine; load it if necessary. Raises EngineUnavailableError."""
        return await self._run(self._ensure_loaded)

    async def analyse(self, face_info: str) -> PictureAnalysis:
        """Analyse a picture (Base64 or data URL). Raises BadPicture, EngineUnavailableError."""
        return await self._run(lambda: self._analyse_picture(face_info))

    async def judge(self, frames: Sequence[FilmedFrame], steps: Sequence[Step]) -> SequenceAnalysis:
        """Judge whether a sequence shows the steps. Raises BadPicture, EngineUnavailableError."""
        return await self._run(lambda: self._judge_sequence(tuple(frames), tuple(steps)))

    async def close(self) -> None:
        """End the process, also during its start or a request."""
        self._is_closing = True
        await asyncio.to_thread(self._child.close)
        self._thread.shutdown(wait=True)

    async def _run(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _ensure_loaded(self) -> EngineInfo:
        if self._loaded_info is not None and self._loaded_info[0] == self._child.pid:
            return self._loaded_info[1]
        answer = self._answer(self._request, START_SECONDS)
        if not isinstance(answer, EngineInfo):
            self._child.kill()
            raise EngineUnavailableError(str(answer))
        pid = self._child.pid
        if pid is not None:
            self._loaded_info = pid, answer
        return answer

    def _analyse_picture(self, face_info: str) -> PictureAnalysis:
        if len(face_info) > MAX_BASE64_LENGTH:
            raise BadPicture(PictureFault.TOO_LARGE)
        self._ensure_loaded()
        answer = self._answer(self._request._replace(face_info=face_info), LOOK_SECONDS)
        if isinstance(answer, PictureFault):
            raise BadPicture(answer)
        if not isinstance(answer, PictureAnalysis):
            raise EngineUnavailableError(str(answer))
        return answer

    def _judge_sequence(self, frames: tuple[FilmedFrame, ...], steps: tuple[Step, ...]) -> SequenceAnalysis:
        if sum(len(frame.face_info) for frame in frames) > MAX_BASE64_LENGTH:
            raise BadPicture(PictureFault.TOO_LARGE)
        self._ensure_loaded()
        request = self._request._replace(frames=frames, steps=steps)
        answer = self._answer(request, LOOK_SECONDS)
        if isinstance(answer, PictureFault):
            raise BadPicture(answer)
        if not isinstance(answer, SequenceAnalysis):
            raise EngineUnavailableError(str(answer))
        return answer

    def _answer(self, request: FaceRequest, seconds: float) -> Answer:
        """Return the answer, or a text with the reason why there is none."""
        frame = request_frame(request)
        try:
            return to_answer(self._child.ask(frame.message, seconds, payload=frame.payload))
        except ProcessDied as died:
            if self._is_closing:
                return "the service ends"
            problem = "the face process has ended"
            if died.timed_out:
                problem = f"the face process gave no answer within {seconds:.0f} s"
        except ValueError:
            self._child.kill()
            problem = "the face process gave an invalid answer"
        log.error("%s; it is started again at the next picture", problem)
        return problem
