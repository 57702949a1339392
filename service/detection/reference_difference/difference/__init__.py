"""Compares aligned pictures and turns differences into labelled findings with confidence."""
