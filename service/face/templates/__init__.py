"""Stores encrypted face templates and searches them in memory."""
