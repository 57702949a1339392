"""Logs where an exception came from without its text: types and frames, never a value."""

from __future__ import annotations

import itertools
import os
import sys
import traceback
from collections.abc import Iterator


def trace_of(problem: BaseException) -> str:
    """The type of `problem` and every frame on its way as file:line function, outermost first; one line.

    Then the same of the exceptions it came from: the members of a group, its cause, or what was handled
    when it was raised. The text of an exception and the variables of a frame may hold SQL, a password or a
    picture: neither is looked at.
    """
    return " <- ".join(_link(link) for link in _chain(problem))


def _chain(problem: BaseException) -> Iterator[BaseException]:
    seen = set[int]()
    waiting: list[BaseException | None] = [problem]
    while waiting:
        link = waiting.pop()
        if link is None or id(link) in seen:
            continue
        seen.add(id(link))
        yield link
        # "raise ... from None" keeps a text out of sight; the frames behind it are as useful as the others.
        waiting.append(link.__cause__ or link.__context__)
        if isinstance(link, BaseExceptionGroup):
            waiting.extend(reversed(link.exceptions))


def _link(problem: BaseException) -> str:
    places = (
        f"{_short(frame.f_code.co_filename)}:{line} {frame.f_code.co_qualname}"
        for frame, line in traceback.walk_tb(problem.__traceback__)
    )
    counted = ((place, sum(1 for _ in same)) for place, same in itertools.groupby(places))
    lines = (place if times == 1 else f"{place} x{times}" for place, times in counted)
    return f"{type(problem).__name__} [{', '.join(lines)}]"


def _short(path: str) -> str:
    """A file's path below the folder that Python imports it from."""
    roots = sorted((root for root in sys.path if root), key=len, reverse=True)
    return next((path[len(root) + 1 :] for root in roots if path.startswith(root + os.sep)), path)
