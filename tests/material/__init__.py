"""Drawn surfaces, scans and heads for tests and benchmarks."""
