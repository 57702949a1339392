"""The Qt program: draws, edits and talks HTTP to the service. Imports `shared`, never `service`."""

import os

import shared  # noqa: F401 - sets what must be set before any inference library is imported

# Qt divides the painting of large areas among threads and waits for all of them, while the GUI thread holds
# the interpreter's lock. On a busy machine, it waits longer for these threads than the painting takes
# (docs/adr/0067-what-computes-yields-to-the-window.md). Qt reads this when it paints for the first time.
os.environ.setdefault("QT_NO_GUI_THREADPOOL", "1")
