"""The policy of face login on the administration page: when movements are asked for, and on which devices."""
