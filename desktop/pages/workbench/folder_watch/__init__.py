"""Takes the photos of a watched folder or card into the open record."""

from desktop.pages.workbench.folder_watch.watching import FolderWatchController

__all__ = ["FolderWatchController"]
