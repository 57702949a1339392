"""Models the light of a photo relative to the reference image."""
