"""Holds the enrolled embeddings in memory: one matrix, searched in one pass."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.face.engines.engine import Embedding, Metric
from service.face.rules import Match

# Above so many numbers (16 MB) a search is as slow as one core reads memory, so cores share it, a block of
# rows at a time: the one that is kept from its work by others takes fewer.
_ALONE = 4_000_000
_BLOCK = 16_384


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    # Never changed once made, so that a search on another thread sees one whole state.
    matrix: NDArray[np.float32]
    squares: NDArray[np.float32]
    owners: NDArray[np.int32]
    users: tuple[str, ...]


class Gallery:
    """The templates of all users for one model; `len` is their number.

    `readers` are the caller's threads, which share the search of a large gallery; without them the calling
    thread searches alone. The scores are the same.
    """

    def __init__(self, dimension: int, metric: Metric, readers: Executor | None = None) -> None:
        self.dimension = dimension
        self.metric = metric
        self._readers = readers
        self._rows = self._table((), np.empty((0, dimension), np.float32), np.empty(0, np.int32))

    def __len__(self) -> int:
        return len(self._rows.owners)

    @property
    def users(self) -> tuple[str, ...]:
        """The users that have templates of this model."""
        return self._rows.users

    def _table(self, users: tuple[str, ...], matrix: NDArray[np.float32], owners: NDArray[np.int32]) -> _Rows:
        matrix = np.ascontiguousarray(matrix, np.float32)
        return _Rows(matrix, np.einsum("ij,ij->i", matrix, matrix), owners, users)

    def fill(self, templates: Iterable[tuple[str, Embedding]]) -> None:
        """Hold exactly these (user id, embedding) pairs."""
        numbers: dict[str, int] = {}
        owners, rows = [], []
        for user_id, embedding in templates:
            owners.append(numbers.setdefault(user_id, len(numbers)))
            rows.append(self._unit(embedding))
        matrix = np.stack(rows) if rows else np.empty((0, self.dimension), np.float32)
        self._rows = self._table(tuple(numbers), matrix, np.array(owners, np.int32))

    def put(self, user_id: str, embeddings: Iterable[Embedding]) -> None:
        """Replace the templates of one user."""
        self.remove(user_id)
        rows = self._rows
        added = np.stack([self._unit(embedding) for embedding in embeddings])
        owners = np.full(len(added), len(rows.users), np.int32)
        self._rows = self._table(
            (*rows.users, user_id), np.vstack((rows.matrix, added)), np.concatenate((rows.owners, owners))
        )

    def remove(self, user_id: str) -> None:
        """Forget one user; their numbers are overwritten, not only dropped."""
        rows = self._rows
        if user_id not in rows.users:
            return
        number = rows.users.index(user_id)
        removed = rows.owners == number
        owners = rows.owners[~removed]
        owners[owners > number] -= 1
        users = rows.users[:number] + rows.users[number + 1 :]
        self._rows = self._table(users, rows.matrix[~removed], owners)
        rows.matrix[removed] = 0

    def clear(self) -> None:
        """Forget everyone; all numbers are overwritten, not only dropped."""
        rows = self._rows
        self.fill(())
        rows.matrix[:] = 0

    def search(self, embedding: Embedding, without: str | None = None) -> Match | None:
        """The best user for `embedding`, among all but `without`; None when there is nobody."""
        rows = self._rows
        scores = self._scores(rows, self._unit(embedding))
        if without is not None and without in rows.users:
            scores[rows.owners == rows.users.index(without)] = -np.inf
        if not len(scores) or not np.isfinite(best := scores[at := int(np.argmax(scores))]):
            return None
        owner = rows.owners[at]
        scores[rows.owners == owner] = -np.inf
        runner_up = float(scores.max())
        return Match(rows.users[owner], float(best), runner_up if np.isfinite(runner_up) else None)

    def pairs(self, most: int = 2000) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The scores of all pairs of templates of different users, and of the same user, for calibration.

        Above `most` templates, those of every n-th user: the pairs grow with the square.
        """
        rows = self._rows
        step = max(1, -(-len(rows.owners) // most))
        chosen = np.flatnonzero(rows.owners % step == 0)
        owners, matrix, squares = rows.owners[chosen], rows.matrix[chosen], rows.squares[chosen]
        sample = _Rows(matrix, squares, owners, rows.users)
        between, within = [np.empty(0, np.float32)], [np.empty(0, np.float32)]
        for index, owner in enumerate(owners):
            later = self._scores(sample, matrix[index])[index + 1 :]
            same = owners[index + 1 :] == owner
            between.append(later[~same])
            within.append(later[same])
        return np.concatenate(between), np.concatenate(within)

    def scores(self, embedding: Embedding) -> NDArray[np.float32]:
        """The scores of `embedding` against every template."""
        return self._scores(self._rows, self._unit(embedding))

    def _unit(self, embedding: Embedding) -> Embedding:
        if self.metric is Metric.EUCLIDEAN:
            return np.asarray(embedding, np.float32)
        return np.asarray(embedding / np.linalg.norm(embedding), np.float32)

    def _scores(self, rows: _Rows, embedding: Embedding) -> NDArray[np.float32]:
        products = self._products(rows.matrix, embedding)
        if self.metric is Metric.COSINE:
            return products
        # |a - b|^2 = |a|^2 + |b|^2 - 2ab: one multiplication instead of a matrix of differences.
        squared = rows.squares + np.float32(embedding @ embedding) - 2 * products
        distances: NDArray[np.float32] = np.sqrt(np.maximum(squared, 0))
        return -distances

    def _products(self, matrix: NDArray[np.float32], embedding: Embedding) -> NDArray[np.float32]:
        """The product of each row with `embedding`; a row's is the same however the rows are shared."""
        # Not `@`: its threads wait for each other on a busy machine, 8 ms instead of 0.3 for 10,000 rows.
        if self._readers is None or matrix.size <= _ALONE:
            alone: NDArray[np.float32] = np.vecdot(matrix, embedding)
            return alone
        products = np.empty(len(matrix), np.float32)

        def part(start: int) -> None:
            rows = slice(start, start + _BLOCK)
            np.vecdot(matrix[rows], embedding, out=products[rows])

        list(self._readers.map(part, range(0, len(matrix), _BLOCK)))
        return products
