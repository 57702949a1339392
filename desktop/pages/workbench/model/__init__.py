"""The open record as plain values: items, results, corrections, settings and their texts. No widgets."""
