"""Use cases of records, items and photos, and what detection reads and writes of them."""
