"""Starts, watches and restarts the local service, and watches a remote one."""
