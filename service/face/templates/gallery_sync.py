"""Keeps the gallery in step with a database that other processes write as well."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from sqlmodel import Session

from service.db.database import Database
from service.face.access.stations import policy
from service.face.engines.engine import Embedding, EngineInfo
from service.face.templates.gallery import Gallery
from service.face.templates.vault import Vault, stored_templates

log = logging.getLogger("walkaround.face")


def next_revision(session: Session) -> int:
    """Count one more enrolment or deletion, in its transaction; its number."""
    row = policy(session, to_change=True)
    row.revision += 1
    return row.revision


class GallerySync:
    """The gallery of one model and the revision of the database it shows. Used by one coroutine at a time.

    Owns the threads that search a large gallery, until `close`.
    """

    def __init__(self, database: Database, vault: Vault) -> None:
        self._database = database
        self._vault = vault
        # Starts its threads only when a search needs them.
        self._readers = ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="gallery")
        self._gallery: Gallery | None = None
        self._revision = -1
        self._model_id = ""

    def close(self) -> None:
        """End the threads, after the searches that they run. No search may follow."""
        self._readers.shutdown()

    @property
    def loaded(self) -> bool:
        """Whether there is a gallery in memory."""
        return self._gallery is not None

    async def current(self, about: EngineInfo) -> Gallery:
        """The gallery as the database is now; differing data in memory is overwritten."""
        revision = await self._database.read(lambda session: policy(session).revision)
        if self._gallery is not None and (self._revision, self._model_id) == (revision, about.model_id):
            return self._gallery

        def read(session: Session) -> tuple[int, list[tuple[str, Embedding]], int]:
            return policy(session).revision, *stored_templates(session, self._vault, about.model_id)

        revision, templates, locked = await self._database.read(read)
        if locked:
            log.error("%d face templates do not open with this face.key; their users enrol again", locked)
        gallery = Gallery(about.dimension, about.metric, self._readers)
        gallery.fill(templates)
        if self._gallery is not None:
            self._gallery.clear()
        self._gallery, self._revision, self._model_id = gallery, revision, about.model_id
        return gallery

    def put(self, user_id: str, embeddings: Sequence[Embedding], revision: int) -> None:
        """Replace the templates of a user, as `revision` of the database has done."""
        if self._gallery is not None:
            self._gallery.put(user_id, embeddings)
        self._follow(revision)

    def remove(self, user_id: str, revision: int | None) -> None:
        """Forget a user, as `revision` of the database has done; None when there was nothing to forget."""
        if self._gallery is not None:
            self._gallery.remove(user_id)
        self._follow(revision)

    def _follow(self, revision: int | None) -> None:
        # Otherwise another process was in between: the next look reads everything.
        if revision == self._revision + 1:
            self._revision = revision
