"""The memories of regions: which photos belong to them, what each photo adds, and what people set."""
