"""Tables of detection."""
