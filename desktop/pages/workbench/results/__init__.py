"""Runs detections, shows findings and history, takes corrections, verdicts and the finish."""
