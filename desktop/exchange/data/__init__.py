"""An inspection and imported regions as plain data, with file names and column names; no Qt."""
