"""Drawn surfaces and scans for tests and benchmarks."""
