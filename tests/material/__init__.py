"""Drawn surfaces, scans and varied regions for tests and benchmarks."""
