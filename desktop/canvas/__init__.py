"""The canvas: `CanvasView` with its regions, tools and layers. `docs/canvas.md` shows how to use it."""
