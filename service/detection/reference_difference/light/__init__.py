"""Models how the light of a photo differs from that of the reference image."""
