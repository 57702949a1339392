"""Starts, watches and restarts the local service, and watches a remote one.

Gives the state and address of the service.
"""
