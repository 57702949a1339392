"""Creates the large widgets of the workbench, which take as long as the rest of the page.

The window creates them in a turn of the event loop of their own (`PageFactory.prepare`).
"""

from __future__ import annotations

from desktop.canvas.views.canvas_view import CanvasView
from desktop.canvas.views.compare_view import CompareView
from desktop.commands.bindings import Commands
from desktop.pages.workbench.canvas.photo_canvas import PhotoCanvas
from desktop.pages.workbench.items.items_panel import ItemsPanel
from desktop.pages.workbench.results.inspector import Inspector
from desktop.pages.workbench.top_bar import RecordTopBar


class WorkbenchWidgets:
    """Top bar, list of items, canvases and properties panel; not yet connected."""

    def __init__(self, commands: Commands) -> None:
        self.top = RecordTopBar(commands)
        self.view = CanvasView()
        self.view.setObjectName("canvas")
        self.items = ItemsPanel(commands, self.view.store)
        self.photo = PhotoCanvas()
        self.compare = CompareView()
        self.compare.setObjectName("canvas-compare")
        self.inspector = Inspector(commands)
