"""Downloads, installs, verifies and loads packs of face models."""
