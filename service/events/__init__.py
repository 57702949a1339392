"""Tells clients what changes, by server-sent events, across all service processes on one database."""
