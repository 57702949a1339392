"""Says where a photo looks unlike the photos that passed, from the patch features of a backbone."""
