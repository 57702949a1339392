"""The inspection, step by step: `STORY` is played in order."""

from __future__ import annotations

from collections.abc import Callable

from desktop.demo import people
from desktop.demo.play import Play

STORY: tuple[Callable[[Play], None], ...] = (
    people.start,
    people.first_admin,
    people.inspector_account,
    people.catalogue,
    people.log_out,
    people.log_in_by_password,
    people.enrol,
    people.log_out,
    people.stranger,
    people.log_in_by_face,
)
