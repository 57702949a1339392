"""What a record means on both sides: its entries, results, findings, geometry, content and codes."""
