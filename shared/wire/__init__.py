"""The bodies that travel between the service and its clients, one module per domain."""
