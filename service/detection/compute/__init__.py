"""Runs detections in a process of its own: protocol, process control, decoding, the run of one job."""
