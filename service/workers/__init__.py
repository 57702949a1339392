"""Child processes of the service: starts and ends them, sends them requests and receives their answers."""
