"""Stores contents in a directory or an S3-compatible store, behind one interface. Knows no domain."""
