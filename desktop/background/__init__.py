"""Runs work off the GUI thread and limits memory: worker pools, repaints, garbage collection, memory
trimming."""
