"""Recognises and runs detectors in ONNX files, decodes their outputs and merges the findings."""
