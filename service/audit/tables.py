"""Tables of audit."""
