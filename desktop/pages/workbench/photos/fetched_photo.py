"""Shows a photo that is fetched from the service."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from desktop.background.workers import Task, run
from desktop.canvas.views.picture_view import PictureView
from desktop.client import Session
from desktop.imaging import ImageError
from desktop.imaging.sources.source import ImageSource
from desktop.messages.error_messages import sentence
from desktop.record.loading import fetch_photo


class FetchedPhotoView(PictureView):
    """A photo, or the progress of its download, or the reason why it cannot be shown."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._fetched = ("", "", "")
        self._reading: Task | None = None

    def fetch(self, content_id: str | None, file_id: str | None, url: str | None = None) -> bool:
        """Show this photo, which is fetched if it differs from the shown one. Without any, show none.

        The arguments are those of `fetch_photo`. Returns whether there is a photo.
        """
        wanted = (content_id or "", file_id or "", url or "")
        if wanted != self._fetched:
            self.close_photo()
            self._fetched = wanted
            if any(wanted):
                self._on_download_progress(0.0)
                self._reading = run(
                    fetch_photo,
                    self._session,
                    *wanted,
                    owner=self,
                    progress=self._on_download_progress,
                    done=self._on_fetched,
                    failed=self._on_fetch_failed,
                )
        return any(wanted)

    def close_photo(self) -> None:
        """Release the photo, or end its download."""
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None
        if self.source is not None:
            self.source.cancel()
        self._fetched = ("", "", "")
        self.open(None)

    def _on_download_progress(self, share: float) -> None:
        self.show_message(self.tr("Downloading photo… {n}%").format(n=round(share * 100)))

    def _on_fetched(self, source: ImageSource) -> None:
        self.show_message("")
        self.open(source)

    def _on_fetch_failed(self, error: Exception) -> None:
        self._fetched = ("", "", "")
        self.show_message(str(error) if isinstance(error, ImageError) else sentence(error))
