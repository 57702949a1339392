"""Pictures and texts of the demo; independent of windows."""
