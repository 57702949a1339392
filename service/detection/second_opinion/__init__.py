"""Says how unusual findings are, by the patch features of a backbone."""
