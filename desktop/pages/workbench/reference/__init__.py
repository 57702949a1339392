"""Chooses and shows the reference image, fills an empty record and saves templates."""
