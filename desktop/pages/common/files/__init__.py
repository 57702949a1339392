"""Asks for files and folders, and writes exports and reports in the background."""
