"""Child processes of the service: starts, asks and ends them, and carries frames between both sides."""
