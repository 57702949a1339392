"""Drives real windows for the demo: clicks, types, waits."""
