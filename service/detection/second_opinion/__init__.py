"""Computes how unusual findings are, from the patch features of a backbone."""
