"""Runs detections, shows findings and history, and handles corrections, verdicts and finishing."""
