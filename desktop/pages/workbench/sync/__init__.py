"""Sends the journal's edits to the service, in order, until it has them."""
