"""Adds photos to an item and shows its photo beside the reference image."""
