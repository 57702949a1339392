"""Reads and writes the rows of jobs and batches inside a caller's transaction."""
