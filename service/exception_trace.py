"""Describes where an exception was raised, for the log: types and frames, never a text or a value."""

from __future__ import annotations

import itertools
import os
import sys
import traceback
from collections.abc import Iterator


def trace_of(problem: BaseException) -> str:
    """One line: the type of `problem` and the frames of its traceback as file:line function, outermost first.

    The exceptions that it came from follow in the same form: the members of a group, its cause, or the
    exception that was handled when it was raised. The text of an exception and the variables of a frame are
    not read, because they may contain SQL, a password or a picture.
    """
    return " <- ".join(_format_exception(exception) for exception in _exception_chain(problem))


def _exception_chain(problem: BaseException) -> Iterator[BaseException]:
    seen = set[int]()
    pending: list[BaseException | None] = [problem]
    while pending:
        exception = pending.pop()
        if exception is None or id(exception) in seen:
            continue
        seen.add(id(exception))
        yield exception
        # "raise ... from None" hides the text of the context; its frames are useful and contain no text.
        pending.append(exception.__cause__ or exception.__context__)
        if isinstance(exception, BaseExceptionGroup):
            pending.extend(reversed(exception.exceptions))


def _format_exception(problem: BaseException) -> str:
    frames = (
        f"{_import_path(frame.f_code.co_filename)}:{line} {frame.f_code.co_qualname}"
        for frame, line in traceback.walk_tb(problem.__traceback__)
    )
    counts = ((frame, sum(1 for _ in repeats)) for frame, repeats in itertools.groupby(frames))
    texts = (frame if count == 1 else f"{frame} x{count}" for frame, count in counts)
    return f"{type(problem).__name__} [{', '.join(texts)}]"


def _import_path(path: str) -> str:
    """The path of a file relative to the folder that Python imports it from."""
    roots = sorted((root for root in sys.path if root), key=len, reverse=True)
    return next((path[len(root) + 1 :] for root in roots if path.startswith(root + os.sep)), path)
