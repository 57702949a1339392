"""What every request passes: middleware, envelopes, errors, body checks, access rights, API document."""
