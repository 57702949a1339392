"""Measures speed, quality and endurance; each module is a command."""

# First, before a benchmark imports NumPy: it sets what every process of the program has set.
import shared  # noqa: F401
