"""Normal variation: the differences that passed photos of a region show, and those that they explain."""
