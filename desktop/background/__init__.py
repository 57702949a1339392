"""Runs work beside the GUI thread and keeps memory small: worker pools, repaints in slices, garbage
collection, memory trimming.
"""
