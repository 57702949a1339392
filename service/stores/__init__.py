"""Owns where contents lie: a directory or an S3-compatible store behind one interface. Knows no domain."""
