"""Detectors in ONNX files: recognised, run, decoded, merged."""
