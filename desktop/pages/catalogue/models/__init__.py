"""The catalogue's detection models: list, form and severities of labels."""
