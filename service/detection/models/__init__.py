"""The registry of detection models and the catalogue of labels with severities."""
