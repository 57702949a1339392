"""Finds what earlier inspections saw at the place of an item."""
