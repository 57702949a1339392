"""Photos of the record: matched with its regions, offered, put right by hand, shared by items."""

from desktop.pages.workbench.record_photos.coordinator import RecordPhotos

__all__ = ["RecordPhotos"]
