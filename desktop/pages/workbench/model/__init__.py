"""The open record as plain values: items, results, corrections, settings and what each says. No widgets."""
