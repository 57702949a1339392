"""Helpers for files, folders, errors and processes of the operating system."""
