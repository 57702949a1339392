"""The steps of the demo, in the order of a working day."""
