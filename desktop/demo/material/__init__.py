"""Pictures, faces and texts that the demo uses; drawn or generated, no window."""
