"""Measures speed, quality and endurance. Most modules are commands."""

# Imported first, because its settings for the process must be set before a benchmark imports NumPy.
import shared  # noqa: F401
