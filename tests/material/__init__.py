"""Surfaces, scans, photos of them and heads that tests and benchmarks draw."""
