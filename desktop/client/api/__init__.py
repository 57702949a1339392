"""One typed class of calls for each domain of the service."""
