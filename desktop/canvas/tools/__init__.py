"""The drawing and selection tools as pure state machines over a region store; no window is needed."""
