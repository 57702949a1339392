"""Tables of catalogue."""
