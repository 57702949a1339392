"""Pictures and texts that the demo uses; drawn or generated, no window."""
