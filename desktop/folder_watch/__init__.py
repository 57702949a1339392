"""Watches a folder for new photos: lists it, waits until files are complete, remembers which were added.

Nothing in the folder is ever changed. No widgets; `watcher` and `cards` need an event loop.
"""

from desktop.folder_watch.cards import Card, CardFinder
from desktop.folder_watch.scan import FoundPhoto, ScanResult
from desktop.folder_watch.watcher import FolderWatcher, WatchState

__all__ = ["Card", "CardFinder", "FolderWatcher", "FoundPhoto", "ScanResult", "WatchState"]
