"""Tables of account."""
