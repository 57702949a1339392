"""The canvas: `CanvasView` with its regions, tools and layers. `docs/desktop.md` shows how to use it."""
