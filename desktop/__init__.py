"""The Qt program: draws, edits and talks HTTP to the service. Imports `shared`, never `service`."""
