"""Turns failures and service messages into sentences in the user's language."""
