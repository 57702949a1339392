"""Defines the outcome of a backup run, in a module that the service can import quickly at its start."""

from pydantic import BaseModel, ValidationError

from service.backups.messages import BackupProblem
from service.workers.frames import Frame


class Outcome(BaseModel):
    """The outcome of a run; `name` is None if it failed, and `problem` has the cause. Sizes are in bytes."""

    name: str | None = None
    files: int | None = None
    size: int | None = None
    added: int | None = None
    problem: BackupProblem | None = None


def parse_outcome(answer: Frame) -> Outcome:
    """Parse the outcome in an answer."""
    try:
        return Outcome.model_validate(answer.message)
    except ValidationError:
        return Outcome(problem=BackupProblem.INTERNAL)
