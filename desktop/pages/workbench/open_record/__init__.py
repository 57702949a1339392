"""Owns the record that is open: loads it, keeps the chosen item and selection, takes every edit into the
journal, undoes and redoes, and reads what changes at the service.
"""
