"""Updates the gallery from the database, which other processes also change."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from sqlmodel import Session

from service.db.database import Database
from service.face.access.stations import policy
from service.face.engines.engine import Embedding, EngineInfo
from service.face.templates.vault import Vault, read_templates

if TYPE_CHECKING:
    from service.face.templates.gallery import Gallery

log = logging.getLogger("walkaround.face")


def next_revision(session: Session) -> int:
    """Increase the revision for an enrolment or deletion, inside its transaction; return the new revision."""
    row = policy(session, lock=True)
    row.revision += 1
    return row.revision


class GallerySync:
    """The gallery of one model and its revision in the database. Only one coroutine at a time may use it.

    Owns the threads that search a large gallery, until `close`.
    """

    def __init__(self, database: Database, vault: Vault) -> None:
        self._database = database
        self._vault = vault
        # The pool starts its threads when a search needs them.
        self._readers = ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="gallery")
        self._gallery: Gallery | None = None
        self._revision = -1
        self._model_id = ""

    def close(self) -> None:
        """Stop the threads after their current searches. No search may follow."""
        self._readers.shutdown()

    @property
    def is_loaded(self) -> bool:
        """Whether a gallery is in memory."""
        return self._gallery is not None

    async def current(self, info: EngineInfo) -> Gallery:
        """Return the gallery in the current state of the database; overwrite an outdated one in memory."""
        # Imported here because the service starts sooner without NumPy.
        from service.face.templates.gallery import Gallery

        revision = await self._database.read(lambda session: policy(session).revision)
        if self._gallery is not None and (self._revision, self._model_id) == (revision, info.model_id):
            return self._gallery

        def read(session: Session) -> tuple[int, list[tuple[str, Embedding]], int]:
            return policy(session).revision, *read_templates(session, self._vault, info.model_id)

        revision, templates, unreadable_count = await self._database.read(read)
        if unreadable_count:
            log.error(
                "%d face templates do not open with this face.key; their users must enrol again",
                unreadable_count,
            )
        gallery = Gallery(info.dimension, info.metric, self._readers)
        gallery.fill(templates)
        if self._gallery is not None:
            self._gallery.clear()
        self._gallery, self._revision, self._model_id = gallery, revision, info.model_id
        return gallery

    def put(self, user_id: str, embeddings: Sequence[Embedding], revision: int) -> None:
        """Replace the templates of a user, like `revision` of the database."""
        if self._gallery is not None:
            self._gallery.put(user_id, embeddings)
        self._follow(revision)

    def remove(self, user_id: str, revision: int | None) -> None:
        """Remove a user, like `revision` of the database; None if the user had no templates."""
        if self._gallery is not None:
            self._gallery.remove(user_id)
        self._follow(revision)

    def _follow(self, revision: int | None) -> None:
        # Otherwise another process made a change in between, and the next update reads everything.
        if revision == self._revision + 1:
            self._revision = revision
