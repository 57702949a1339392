"""Defines what the process that makes a backup answers: light enough for the service to load at its start."""

from __future__ import annotations

from pydantic import BaseModel, ValidationError

from service.backups.messages import BackupProblem
from service.workers.frames import Frame


class Outcome(BaseModel):
    """What became of a run: `name` is None when it failed, `problem` then says why. Sizes in bytes."""

    name: str | None = None
    files: int | None = None
    size: int | None = None
    added: int | None = None
    problem: BackupProblem | None = None


def outcome_of(answer: Frame) -> Outcome:
    """The outcome in an answer."""
    try:
        return Outcome.model_validate(answer.message)
    except ValidationError:
        return Outcome(problem=BackupProblem.INTERNAL)
