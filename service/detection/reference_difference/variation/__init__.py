"""Normal variation: what the passed photos of a region show, and which differences that explains."""
