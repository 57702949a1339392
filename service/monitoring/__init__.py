"""What an operator sees of the service: readiness, metrics, JSON logs and traces. Knows no domain."""
