"""Counts records and findings for charts."""
