"""Measures what a guided enrolment saves: how often a login fails with one template, and with four.

A person's pictures are in a folder of their own (the layout of the ORL set). The guided enrolment takes the
picture from the front, the two that are turned the furthest to both sides, and the one that is least like
these, in place of the one with glasses. One template is the picture from the front alone. All other pictures
are logins, the same ones for both. The threshold is the one in force with ten templates.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.face_pairs import picture
from benchmarks.figures import print_rate
from service.face import rules
from service.face.engines.analysis import analyse
from service.face.engines.engine import Embedding, FaceEngine, Metric, score
from service.face.engines.picture import BadPicture, Pixels

REJECTION_PERCENT = 1.0
TEMPLATES = 10
GUIDED = 4

People = Iterator[Iterator[Pixels]]
"""The pictures of each person."""


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What an engine saw of one person: an embedding and a yaw for each picture with a face, and how many
    have none.
    """

    embeddings: list[Embedding]
    yaws: list[float]
    missed: int


def read_folders(folder: Path) -> People:
    """The pictures in each folder of `folder`, one folder a person. Raises ValueError without any."""
    folders = sorted(each for each in folder.iterdir() if each.is_dir())
    if not folders:
        raise ValueError(f"{folder}: no folder for each person")
    return map(_list_pictures, folders)


def _list_pictures(folder: Path) -> Iterator[Pixels]:
    for file in sorted(file for file in folder.iterdir() if file.is_file()):
        try:
            yield picture(file)
        except BadPicture as bad:
            print(f"{file}: {bad.fault.value}", file=sys.stderr)


def measure_enrolment(
    engine: FaceEngine, kind: str, people: People, source: str, *, strangers: bool = True
) -> None:
    """Print the false non-matches with one template and with a guided enrolment.

    With `strangers` the logins are compared with the other people too.
    """
    seen = [person for pictures in people if (person := _analyse(engine, pictures)) is not None]
    needed = rules.threshold(engine.thresholds, TEMPLATES)
    guided = [_choose_guided(person, engine.metric) for person in seen]
    logins = [
        [each for index, each in enumerate(person.embeddings) if index not in chosen]
        for person, chosen in zip(seen, guided, strict=True)
    ]
    for name, most in (("one template", 1), ("guided", GUIDED)):
        enrolled = [
            [person.embeddings[index] for index in chosen[:most]]
            for person, chosen in zip(seen, guided, strict=True)
        ]
        missed = sum(person.missed for person in seen)
        total = missed + sum(map(len, logins))
        missed += sum(
            _best(login, templates, engine.metric) < needed
            for templates, of_person in zip(enrolled, logins, strict=True)
            for login in of_person
        )
        matches = [
            _best(login, templates, engine.metric) >= needed
            for index, templates in enumerate(enrolled)
            for other, of_person in enumerate(logins)
            if other != index
            for login in of_person
        ]
        counted: dict[str, Any] = {"people": len(seen), "logins": total, "missed": missed}
        if strangers:
            counted |= {"strangers": len(matches), "strangers_that_match": sum(matches)}
        figure = f"false non-matches, {name}, {source}, engine {kind}"
        print_rate(figure, missed, total, REJECTION_PERCENT, **counted)


def _analyse(engine: FaceEngine, pictures: Iterator[Pixels]) -> Seen | None:
    """What `engine` sees in `pictures`; None where too few have a face for an enrolment and a login."""
    embeddings, yaws, missed = [], [], 0
    for each in pictures:
        analysis = analyse(engine, each)
        if analysis.embedding is None or analysis.quality is None:
            missed += 1
            continue
        embeddings.append(analysis.embedding)
        yaws.append(analysis.quality.yaw)
    return Seen(embeddings, yaws, missed) if len(embeddings) > GUIDED else None


def _choose_guided(person: Seen, metric: Metric) -> list[int]:
    """The pictures of a guided enrolment, the one from the front first."""
    middle = np.abs(np.array(person.yaws) - np.median(person.yaws))
    front = int(middle.argmin())
    chosen = [front]
    for side in (int(np.argmin(person.yaws)), int(np.argmax(person.yaws))):
        if side not in chosen:
            chosen.append(side)
    while len(chosen) < GUIDED:
        enrolled = [person.embeddings[index] for index in chosen]
        rest = [index for index in range(len(person.embeddings)) if index not in chosen]
        chosen.append(min(rest, key=lambda index: _best(person.embeddings[index], enrolled, metric)))
    return chosen


def _best(login: Embedding, enrolled: Sequence[Embedding], metric: Metric) -> float:
    return max(score(login, each, metric) for each in enrolled)
