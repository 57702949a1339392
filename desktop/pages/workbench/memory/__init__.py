"""Shows the memory of a region and lets people change it: its photos, whether it counts."""

from desktop.pages.workbench.memory.window import MemoryController

__all__ = ["MemoryController"]
