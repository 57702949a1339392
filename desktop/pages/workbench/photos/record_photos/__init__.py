"""Photos of the record: uploads, matches with regions, proposals, review and assignment to items."""

from desktop.pages.workbench.photos.record_photos.coordinator import RecordPhotosController

__all__ = ["RecordPhotosController"]
