"""Says why the system refused something, without the number and the quotes of Python."""

from __future__ import annotations


def reason(problem: OSError) -> str:
    """The path, where one is known, and what the system says of it: `photos/a.jpg: Permission denied`."""
    said = problem.strerror or str(problem)
    return f"{problem.filename}: {said}" if problem.filename is not None else said
