"""Sends changes to clients by server-sent events, across all service processes on one database."""
