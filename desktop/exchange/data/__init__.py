"""Defines an inspection and imported regions as plain data, with file names and column names. No Qt."""
