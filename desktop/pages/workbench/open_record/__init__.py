"""Owns the record that is open: loads it, keeps the chosen item and selection, and takes every edit."""
