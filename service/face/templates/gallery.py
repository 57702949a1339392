"""Stores the enrolled embeddings in memory as one matrix, and searches it in one pass."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.face.engines.engine import Embedding, Metric
from service.face.rules import Match

# Above this number of elements (16 MB) the memory bandwidth of one core limits a search, so several cores
# share it in blocks of rows; a core that is busy with other work takes fewer blocks.
_SINGLE_THREAD_NUMBERS = 4_000_000
_BLOCK = 16_384


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    # Immutable, so that a search on another thread sees a consistent state.
    matrix: NDArray[np.float32]
    squares: NDArray[np.float32]
    owners: NDArray[np.int32]
    users: tuple[str, ...]


class Gallery:
    """The templates of all users for one model; `len` is their number.

    `readers` are threads of the caller that share the search of a large gallery; without them the calling
    thread searches alone, with the same scores.
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
        """The users with templates of this model."""
        return self._rows.users

    def _table(self, users: tuple[str, ...], matrix: NDArray[np.float32], owners: NDArray[np.int32]) -> _Rows:
        matrix = np.ascontiguousarray(matrix, np.float32)
        return _Rows(matrix, np.einsum("ij,ij->i", matrix, matrix), owners, users)

    def fill(self, templates: Iterable[tuple[str, Embedding]]) -> None:
        """Replace the content by these (user id, embedding) pairs."""
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
        new_rows = np.stack([self._unit(embedding) for embedding in embeddings])
        owners = np.full(len(new_rows), len(rows.users), np.int32)
        self._rows = self._table(
            (*rows.users, user_id), np.vstack((rows.matrix, new_rows)), np.concatenate((rows.owners, owners))
        )

    def remove(self, user_id: str) -> None:
        """Remove a user, and overwrite their embeddings in memory."""
        rows = self._rows
        if user_id not in rows.users:
            return
        number = rows.users.index(user_id)
        is_removed = rows.owners == number
        owners = rows.owners[~is_removed]
        owners[owners > number] -= 1
        users = rows.users[:number] + rows.users[number + 1 :]
        self._rows = self._table(users, rows.matrix[~is_removed], owners)
        rows.matrix[is_removed] = 0

    def clear(self) -> None:
        """Remove all users, and overwrite their embeddings in memory."""
        rows = self._rows
        self.fill(())
        rows.matrix[:] = 0

    def search(self, embedding: Embedding, excluded_user: str | None = None) -> Match | None:
        """Return the best user for `embedding` except `excluded_user`; None if there is no other user."""
        rows = self._rows
        scores = self._scores(rows, self._unit(embedding))
        if excluded_user is not None and excluded_user in rows.users:
            scores[rows.owners == rows.users.index(excluded_user)] = -np.inf
        if not len(scores) or not np.isfinite(best := scores[best_index := int(np.argmax(scores))]):
            return None
        owner = rows.owners[best_index]
        scores[rows.owners == owner] = -np.inf
        runner_up = float(scores.max())
        return Match(rows.users[owner], float(best), runner_up if np.isfinite(runner_up) else None)

    def pairs(self, max_templates: int = 2000) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the scores of all pairs of templates of different users, and of the same user.

        With more than `max_templates` templates it uses every n-th user, as the number of pairs grows with
        the square.
        """
        rows = self._rows
        step = max(1, -(-len(rows.owners) // max_templates))
        indices = np.flatnonzero(rows.owners % step == 0)
        owners, matrix, squares = rows.owners[indices], rows.matrix[indices], rows.squares[indices]
        sample = _Rows(matrix, squares, owners, rows.users)
        other_users, same_user = [np.empty(0, np.float32)], [np.empty(0, np.float32)]
        for index, owner in enumerate(owners):
            later = self._scores(sample, matrix[index])[index + 1 :]
            is_same_user = owners[index + 1 :] == owner
            other_users.append(later[~is_same_user])
            same_user.append(later[is_same_user])
        return np.concatenate(other_users), np.concatenate(same_user)

    def scores(self, embedding: Embedding) -> NDArray[np.float32]:
        """Return the scores of `embedding` against every template."""
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
        squared_distances = rows.squares + np.float32(embedding @ embedding) - 2 * products
        distances: NDArray[np.float32] = np.sqrt(np.maximum(squared_distances, 0))
        return -distances

    def _products(self, matrix: NDArray[np.float32], embedding: Embedding) -> NDArray[np.float32]:
        """Return the product of each row with `embedding`, independent of the number of threads."""
        # Not `@`, whose threads wait for each other on a busy machine: 8 ms instead of 0.3 for 10,000 rows.
        if self._readers is None or matrix.size <= _SINGLE_THREAD_NUMBERS:
            all_products: NDArray[np.float32] = np.vecdot(matrix, embedding)
            return all_products
        products = np.empty(len(matrix), np.float32)

        def part(start: int) -> None:
            rows = slice(start, start + _BLOCK)
            np.vecdot(matrix[rows], embedding, out=products[rows])

        list(self._readers.map(part, range(0, len(matrix), _BLOCK)))
        return products
