"""The audit log: who changed what, in a chain of hashes that shows every later change."""
