"""Inspection records, their items, and the photos of an item."""
