"""Runs detections in a separate process: protocol, process control, decoding, the run of one job."""
